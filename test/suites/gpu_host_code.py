#!/usr/bin/env python3
"""The host code of each committed step, with and without cuda-graph: it launches kernels and
products one after the other, and that is all. No call of anything else (so no allocation, no
copy, no wait), no branch, and no read of memory but of the array of the caller's pointers.

By default the small steps; MEMOPT_CHECK_ALL=1 adds those of real size."""
import concurrent.futures
import re

from _gpu_code import PIPELINES, REAL, SMALL, GpuCode, committed, plan
from _suite import ALL, Suite

RUNTIME = {"memopt_gpu_launch", "memopt_gpu_gemm", "memopt_gpu_gemm_batched"}
# Numbers and addresses, and a frame on the host's stack for the parameters of launches.
ARITHMETIC = {"llvm.mlir.constant", "llvm.mlir.addressof", "llvm.mlir.zero", "llvm.getelementptr", "llvm.alloca",
              "llvm.inttoptr", "llvm.store", "llvm.return"}
OP = re.compile(r"^\s*(?:(%\S+) = )?\"?([\w.]+)\"?\s*(.*)$")
DECLARED = re.compile(r"^  llvm\.func (?:\w+ )*@(\w+)\(", re.M)


def faults(lines):
    """What the body of a step does beyond launching."""
    arguments, frames = {"%arg0"}, set()  # addresses in the caller's array, and in the frame
    for line in lines:
        match = OP.match(line)
        if not match:
            yield f"has {line.strip()}"
            continue
        result, op, rest = match.groups()
        base = re.match(r"%[\w#]+", rest)
        base = base[0] if base else None
        if op == "llvm.call":
            callee = re.search(r"@(\w+)", rest)
            if not callee or callee[1] not in RUNTIME:
                yield f"calls {rest[:80]}"
        elif op == "llvm.load":
            if base not in arguments:
                yield f"reads {rest[:80]}"
        elif op == "llvm.store":
            target = re.search(r", (%[\w#]+)", rest)[1]
            if target not in frames:
                yield f"writes {rest[:80]}"
        elif op not in ARITHMETIC:
            yield f"has {op}"
        if op == "llvm.alloca":
            frames.add(result)
        for known in (arguments, frames):
            if op == "llvm.getelementptr" and base in known:
                known.add(result)


def check(suite, name, pipeline, options):
    code = GpuCode(plan(name, pipeline), more=options)
    label = f"{name}, {pipeline}"
    found = list(faults(code.host()))
    suite.check(f"{label}: only launches", not found, "; ".join(found[:5]))
    declared = set(DECLARED.findall(code.text)) - {"memopt_step"}
    suite.check(f"{label}: knows the runtime only", declared <= RUNTIME, declared)
    suite.check(f"{label}: launches something", any("@memopt_gpu_launch" in line for line in code.host()))


def self_test(suite):
    """What must be found is found."""
    for line in ("llvm.call @memopt_gpu_synchronize() : () -> !llvm.ptr", "llvm.call %3() : !llvm.ptr, () -> ()",
                 "%5 = llvm.load %arg1 : !llvm.ptr -> i64", "llvm.store %5, %arg1 : i64, !llvm.ptr",
                 "llvm.cond_br %1, ^bb1, ^bb2", "^bb1:"):
        suite.check(f"finds '{line}'", list(faults([f"    {line}"])))


def main():
    suite = Suite()
    self_test(suite)
    names = committed(SMALL + (REAL if ALL else ()))
    # Each in one pipeline, with cuda-graph and without by turns; all in both if asked.
    jobs = [(name, pipeline, f"cuda-graph={'true' if (i + j) % 2 else 'false'}")
            for i, name in enumerate(names) for j, pipeline in enumerate(PIPELINES) if ALL or j == i % 2]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = [(job, pool.submit(check, suite, *job)) for job in jobs]
        for job, future in futures:
            if error := future.exception():  # one step must not hide the others
                suite.check(f"{job[0]}, {job[1]}", False, f"{type(error).__name__}: {str(error)[:500]}")
    suite.close()


if __name__ == "__main__":
    main()
