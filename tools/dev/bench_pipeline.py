"""What memopt-pipeline takes on real training steps, and what it saves.

`./dev bench pipeline [REPEATS]`: the whole process is measured, from reading the text
to printing it; the best wall-clock time of REPEATS (default 5), its CPU time, and the
largest resident set of any.
"""
import json
import os
import pathlib
import platform
import subprocess
import tempfile
import time

import run_step

INPUTS = run_step.ROOT / "test" / "Inputs"
REAL = sorted((INPUTS / "corpus" / "real").glob("*.mlir.zst"))
LAYERS = {n: INPUTS / "layers" / f"llama_lora_bf16_l{n}.mlir.zst" for n in (8, 32, 128)}
APPROXIMATE = "memopt-pipeline{approximate=true}"
# What the 32-layer step may take.
SECONDS, BYTES = 3.0, 1 << 30


def measure(program, step, pipeline, repeats):
    """(best seconds, their CPU seconds, largest resident bytes) of mem-opt on a file."""
    command = [str(program), str(step), f"--pass-pipeline=builtin.module({pipeline})", "-o", os.devnull]
    best, resident = (float("inf"), 0.0), 0
    for _ in range(repeats):
        start = time.perf_counter()
        process = subprocess.Popen(command)
        status, usage = os.wait4(process.pid, 0)[1:]
        process.returncode = status  # it was waited for
        if status:
            raise run_step.StepError(f"{' '.join(command)} failed")
        best = min(best, (time.perf_counter() - start, usage.ru_utime + usage.ru_stime))
        resident = max(resident, usage.ru_maxrss * 1024)
    return *best, resident


def saved(program, step, folder):
    """Saved bytes as captured, after memopt-pipeline and with approximate=true."""
    before, after = folder / "before.json", folder / "after.json"
    found = []
    for options in ("", "approximate=true "):
        pipeline = f"memopt-pipeline{{{options}report-format=json report-before={before} report-after={after}}}"
        subprocess.run([program, step, f"--pass-pipeline=builtin.module({pipeline})", "-o", os.devnull], check=True)
        found.append(json.loads(after.read_text())["saved_bytes"])
    return [json.loads(before.read_text())["saved_bytes"], *found]


def machine():
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo")
                  if line.startswith("model name")), platform.machine())
    return f"{model}, {os.cpu_count()} cores"


def real_table(program, folder, repeats):
    rows = ["| step | lines | parse and print | memopt-pipeline | approximate=true | peak RSS | saved as captured | memopt-pipeline | approximate=true |",
            "|---|---|---|---|---|---|---|---|---|"]
    for path in REAL:
        text = run_step.read(path)
        step = folder / "step.mlir"
        step.write_text(text)
        nothing = measure(program, step, "", repeats)
        exact = measure(program, step, "memopt-pipeline", repeats)
        full = measure(program, step, APPROXIMATE, repeats)
        sizes = saved(program, step, folder)
        rows.append(f"| {path.name.removesuffix('.mlir.zst')} | {text.count(chr(10)):,} | {nothing[0]:.2f} s "
                    f"| {exact[0]:.2f} s | {full[0]:.2f} s | {max(exact[2], full[2]) / 2**20:.0f} MiB "
                    f"| {sizes[0]:,} | {sizes[1]:,} ({sizes[1] / sizes[0]:.3f}) | {sizes[2]:,} ({sizes[2] / sizes[0]:.3f}) |")
        print(rows[-1], flush=True)
        if path.name.startswith("llama_lora_bf16_b1_t2048"):
            worst = max(exact, full)
            target = (f"The 32 layers of llama_lora_bf16_b1_t2048 take {worst[0]:.2f} s and "
                      f"{max(exact[2], full[2]) / 2**20:.0f} MiB; at most {SECONDS:.0f} s and {BYTES >> 30} GiB is the goal: "
                      + ("met." if worst[0] <= SECONDS and max(exact[2], full[2]) <= BYTES else "MISSED."))
    return rows + ["", target]


def growth_table(program, folder, repeats):
    rows = ["| layers | lines | approximate=true | CPU | CPU a layer | peak RSS |", "|---|---|---|---|---|---|"]
    for layers, path in LAYERS.items():
        step = folder / "step.mlir"
        text = run_step.read(path)
        step.write_text(text)
        seconds, cpu, resident = measure(program, step, APPROXIMATE, repeats)
        rows.append(f"| {layers} | {text.count(chr(10)):,} | {seconds:.2f} s | {cpu:.2f} s | {1e3 * cpu / layers:.1f} ms "
                    f"| {resident / 2**20:.0f} MiB |")
        print(rows[-1], flush=True)
    return rows


def run(build, arguments):
    repeats = int(arguments[0]) if arguments else 5
    program = build / "bin" / "mem-opt"
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        real = real_table(program, folder, repeats)
        growth = growth_table(program, folder, repeats)
    return "\n".join([
        "## pipeline: time, memory and saved bytes", "",
        f"`./dev bench pipeline` on {machine()}, load {load:.1f} at the start, niceness {os.nice(0)},",
        f"best of {repeats}; a time is wall-clock time of the whole process,",
        "from reading the text to printing it, and saved bytes are `memopt-report`'s own count of",
        "storages that cross from forward to backward (in brackets: of the captured step's).", "",
        *real, "",
        "Growth with depth: LLaMA-7B LoRA steps in bf16, 1x2048, captured by tools/capture with 8, 32 and",
        "128 layers (`test/Inputs/layers`).", "",
        *growth])
