#!/usr/bin/env python3
"""Foreign projects build against the installed tree and give the same answers.

`cmake --install` goes into a prefix under the build directory; the projects under
test/foreign are configured against that prefix alone. The compiler, which registers
nothing of MLIR but a few dialects, must print what mem-opt prints; the solver is
configured where CMake finds no MLIR."""
import re
import shutil

from _suite import BUILD, INPUTS, ROOT, Suite, command
import run_step

WORK = BUILD / "foreign"
PREFIX = WORK / "prefix"
PIPELINES = ["memopt-pipeline", "memopt-pipeline{approximate=true}"]
NO_MLIR = ["-DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON"]


def cache(key):
    """An entry of the build's CMakeCache.txt."""
    match = re.search(rf"^{key}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)
    return match[1] if match else ""


def configure(project, options):
    """A foreign project takes the compilers of the build, and its sanitizers."""
    flags = "-fsanitize=address,undefined -fno-sanitize=vptr,function" if cache("MEMOPT_SANITIZE") == "ON" else ""
    same = ["CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER", "CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER"]
    return ["cmake", "-G", "Ninja", "-S", ROOT / "test" / "foreign" / project, "-B", WORK / project,
            f"-DCMAKE_PREFIX_PATH={PREFIX}", f"-DCMAKE_CXX_FLAGS={flags}",
            *(f"-D{key}={cache(key)}" for key in same), *options]


def succeed(suite, name, arguments):
    code, out, err = command(arguments)
    return suite.check(name, code == 0, (out + err)[-2000:])


def build(suite, project, options=()):
    return (succeed(suite, f"configure {project}", configure(project, options))
            and succeed(suite, f"build {project}", ["cmake", "--build", WORK / project]))


def same_as_mem_opt(suite, step, pipeline):
    passes = f"--pass-pipeline=builtin.module({pipeline})"
    ours = command([PREFIX / "bin" / "mem-opt", step, passes])
    theirs = command([WORK / "compiler" / "foreign-compiler", step, pipeline])
    suite.check(f"{pipeline}: the installed mem-opt runs", ours[0] == 0, ours[2][:1000])
    suite.check(f"{pipeline}: the foreign compiler runs", theirs[0] == 0, theirs[2][:1000])
    # mem-opt prints one more newline behind the module.
    suite.check(f"{pipeline}: the same bytes as mem-opt's", ours[1].strip() == theirs[1].strip())


def main():
    suite = Suite()
    shutil.rmtree(WORK, ignore_errors=True)
    if not succeed(suite, "install", ["cmake", "--install", BUILD, "--prefix", PREFIX]):
        suite.close()
    if build(suite, "compiler"):
        step = WORK / "qwen3.mlir"
        step.write_text(run_step.read(INPUTS / "captured" / "qwen3.mlir.zst"))
        for pipeline in PIPELINES:
            same_as_mem_opt(suite, step, pipeline)
    if build(suite, "solver", NO_MLIR):
        answer = command([WORK / "solver" / "foreign-knapsack"])[1]
        suite.check("the solver's answer", answer == "90 7\n", answer)
    suite.close()


if __name__ == "__main__":
    main()
