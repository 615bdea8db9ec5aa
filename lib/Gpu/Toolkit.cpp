//===- Toolkit.cpp - programs of the CUDA toolkit -------------------------===//
//
// Part of mem-opt, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Serialize.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace memopt;

#ifndef MEMOPT_CUDA_HOME
#define MEMOPT_CUDA_HOME ""
#endif

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

/// The program in a folder's bin, or nothing.
static std::string findIn(StringRef folder, StringRef name) {
  if (folder.empty())
    return "";
  SmallString<128> path(folder);
  llvm::sys::path::append(path, "bin", name);
  return llvm::sys::fs::can_execute(path) ? path.str().str() : "";
}

static FailureOr<std::string> findProgram(Location loc, StringRef name,
                                          StringRef toolkit) {
  if (std::string path = findIn(toolkit, name); !path.empty())
    return path;
  if (toolkit.empty()) {
    if (auto home = llvm::sys::Process::GetEnv("CUDA_HOME"))
      if (std::string path = findIn(*home, name); !path.empty())
        return path;
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
    if (std::string path = findIn(MEMOPT_CUDA_HOME, name); !path.empty())
      return path;
  }
  InFlightDiagnostic error = emitError(loc) << "memopt-to-nvvm: no " << name;
  if (!toolkit.empty())
    error << " in '" << toolkit << "/bin'";
  else
    error << " in $CUDA_HOME/bin or PATH";
  error << ": formats bin and fatbin need the CUDA toolkit, isa and llvm do "
           "not";
  return error;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
/// Files that are gone with it.
class Scratch {
public:
  ~Scratch() {
    for (const std::string &path : paths)
      llvm::sys::fs::remove(path);
  }

  std::string add(StringRef suffix, StringRef bytes) {
    SmallString<128> path;
    int file;
    if (llvm::sys::fs::createTemporaryFile("memopt", suffix, file, path))
      return "";
    llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
    os << bytes;
    paths.push_back(path.str().str());
    return paths.back();
  }

private:
  std::vector<std::string> paths;
};
} // namespace

static std::string readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// Runs a program; what it says is part of the diagnostic if it fails.
static FailureOr<std::string> run(Location loc, StringRef name,
                                  const GpuImageOptions &options,
                                  ArrayRef<std::string> arguments,
                                  StringRef output, Scratch &scratch) {
  FailureOr<std::string> program = findProgram(loc, name, options.toolkit);
  if (failed(program))
    return failure();
  SmallVector<StringRef> line{*program};
  line.append(arguments.begin(), arguments.end());
  std::string log = scratch.add("log", "");
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log),
                                          StringRef(log)};
  std::string message;
  int code = llvm::sys::ExecuteAndWait(*program, line, std::nullopt, redirects,
                                       /*SecondsToWait=*/0, /*MemoryLimit=*/0,
                                       &message);
  if (code != 0)
    return emitError(loc) << "memopt-to-nvvm: " << name
                          << " failed: " << message << readFile(log);
  return readFile(output);
}

FailureOr<std::string> memopt::assemble(Location loc, StringRef ptx,
                                        const GpuImageOptions &options,
                                        const GpuChip &chip) {
  Scratch scratch;
  std::string source = scratch.add("ptx", ptx),
              target = scratch.add("cubin", "");
  std::string level = std::to_string(std::min(options.optLevel, 3));
  return run(loc, "ptxas", options,
             {"--gpu-name", chip.name.str(), "--opt-level", level, source,
              "--output-file", target},
             target, scratch);
}

FailureOr<std::string> memopt::joinFatbin(Location loc,
                                          ArrayRef<FatbinPart> parts,
                                          const GpuImageOptions &options) {
  Scratch scratch;
  std::string target = scratch.add("fatbin", "");
  std::vector<std::string> arguments{"-64", "--create=" + target};
  for (const FatbinPart &part : parts) {
    std::string number = part.chip.name.drop_front(3).str();
    std::string file = scratch.add(part.isPtx ? "ptx" : "cubin", part.bytes);
    arguments.push_back(
        part.isPtx ? "--image3=kind=ptx,sm=" + number + ",file=" + file
                   : "--image3=kind=elf,sm=" + number + ",file=" + file);
  }
  return run(loc, "fatbinary", options, arguments, target, scratch);
}
