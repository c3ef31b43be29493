#!/usr/bin/env python3
"""The simulator beside a card, as Markdown:

    compare.py labs MEASURED.json SIMULATED.json …      reports of the labs, a card's and then the simulator's of the same command
    compare.py kernels MEASURED.json SIMULATED.json     two files that `model measure` wrote
"""

import json, math, statistics, sys

# Times of a card that are this close say nothing about their order; nor do those within two standard errors of their medians.
NOISE = 0.03
# Rows that no kernel of the project stands behind.
YARDSTICKS = ("cublas", "memcpy")

def read(path):
    with open(path) as file:
        return json.load(file)


def kendall(pairs, noise):
    """Kendall's τ over the pairs (measured, model) whose measured times differ by more than `noise`."""
    judged = [(a, b) for i, a in enumerate(pairs) for b in pairs[i + 1 :] if abs(a[0] - b[0]) > noise(a, b)]
    same = [(a[0] - b[0]) * (a[1] - b[1]) for a, b in judged]
    return (sum(x > 0 for x in same) - sum(x < 0 for x in same)) / max(len(judged), 1)


def labs(*files):
    table = ["| lab | row | size | block | measured µs | model µs | error |", "|---|---|---|---|---:|---:|---:|"]
    print("| lab | size | rungs | τ | τ beyond noise | median error |\n|---|---|---:|---:|---:|---:|")
    for measured, simulated in zip(map(read, files[::2]), map(read, files[1::2])):
        key = lambda row: [row.get(k) for k in ("variant", "size", "block", "dtype", "host_memory", "cache", "workload")]
        pairs = []
        for row in measured["rows"]:
            other = next((other for other in simulated["rows"] if key(other) == key(row)), None)
            if other and row.get("time_ms") and other.get("time_ms") and row["variant"] not in YARDSTICKS:
                time = row["time_ms"]
                # The standard error of a normal distribution's median.
                uncertain = 1.2533 * time.get("stddev", 0) * 1e3 / math.sqrt(max(time.get("runs", 1), 1))
                pairs.append((time["median"] * 1e3, other["time_ms"]["median"] * 1e3, uncertain, row))
        pairs.sort(key=lambda pair: int(pair[3]["size"]) if str(pair[3]["size"]).isdigit() else math.inf)
        error = lambda some: statistics.median(abs(pair[1] / pair[0] - 1) for pair in some) * 100
        noise = lambda a, b: max(NOISE * min(a[0], b[0]), 2 * math.hypot(a[2], b[2]))
        for size in dict.fromkeys(pair[3]["size"] for pair in pairs):
            some = [pair for pair in pairs if pair[3]["size"] == size]
            plain, judged = kendall(some, lambda a, b: 0), kendall(some, noise)
            print(f"| {measured['lab']} | {size} | {len(some)} | {plain:.2f} | {judged:.2f} | {error(some):.0f} % |")
        print(f"| {measured['lab']} | all | {len(pairs)} | | | **{error(pairs):.0f} %** |")
        for card, model, _, row in pairs:
            names = f"{measured['lab']} | {row['variant']} | {row['size']} | {row['block']}"
            table.append(f"| {names} | {card:.2f} | {model:.2f} | {(model / card - 1) * 100:+.0f} % |")
    print("", *table, sep="\n")


def kernels(measured, simulated):
    measured, simulated = read(measured), read(simulated)
    others = {row["row"]: row for row in simulated["rows"]}
    pairs = []
    print("| row | measured µs | model µs | error | bound by |\n|---|---:|---:|---:|---|")
    for row in measured["rows"]:
        other = others.get(row["row"], {})
        if row.get("us") is not None and other.get("us") is not None:
            card, model = row["us"], other["us"]
            print(f"| {row['row']} | {card:.2f} | {model:.2f} | {(model / card - 1) * 100:+.0f} % | {other.get('bound_by') or ''} |")
            pairs.append((card, model))
    errors = sorted(abs(model / card - 1) * 100 for card, model in pairs)
    near = sum(error <= 25 for error in errors)
    print(
        f"\n{measured.get('file')} on {measured.get('device')}, {len(pairs)} rows of {len(measured['rows'])}: median |error| "
        f"{statistics.median(errors):.1f} %, 90th percentile {errors[int(len(errors) * 0.9)]:.0f} %, worst {errors[-1]:.0f} %, within 25 %: {near}, "
        f"τ {kendall(pairs, lambda a, b: 0):.2f}, τ beyond 3 % {kendall(pairs, lambda a, b: NOISE * min(a[0], b[0])):.2f}"
    )


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["labs", *files] if files and len(files) % 2 == 0:
            labs(*files)
        case ["kernels", measured, simulated]:
            kernels(measured, simulated)
        case _:
            sys.exit(print(__doc__, file=sys.stderr) or 2)
