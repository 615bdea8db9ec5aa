#!/usr/bin/env python3
"""A foreign project builds against the installed tree and gives the same bytes.

`cmake --install` goes into a prefix under the build directory, test/foreign is
configured against that prefix alone, and its own compiler, which registers nothing
of MLIR but a few dialects, must print what mem-opt prints."""
import re
import shutil

from _suite import BUILD, INPUTS, ROOT, Suite, command
import run_step

WORK = BUILD / "foreign"
PREFIX = WORK / "prefix"
PIPELINES = ["memopt-pipeline", "memopt-pipeline{approximate=true}"]


def cache(key):
    """An entry of the build's CMakeCache.txt."""
    match = re.search(rf"^{key}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)
    return match[1] if match else ""


def configure():
    """The foreign project takes the compiler of the build, and its sanitizers."""
    flags = "-fsanitize=address,undefined -fno-sanitize=vptr,function" if cache("MEMOPT_SANITIZE") == "ON" else ""
    return command(["cmake", "-G", "Ninja", "-S", ROOT / "test" / "foreign", "-B", WORK / "build",
                    f"-DCMAKE_PREFIX_PATH={PREFIX}", f"-DCMAKE_CXX_COMPILER={cache('CMAKE_CXX_COMPILER')}",
                    f"-DCMAKE_C_COMPILER={cache('CMAKE_C_COMPILER')}", f"-DCMAKE_CXX_FLAGS={flags}",
                    f"-DCMAKE_C_COMPILER_LAUNCHER={cache('CMAKE_C_COMPILER_LAUNCHER')}",
                    f"-DCMAKE_CXX_COMPILER_LAUNCHER={cache('CMAKE_CXX_COMPILER_LAUNCHER')}"])


def build(suite):
    """Installs, configures and builds; False where one of them failed."""
    shutil.rmtree(WORK, ignore_errors=True)
    steps = [("install", lambda: command(["cmake", "--install", BUILD, "--prefix", PREFIX])),
             ("configure", configure),
             ("build", lambda: command(["cmake", "--build", WORK / "build"]))]
    for name, step in steps:
        code, out, err = step()
        if not suite.check(name, code == 0, (out + err)[-2000:]):
            return False
    return True


def same_as_mem_opt(suite, step, pipeline):
    passes = f"--pass-pipeline=builtin.module({pipeline})"
    ours = command([PREFIX / "bin" / "mem-opt", step, passes])
    theirs = command([WORK / "build" / "foreign-compiler", step, pipeline])
    suite.check(f"{pipeline}: the installed mem-opt runs", ours[0] == 0, ours[2][:1000])
    suite.check(f"{pipeline}: the foreign compiler runs", theirs[0] == 0, theirs[2][:1000])
    # mem-opt prints one more newline behind the module.
    suite.check(f"{pipeline}: the same bytes as mem-opt's", ours[1].strip() == theirs[1].strip())


def main():
    suite = Suite()
    if build(suite):
        step = WORK / "qwen3.mlir"
        step.write_text(run_step.read(INPUTS / "captured" / "qwen3.mlir.zst"))
        for pipeline in PIPELINES:
            same_as_mem_opt(suite, step, pipeline)
        knapsack = WORK / "build" / "foreign-knapsack"
        if knapsack.exists():
            suite.check("the solver without IR", command([knapsack])[1] == "90 7\n")
    suite.close()


if __name__ == "__main__":
    main()
