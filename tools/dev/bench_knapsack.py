"""`./dev bench knapsack`: our solvers beside PyTorch's and OR-tools', one run.

Needs the instances of ../shared/knapsack. The peers come from PyPI into a virtual
environment of the bench's own, build/bench-venv; without it their columns are
left out, and the page says so. `--no-peers` leaves them out on purpose.
"""
import json
import os
import pathlib
import platform
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SHARED = ROOT.parent / "shared" / "knapsack"
SIZES = (20, 50, 100, 200, 500, 1000, 2000)
PACKAGES = ["torch", "ortools", "matplotlib", "numpy"]
PEERS = ["torch-dp", "torch-hirschberg", "ortools-bb", "ortools-cpsat"]
PEER_SECONDS = 20
# A table of PyTorch's dp_knapsack has n (columns + 1) floats; more is left out.
DP_BYTES = 6 << 30
# family: (pattern, seconds, bytes) that the library promises at most
PROMISED = {
    "U2000": (r"U2000", 1e-3, 128 << 10),
    "T2000": (r"T2000g?", 1e-3, 128 << 10),
    "O2000": (r"O2000", 1e-3, 128 << 10),
    "M2000": (r"M2000", 10e-3, 256 << 10),
    "P": (r"P_.*", 1.0, 16 << 20),
    "MM": (r"MM.*", 0.5, 16 << 20),
    "OO": (r"OO.*", 0.5, 16 << 20),
    "OF": (r"OF.*", 2.0, 128 << 20),
}


def amount(size):
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.3g} {unit}" if size < 100 else f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.3g} GiB"


def duration(seconds):
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def read_optima():
    rows = (line.split("\t") for line in (SHARED / "optima.tsv").read_text().splitlines()[1:])
    return {name: int(value) for name, value in rows}


class Ours:
    """mem-knapsack, and how far its resident set grew."""

    def __init__(self, build):
        self.tool = build / "bin" / "mem-knapsack"

    def solve(self, files, *options):
        out = subprocess.run([self.tool, *options, *files], check=True, capture_output=True,
                             text=True).stdout
        return {a["instance"]: a for a in map(json.loads, out.splitlines())}

    def with_resident(self, file, *options):
        """The answer, and the peak of the resident set in bytes: while the tool
        waits for a second problem on standard input, its status is read."""
        process = subprocess.Popen([self.tool, *options, file, "-"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        answer = json.loads(process.stdout.readline())
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        process.communicate("0 0\n")
        return answer, int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024


def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return (f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores, load "
            f"{os.getloadavg()[0]:.1f} at the start")


def verdict(ok):
    return "yes" if ok else "**no**"


def promised_table(answers, optima):
    """Each family's slowest and largest instance against what is promised."""
    rows = []
    for family, (pattern, seconds, size) in PROMISED.items():
        mine = [a for name, a in answers.items() if re.fullmatch(pattern, name)]
        exact = all(a["optimal"] and a["value"] == optima[a["instance"]] for a in mine)
        slow, large = (max(mine, key=lambda a: a[k]) for k in ("seconds", "peak_bytes"))
        kept = slow["seconds"] <= seconds and large["peak_bytes"] <= size
        rows.append([family, len(mine), verdict(exact),
                     f"{duration(slow['seconds'])} ({slow['instance']})", duration(seconds),
                     f"{amount(large['peak_bytes'])} ({large['instance']})", amount(size),
                     verdict(kept)])
    return table(["family", "instances", "all optimal", "slowest", "promised", "largest peak",
                  "promised", "kept"], rows)


def each_table(answers, pattern):
    rows = [[a["instance"], a["n"], duration(a["seconds"]), duration(a["cold_seconds"]),
             amount(a["peak_bytes"])]
            for name, a in sorted(answers.items()) if re.fullmatch(pattern, name)]
    return table(["instance", "n", "best of 7", "first", "peak"], rows)


def rows_table(ours, folder):
    """Hirschberg's rows: the promised instances, and n at one capacity."""
    rows = []
    files = [(SHARED / "instances" / "U2000.txt", 0.5, 12e6),
             (SHARED / "instances" / "T2000.txt", 5, 40e6)]
    chance = random.Random("rows")
    for n in (250, 500, 1000, 2000):
        path = folder / f"uniform{n}.txt"
        items = [(chance.randint(1, 4000), chance.randint(1, 4000)) for _ in range(n)]
        path.write_text(f"{n} 200000\n" + "".join(f"{v} {w}\n" for v, w in items))
        files.append((path, None, None))
    for path, seconds, size in files:
        answer, resident = ours.with_resident(path, "--solver=hirschberg", "--repeat=3")
        limit = "" if seconds is None else f"{duration(seconds)}, {size / 1e6:.0f} MB"
        kept = "" if seconds is None else verdict(answer["seconds"] <= seconds
                                                  and resident <= size)
        rows.append([answer["instance"], answer["capacity"], duration(answer["seconds"]),
                     amount(answer["peak_bytes"]), f"{resident / 1e6:.1f} MB", limit, kept])
    return table(["instance", "capacity", "time", "counted peak", "whole process", "promised",
                  "kept"], rows)


def large_table(ours, folder):
    """100,000 items of the T family, by repeating T2000."""
    head, *lines = (SHARED / "instances" / "T2000.txt").read_text().splitlines()
    n, capacity = map(int, head.split())
    path = folder / "T100000.txt"
    path.write_text(f"{50 * n} {50 * capacity}\n" + "\n".join(lines * 50) + "\n")
    answer, resident = ours.with_resident(path, "--repeat=3")
    kept = answer["optimal"] and answer["seconds"] <= 1 and answer["peak_bytes"] <= 64 << 20
    return table(["instance", "n", "first", "best of 3", "counted peak", "promised", "kept"],
                 [["T2000 fifty times", answer["n"], duration(answer["cold_seconds"]),
                   duration(answer["seconds"]), amount(answer["peak_bytes"]),
                   "1 s, 64 MiB", verdict(kept)]])


def resident_table(ours):
    """Counted bytes beside the growth of the resident set."""
    _, small = ours.with_resident(SHARED / "instances" / "U20.txt")
    rows = []
    for name, solver in (("T2000", "hirschberg"), ("P_inv_10000_1", "hirschberg"),
                         ("T2000", "table"), ("MM300_4", "list")):
        answer, resident = ours.with_resident(SHARED / "instances" / f"{name}.txt",
                                              f"--solver={solver}")
        rows.append([name, solver, amount(answer["peak_bytes"]), amount(resident - small)])
    return table(["instance", "solver", "counted peak", "growth of the resident set"], rows)


def make_environment(build):
    """The Python with the peers, or None and why not."""
    venv = build / "bench-venv"
    python = venv / "bin" / "python"
    probe = "import torch, ortools, matplotlib; print(torch.__version__, ortools.__version__)"
    if subprocess.run([python, "-c", probe], capture_output=True).returncode if python.exists() \
            else True:
        print("   making build/bench-venv (torch is large)", flush=True)
        made = subprocess.run([sys.executable, "-m", "venv", venv], capture_output=True)
        if made.returncode or subprocess.run([python, "-m", "pip", "install", "-q",
                                              *PACKAGES]).returncode:
            return None, "the virtual environment could not be made"
    out = subprocess.run([python, "-c", probe], capture_output=True, text=True)
    return (python, out.stdout.split()) if out.returncode == 0 else (None, out.stderr)


def peer_files(peer):
    for family in "UTMO":
        for n in SIZES:
            path = SHARED / "instances" / f"{family}{n}.txt"
            items, capacity = map(int, path.read_text().split(maxsplit=2)[:2])
            columns = capacity if capacity <= 3_000_000 else 10_000
            if peer == "torch-dp" and items * columns * 4 > DP_BYTES:
                continue
            yield path
    if peer == "torch-hirschberg":
        yield SHARED / "instances" / "T2000g.txt"


def run_peers(python):
    results = {}
    for peer in PEERS:
        print(f"   {peer}", flush=True)
        out = subprocess.run([python, HERE / "knapsack_peers.py", peer, str(PEER_SECONDS),
                              *peer_files(peer)], capture_output=True, text=True)
        lines = [json.loads(line) for line in out.stdout.splitlines() if line.startswith("{")]
        results[peer] = {a["instance"]: a for a in lines}
    return results


def peer_cell(answer, optimum, ours):
    if answer is None:
        return "not run"
    ratio = answer["seconds"] / ours["seconds"]
    text = (f"{duration(answer['seconds'])} ({ratio:,.0f}x), "
            f"+{amount(max(answer['growth_bytes'], 0))}")
    if not answer["value"]:
        return f"{text}, no answer"
    over = answer["weight"] - answer["capacity"]
    if over > 0:
        return f"{text}, **{amount(over) if over > 4096 else over} over the capacity**"
    if answer["value"] < optimum:
        below = (optimum - answer["value"]) / optimum
        return f"{text}, {100 * below:.2g} % below the optimum"
    return text if answer["claimed"] else f"{text}, optimal but not proved"


def peer_table(results, answers, optima):
    rows = []
    for name in ("U2000", "T2000", "T2000g", "M2000", "O2000"):
        ours = answers[name]
        rows.append([name, f"{duration(ours['seconds'])}, {amount(ours['peak_bytes'])}"]
                    + [peer_cell(results[p].get(name), optima[name], ours) for p in PEERS])
    return table(["n = 2000", "mem-knapsack"] + PEERS, rows)


def plot(python, results, answers):
    """docs/img/knapsack.svg from the data of this run."""
    data = {"sizes": SIZES, "families": "UTMO", "series": {}}
    series = {"mem-knapsack": {name: (a["seconds"], a["peak_bytes"])
                               for name, a in answers.items()}}
    for peer, lines in results.items():
        series[peer] = {name: (a["seconds"], a["growth_bytes"]) for name, a in lines.items()}
    data["series"] = series
    image = ROOT / "docs" / "img" / "knapsack.svg"
    image.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([python, HERE / "knapsack_plot.py", image], input=json.dumps(data), text=True,
                   check=True)


def peers_section(build, arguments, answers, optima):
    if "--no-peers" in arguments:
        return "The peers were left out of this run."
    python, found = make_environment(build)
    if python is None:
        print(f"   SKIP peers: {found}", flush=True)
        return f"The peers were skipped: {found}."
    results = run_peers(python)
    plot(python, results, answers)
    return f"""PyTorch {found[0]} and OR-tools {found[1]}, one thread, at most {PEER_SECONDS} s each for the
OR-tools solvers; behind each time its ratio to ours and the growth of the resident set. U and
T2000g go to PyTorch with whole weights, the others as shares of the total, which it rounds to
1e-4. Answers that exceed the capacity are not answers to the problem. `torch-dp` is not run where
its table would pass {amount(DP_BYTES)}.

{peer_table(results, answers, optima)}

![Time and memory against n](img/knapsack.svg)"""


def run(build, arguments):
    if not SHARED.is_dir():
        return "## knapsack\n\nSkipped: the instances of ../shared/knapsack are not there."
    ours, optima = Ours(build), read_optima()
    files = sorted((SHARED / "instances").glob("*.txt"))
    where = machine()
    answers = ours.solve(files, "--repeat=7")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        rows, large = rows_table(ours, folder), large_table(ours, folder)
    return f"""## knapsack

Measured on {where}. Times are of one thread, the best of 7 in one process; peaks are the bytes that
the solver counted.

### The default solver against what it promises

{promised_table(answers, optima)}

Each of the mixed towers (MM), of the near-equal ones (OF) and of the ragged ones (OO):

{each_table(answers, "(MM|OF|OO).*")}

{large}

### Rows with Hirschberg's divide and conquer

The last four share one capacity: the rows do not grow with n.

{rows}

### Counted bytes and the resident set

Rows are counted whole; columns that no choice of the first half reaches are never touched.

{resident_table(ours)}

### Beside the peers

{peers_section(build, arguments, answers, optima)}
"""
