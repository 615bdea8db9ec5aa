"""lit configuration: tests are the .mlir files, run with mem-opt's own registry."""
import os

import lit.formats

config.name = "mem-opt"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "suites", "foreign"]
config.test_source_root = os.path.join(config.memopt_source, "test")
config.test_exec_root = os.path.join(config.memopt_build, "test")

path = [os.path.join(config.memopt_build, "bin"), config.llvm_bin, os.environ["PATH"]]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "detect_leaks=0")

config.substitutions.append(("%llvm_bin", config.llvm_bin))
config.substitutions.append(("%plugin", os.path.join(config.memopt_build, "lib", "MemOptPlugin.so")))
config.substitutions.append(("%build", config.memopt_build))
config.substitutions.append(("%source", config.memopt_source))
config.substitutions.append(("%python", "/usr/bin/python3"))

shared = os.path.normpath(os.path.join(config.memopt_source, "..", "shared"))
config.substitutions.append(("%shared", shared))
if os.path.isdir(os.path.join(shared, "corpus")):
    config.available_features.add("shared")

# A stock mlir-opt has no sanitizer runtime, so it loads no plugin built with one.
if config.memopt_sanitize != "ON":
    config.available_features.add("stock-plugin")
    # A sanitizer has a malloc of its own.
    config.available_features.add("counted-allocations")
