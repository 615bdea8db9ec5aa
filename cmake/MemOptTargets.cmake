# How MemOpt's libraries and tools are declared. Every library is a static
# archive MemOpt<Name>, exported as MemOpt::<Name>; MLIR comes in as libMLIR.so,
# so that a tool, a plugin and a foreign host all share one registry.

option(MEMOPT_SANITIZE "Build with address and undefined-behaviour sanitizers" OFF)

add_library(memopt_flags INTERFACE)
target_compile_options(memopt_flags INTERFACE
  -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
  -Wno-comment -fvisibility-inlines-hidden)
if(MEMOPT_SANITIZE)
  target_compile_options(memopt_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined
    -fno-sanitize=vptr,function -fno-omit-frame-pointer)
  target_link_options(memopt_flags INTERFACE -fsanitize=address,undefined)
endif()
find_program(MEMOPT_LLD NAMES ld.lld-22 ld.lld)
if(MEMOPT_LLD)
  target_link_options(memopt_flags INTERFACE -fuse-ld=lld)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_link_options(memopt_flags INTERFACE --ld-path=${MEMOPT_LLD})
  endif()
endif()

set_property(GLOBAL PROPERTY MEMOPT_MLIR_LIBRARIES "")
set_property(GLOBAL PROPERTY MEMOPT_NO_MLIR_LIBRARIES "")

# memopt_add_library(Name SOURCES... [DEPENDS tablegen...] [LINK MemOpt::X...]
#                    [NO_MLIR])
function(memopt_add_library name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "DEPENDS;LINK" ${ARGN})
  set(target MemOpt${name})
  add_library(${target} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(MemOpt::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} PUBLIC cxx_std_17)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:memopt_flags>)
  if(ARG_LINK)
    target_link_libraries(${target} PUBLIC ${ARG_LINK})
  endif()
  if(NOT ARG_NO_MLIR)
    target_include_directories(${target} SYSTEM PUBLIC
      $<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}> $<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>)
    target_link_libraries(${target} PUBLIC MLIR LLVM)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${target} ${ARG_DEPENDS})
  endif()
  install(TARGETS ${target} EXPORT MemOptTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(ARG_NO_MLIR)
    set_property(GLOBAL APPEND PROPERTY MEMOPT_NO_MLIR_LIBRARIES ${name})
  else()
    set_property(GLOBAL APPEND PROPERTY MEMOPT_MLIR_LIBRARIES ${name})
  endif()
endfunction()

# memopt_add_tool(name SOURCES... LINK MemOpt::X...)
function(memopt_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE memopt_flags ${ARG_LINK})
  install(TARGETS ${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# memopt_add_passes(Stage): tablegen of include/MemOpt/<Stage>/Passes.td and its
# page docs/passes/<Stage>.md (written by `./dev format --docs`, compared in CI).
function(memopt_add_passes stage)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name ${stage})
  add_public_tablegen_target(MemOpt${stage}PassesIncGen)
  add_dependencies(memopt-headers MemOpt${stage}PassesIncGen)
  memopt_add_doc(passes/${stage}.md Passes.td -gen-pass-doc)
endfunction()

# memopt_add_doc(PAGE TD GENERATOR...): docs/PAGE generated from a .td file.
function(memopt_add_doc page td)
  set(out ${PROJECT_BINARY_DIR}/docs/${page})
  get_filename_component(dir ${out} DIRECTORY)
  file(MAKE_DIRECTORY ${dir})
  list(TRANSFORM MLIR_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE mlir_includes)
  add_custom_command(OUTPUT ${out}
    COMMAND ${MLIR_TABLEGEN_EXE} ${ARGN} -I ${PROJECT_SOURCE_DIR}/include
      ${mlir_includes} ${CMAKE_CURRENT_SOURCE_DIR}/${td} -o ${out}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${td})
  string(MAKE_C_IDENTIFIER doc-${page} doc_target)
  add_custom_target(${doc_target} DEPENDS ${out})
  add_dependencies(memopt-docs ${doc_target})
endfunction()

add_custom_target(memopt-headers)
add_custom_target(memopt-docs ALL)

# Installs headers, libraries and the CMake package that find_package(MemOpt) reads.
function(memopt_install_package)
  include(CMakePackageConfigHelpers)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/MemOpt)
  foreach(tree ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    install(DIRECTORY ${tree}/include/MemOpt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
      FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
      PATTERN "CMakeFiles" EXCLUDE)
  endforeach()
  foreach(list MEMOPT_MLIR_LIBRARIES MEMOPT_NO_MLIR_LIBRARIES)
    get_property(${list} GLOBAL PROPERTY ${list})
  endforeach()
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/MemOptConfig.cmake.in
    ${PROJECT_BINARY_DIR}/MemOptConfig.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/MemOptConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/MemOptConfig.cmake
    ${PROJECT_BINARY_DIR}/MemOptConfigVersion.cmake DESTINATION ${package_dir})
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(EXPORT MemOptTargets NAMESPACE MemOpt:: DESTINATION ${package_dir})
endfunction()
