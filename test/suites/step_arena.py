#!/usr/bin/env python3
"""Captured training steps, brought into one arena (memopt-to-arena-pipeline).

For each step, as captured, after memopt-pipeline, and under budgets of
rematerialization:
  - its kernels, inlined again, compute the same bits;
  - bufferization leaves the copies listed in FIGURES, and no other;
  - the arena is as large as the packer's lower bound, the most bytes alive at once,
    which is what the planner simulated (both checked within their tolerances, and the
    equal ones counted);
  - memopt-verify-memory finds no byte that is overwritten while it is needed, and does
    find one where two buffers are made to overlap.

By default the small steps; --all adds the real sizes, all budgets and all bits."""
import re

from _suite import ALL, BUILD, INPUTS, Suite, command
import compare_results
import run_step

MEM_OPT = BUILD / "bin" / "mem-opt"
TO_ARENA = "memopt-to-arena-pipeline"
# A pipeline that goes on keeps its fences.
PIPELINES = {"captured": "", "exact": "memopt-pipeline{fence=keep},",
             "budget": "memopt-pipeline{fence=keep saved-budget=0.5},"}
if ALL:
    PIPELINES["approximate"] = "memopt-pipeline{fence=keep approximate=true},"
# Kernels, copies and bytes of the arena of each step as captured. The copies of
# vit_full_drop are the 8 bytes of its seed.
FIGURES = {
    "gemma_full.rawgelu": (152, 0, 458816),
    "gpt2_full": (95, 0, 617408),
    "gpt2_lora": (74, 0, 445248),
    "llama_full": (144, 0, 541504),
    "llama_full_bf16": (144, 0, 304320),
    "llama_full_sdpa": (144, 0, 541504),
    "llama_lora": (133, 0, 333248),
    "roberta_full": (121, 0, 479872),
    "roberta_lora": (96, 0, 217856),
    "vit_full": (104, 0, 563840),
    "vit_full_core": (106, 0, 563840),
    "vit_full_drop": (119, 7, 563840),
    "vit_lora": (84, 0, 224320),
    "gpt": (98, 0, 651008),
    "llama": (98, 0, 595904),
    "clip_vision": (111, 0, 144000),
    "deit": (101, 0, 145664),
    "flax_decoder": (165, 0, 210048),
    "gpt_neox": (142, 0, 115776),
    "mixer": (65, 0, 248064),
    "modernbert": (131, 0, 128640),
    "qwen3": (164, 0, 158784),
    "gpt2_full_b8_t1024": (445, 0, 17045283648),
    "llama_lora_bf16_b1_t2048": (2022, 0, 36347347008),
    "llama_lora_bf16_b1_t512": (2022, 0, 4254998592),
    "roberta_full_b32_t128": (531, 0, 2784054464),
    "vit_full_b64": (514, 0, 9066317824),
    "vit_lora_b64": (474, 0, 6206666304),
    "llama_lora_bf16_l128": (8070, 0, 143863611456),
    "llama_lora_bf16_l32": (2022, 0, 36347347008),
    "llama_lora_bf16_l8": (510, 0, 9468280896),
}
# Where bits are compared by default: the others take long to compile twice.
BITS = ("vit_full", "gpt")
# Where a ladder of peak budgets is planned by default.
LADDER = ("vit_full", "llama_lora", "gpt")


def optimize(path, pipeline):
    """(exit code, output, errors) of mem-opt on a packed step."""
    return command([MEM_OPT, "-", f"--pass-pipeline=builtin.module({pipeline})"],
                   input=run_step.read(path))


def figure(text, name):
    return int(re.search(rf"\b{name} = (\d+)", text)[1])


def count_copies(text):
    """memref.copy, and kernels that only move what they read to where it is returned."""
    copies = text.count("memref.copy")
    for body in re.findall(r"memopt\.kernel movement[^\n]*\n(.*?)\n    \}", text, re.S):
        ops = set(re.findall(r"(?:= |^ *)([a-z_]+\.[a-z_]+)", body, re.M))
        copies += ops <= {"tensor.empty", "tensor.collapse_shape", "tensor.expand_shape",
                          "tensor.extract_slice", "linalg.generic", "linalg.transpose",
                          "linalg.broadcast", "linalg.yield", "arith.constant", "memopt.yield"}
    return copies


class Heights:
    """How many arenas are as large as their bounds."""
    def __init__(self, suite):
        self.suite, self.count, self.equal = suite, 0, 0

    def check(self, label, text):
        arena, bound = figure(text, "arena_bytes"), figure(text, "arena_lower_bound")
        simulated = figure(text, "peak_bytes")
        self.count += 1
        self.equal += arena == bound
        self.suite.check(f"{label}: the arena is at most 1.02 of its lower bound",
                         arena <= 1.02 * bound, f"{arena} over {bound}")
        # Globals lie beside the arena, and the simulation counts what is loaded of them.
        slack = 64 * text.count("memref.get_global")
        self.suite.check(f"{label}: the lower bound is the simulated peak",
                         bound <= simulated <= bound + slack, f"{bound}, not {simulated}")

    def close(self):
        self.suite.check("nine in ten arenas are as large as their bound",
                         self.equal >= 0.9 * self.count, f"{self.equal} of {self.count}")
        print(f"{self.equal} of {self.count} arenas are as large as their lower bound")


def check_step(suite, heights, name, path):
    for stage, pipeline in PIPELINES.items():
        code, text, error = optimize(path, pipeline + TO_ARENA)
        label = f"{name} {stage}"
        if not suite.check(label, code == 0, error[:500]):
            continue
        heights.check(label, text)
        figures = (text.count("memopt.kernel "), count_copies(text), figure(text, "arena_bytes"))
        if stage == "captured":
            if name in FIGURES:
                suite.check(f"{label}: kernels, copies, arena", figures == FIGURES[name],
                            f"{figures}, not {FIGURES[name]}")
            else:
                print(f'    "{name}": {figures},')
        else:
            suite.check(f"{label}: no more copies than as captured",
                        name not in FIGURES or figures[1] <= FIGURES[name][1], f"{figures[1]}")


def check_ladder(suite, heights, name, path, steps):
    """Peak budgets from the smallest feasible one to what the step needs anyway."""
    plan = "memopt-pipeline{fence=keep %s},"
    code, _, error = optimize(path, plan % "peak-budget=0" + TO_ARENA)
    least = re.search(r"smallest feasible budget: (\d+) bytes", error)
    code, text, _ = optimize(path, plan % "max-overhead=0%" + TO_ARENA)
    if not suite.check(f"{name} has a ladder", least and code == 0, error[:300]):
        return
    least, most = int(least[1]), figure(text, "peak_bytes_before")
    for i in range(steps):
        budget = least + (most - least) * i // max(1, steps - 1)
        label = f"{name} peak-budget={budget}"
        code, text, error = optimize(path, plan % f"peak-budget={budget}" + TO_ARENA)
        if suite.check(label, code == 0, error[:500]):
            heights.check(label, text)
            suite.check(f"{label} holds in the arena", figure(text, "arena_bytes") <= budget)


def check_bits(suite, name, path, pipeline):
    """Kernels and back, against the same pipeline without kernels."""
    def compile(*passes):
        return run_step.compile_step(run_step.optimize(path, ",".join(passes), BUILD), build=BUILD)

    lower = pipeline.rstrip(",") or "memopt-inline-calls,memopt-to-linalg{fence=keep}"
    try:
        plain = compile(lower, "memopt-to-linalg{fence=none}")
        formed = compile(lower, "memopt-form-kernels", "memopt-verify-plan{remove=true}",
                         "memopt-inline-kernels")
        arguments = run_step.arguments_of(run_step.random_arguments(plain), plain)
        pairs = zip(run_step.run(plain, arguments), run_step.run(formed, arguments))
        differ = [i for i, (a, b) in enumerate(pairs) if not compare_results.same_bits(a, b)]
    except run_step.StepError as error:
        suite.check(f"{name} runs", False, str(error))
        return
    suite.check(f"{name}: kernels keep all bits", not differ, f"results {differ}")


def check_overlap(suite, path):
    """Each buffer in turn is moved to the first one's place. That is right where the
    two are never needed at once; the verifier may say so of a few, not of most."""
    _, text, _ = optimize(path, TO_ARENA)
    places = list(re.finditer(r"= arith\.constant (\d+) : index\n( *%\S+ = memref\.view)", text))
    found = 0
    for place in places[1:]:
        moved = text[:place.start(1)] + places[0][1] + text[place.end(1):]
        code, _, error = command([MEM_OPT, "-", "--memopt-verify-memory"], input=moved)
        found += code == 1 and "memopt-verify-memory" in error
    suite.check("most overlaps matter and are found", found > 0.5 * len(places),
                f"{found} of {len(places)}")


def main():
    suite = Suite()
    heights = Heights(suite)
    folders = ["corpus/tiny", "corpus/jax", "captured"] + ALL * ["corpus/real", "layers"]
    for folder in folders:
        for path in sorted((INPUTS / folder).glob("*.mlir.zst")):
            name = path.name.removesuffix(".mlir.zst")
            check_step(suite, heights, name, path)
            large = folder in ("corpus/real", "layers")
            if name in LADDER or (ALL and folder != "layers"):
                check_ladder(suite, heights, name, path, 20 if ALL else 3)
            if name in BITS or (ALL and not large):
                for pipeline in PIPELINES.values() if ALL else [PIPELINES["budget"]]:
                    check_bits(suite, f"{name} {pipeline}", path, pipeline)
    check_overlap(suite, INPUTS / "captured" / "mixer.mlir.zst")
    heights.close()
    suite.close()


if __name__ == "__main__":
    main()
