"""Recall and false alarms of `sim --sanitize` on suites of labelled programs.

`python3 docs/measurements/scorecard.py hirace=FOLDER scor=FOLDER …` runs every program below each folder and prints what `scorecard.md` has.
A folder has the suite's programs as its own build makes them, with PTX for the card and each named as its source; nothing is fetched or built
here. `--sim PATH`, `--card NAME`, `--schedules N` (a program in which nothing is found runs N times more, in other orders), `--seconds S` a run."""
import argparse, collections, json, os, pathlib, resource, subprocess, sys, tempfile

FAULTY, CLEAN, DISPUTED = "faulty", "clean", "disputed"


def hirace(program):
    """Names tell: `boundsBug` leaves an array. `guardBug` alone is a plain look at a maximum before its atomic, which `races.md` permits."""
    bugs = {bug for bug in ("atomicBug", "syncBug", "raceBug") if bug in program.name}
    if bugs:
        return "races", FAULTY
    if "guardBug" in program.name:
        return "guards without an atomic", DISPUTED
    return ("out of bounds by data", DISPUTED) if "boundsBug" in program.name else ("without a fault", CLEAN)


def scor(program):
    """`race_…` and `norace_…`; the larger programs are built twice, the racy one into a folder `racey`."""
    if program.name.startswith(("race_", "norace_")):
        return "small", CLEAN if program.name.startswith("norace") else FAULTY
    return "programs", FAULTY if "racey" in program.parts else CLEAN


def esbmc(program):
    """The third line of `test.desc` says whether its verification fails; some fail for all data, or by an assertion of the host, alone."""
    expected = (program.parent / "test.desc").read_text(errors="replace")
    return program.parent.parent.name, FAULTY if "^VERIFICATION FAILED" in expected else CLEAN


def samples(program):
    return "samples", CLEAN


def museum(checkout):
    """The museum's own test: an exhibit passes if its fault is told in its own words, a look-alike if nothing is said."""
    run = subprocess.run(["cargo", "test", "-p", "simulator", "--test", "museum"], cwd=checkout, capture_output=True, text=True)
    for line in run.stdout.splitlines():
        if (words := line.split())[:1] == ["test"] and "/" in line:
            is_clean = words[1].startswith("clean")
            label = ("look-alikes", CLEAN) if is_clean else ("exhibits", FAULTY)
            yield words[1], label, "silent" if is_clean == (words[-1] == "ok") else "found"


# The label of a program, and where it takes arguments those of a run, `{}` being each file of the suite's by that pattern.
SUITES = {"hirace": (hirace, "*.egr", "{} 256 1024"), "scor": (scor,), "esbmc": (esbmc,), "samples": (samples,)}


def is_program(path):
    if not path.is_file() or not os.access(path, os.X_OK):
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF" and not path.name.startswith("lib")


def programs(suite, folder, options):
    """Each program of a suite with its label, and what is told of it."""
    if suite == "museum":
        yield from ((name, label, verdict, "") for name, label, verdict in museum(folder))
        return
    label, *arguments = SUITES[suite]
    for path in sorted(filter(is_program, folder.rglob("*"))):
        files = sorted(folder.rglob(arguments[0])) if arguments else [None]
        commands = [[str(path), *(arguments[1].format(file).split() if file else [])] for file in files]
        name = f"{path.parent.name}/{path.name}" if suite == "esbmc" else path.name
        yield name, label(path), *judge(commands, folder, options)


def answer(command, folder, options):
    """One run: `found`, `failed` (the program's own check), `not run` or `silent`, and a word on it. A file `PROGRAM.in` is its standard input."""
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch, "report.json")
        line = [options.sim, "--sanitize", "--card", options.card, "--json", str(report)]
        line += ["--schedules", str(options.schedules)] if options.schedules else []
        given = pathlib.Path(command[0] + ".in")
        try:
            run = subprocess.run([*line, "--", *command], cwd=folder, input=given.read_text() if given.exists() else "", text=True,
                                 errors="replace", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=options.seconds)
        except subprocess.TimeoutExpired:
            return "not run", f"longer than {options.seconds} s"
        if not report.exists():
            return "not run", (run.stderr.strip().splitlines() or ["no report"])[-1]
        told = json.loads(report.read_text())
    changed = (told.get("schedules") or {}).get("changed") or {}
    findings = (told.get("findings") or []) + (changed.get("findings") or [])
    faults = told.get("faults") or []
    if findings:
        return "found", (findings[0] if isinstance(findings[0], str) else findings[0]["kind"]).splitlines()[0]
    if faults or changed:
        return "found", (faults or ["another order ends otherwise"])[0].splitlines()[0]
    if told["refused"]:
        return "not run", told["refused"][0].splitlines()[0]
    own = told["exit_code"]
    return ("failed", "a signal ended it" if own is None else f"ended with {own}") if own != 0 else ("silent", "")


def judge(runs_of_one, folder, options):
    """The strongest answer of a program's runs, the first that finds ends them."""
    order = ["found", "failed", "not run", "silent"]
    best = ("silent", "")
    for command in runs_of_one:
        best = min(best, answer(command, folder, options), key=lambda one: order.index(one[0]))
        if best[0] == "found":
            break
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="+", metavar="SUITE=FOLDER", help=f"one of {', '.join(SUITES)}; museum=CHECKOUT")
    parser.add_argument("--sim", default="sim")
    parser.add_argument("--card", default="rtx4060")
    parser.add_argument("--schedules", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args()
    if os.sep in options.sim:
        options.sim = os.path.abspath(options.sim)
    rows, told = [], []
    for suite, folder in (text.split("=", 1) for text in options.suites):
        if suite not in [*SUITES, "museum"]:
            sys.exit(f"{suite} is no suite: {', '.join(SUITES)}, museum")
        counts, seconds, before = collections.defaultdict(collections.Counter), collections.Counter(), used()
        for name, label, verdict, word in programs(suite, pathlib.Path(folder).resolve(), options):
            counts[label][verdict] += 1
            seconds[label] += used() - before
            before = used()
            if verdict == "not run" or (label[1], verdict) in [(FAULTY, "silent"), (CLEAN, "found"), (CLEAN, "failed")]:
                told.append(f"{suite}: {name}, {label[1]}: {verdict}{', ' + word if word else ''}")
                print(told[-1], file=sys.stderr, flush=True)
        if not counts:
            sys.exit(f"{folder} has no programs of {suite}: build them there first")
        for (kind, truth), of in sorted(counts.items()):
            cells = [suite, kind, truth, sum(of.values()), of["found"], of["failed"], of["silent"], of["not run"]]
            rows.append(f"| {' | '.join(map(str, cells))} | {seconds[kind, truth]:.0f} s |")
    print("| suite | programs | label | number | found | failed by themselves | nothing told | not run | processor time |")
    print("|---|---|---|---:|---:|---:|---:|---:|---:|", *rows, "", *told, sep="\n")


def used():
    """Seconds of processor time of all that was started."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
