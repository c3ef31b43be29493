"""The forms of instructions that an assembler takes: words x types x registers, family by family, of which all products are asked for.

`python3 docs/measurements/forms.py PTXAS` writes simulator/ptx/src/isa/forms.txt (which opcodes it takes for one of its targets) and
simulator/tests/forms/answers.ptx.z (single instructions, taken and refused, for a test). Some minutes; no GPU."""
import itertools, pathlib, random, re, subprocess, sys, tempfile, zlib

INT, BITS = "u16 u32 u64 s16 s32 s64", "b16 b32 b64"
FLOAT, BYTES = "f16 f16x2 bf16 bf16x2 f32 f64 f32x2", "b8 u8 s8"
ALL = f"{INT} u16x2 s16x2 {BITS} {FLOAT} {BYTES} pred b128"
SMALL = "tf32 e4m3x2 e5m2x2 e2m1x2 e2m3x2 e3m2x2 ue8m0x2"
TARGETS = ["5.0 sm_50", "6.3 sm_70", "7.8 sm_80", "9.0 sm_90a", "9.0 sm_100a", "9.0 sm_120a"]
# Registers by the type that they are declared with.
KINDS = dict(p="pred", bb="b8", hb="b16", hu="u16", hs="s16", hf="f16", rb="b32", ru="u32", rs="s32", rf="f32", rh="f16x2", db="b64", du="u64",
             ds="s64", df="f64", qb="b128")
HOME = {ty: kind for kind, ty in KINDS.items()} | dict(bf16="hb", bf16x2="rb", f32x2="db", u16x2="rb", s16x2="rb", b8="hb", u8="hu",
                                                       s8="hs", tf32="rb", e2m1x2="bb")
WIDE = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
ROUND, FTZ, SAT = "- rn rz rm rp", "- ftz", "- sat"
SPACE = "- global shared local const param shared::cta shared::cluster"
# Names; groups of words, one of each (`-`: none); lists of types; operands: T, U types of the opcode, W the wide one, V a vector of T.
FAMILIES = [
    ("add sub", [ROUND, FTZ, SAT, "- cc"], [ALL], "T T T"), ("add sub", [ROUND, FTZ, SAT], ["f32", "f16 bf16"], "T U T"),
    ("addc subc", ["- cc", SAT], [ALL], "T T T"), ("mul", [ROUND + " lo hi wide", FTZ, SAT], [ALL], "W T T"),
    ("mad", [ROUND + " lo hi wide", FTZ, SAT, "- cc"], [ALL], "W T T W"), ("madc", ["- lo hi wide", "- cc", SAT], [ALL], "W T T W"),
    ("fma", [ROUND, FTZ, SAT, "- relu", "- oob"], [ALL], "T T T T"), ("fma", [ROUND, FTZ, SAT], ["f32", "f16 bf16"], "T U U T"),
    ("mul24", ["- lo hi"], [ALL], "T T T"), ("mad24", ["- lo hi", SAT], [ALL], "T T T T"), ("sad", [SAT], [ALL], "T T T T"),
    ("div", [ROUND + " approx full", FTZ, SAT], [ALL], "T T T"), ("rem", [SAT], [ALL], "T T T"), ("abs neg", [FTZ, SAT], [ALL], "T T"),
    ("min max", [FTZ, "- NaN", "- xorsign", "- abs", "- relu"], [ALL], "T T T|T T T T"),
    ("popc clz bfind", ["- shiftamt"], [ALL], "u32 T"), ("brev not cnot", [], [ALL], "T T"), ("and or xor", [], [ALL], "T T T"),
    ("shl shr", [], [ALL], "T T u32"), ("shf", ["- l r", "- clamp wrap"], [ALL], "T T T u32"), ("lop3", [], [ALL], "T T T T 1"),
    ("prmt", ["- f4e b4e rc8 ecl ecr rc16"], [ALL], "T T T u32"), ("bfe", [], [ALL], "T T u32 u32"), ("bfi", [], [ALL], "T T T u32 u32"),
    ("bmsk", ["- clamp wrap"], [ALL], "T u32 u32"), ("szext", ["- clamp wrap"], [ALL], "T T u32"), ("fns", [], [ALL], "T b32 u32 s32"),
    ("dp4a", [], ["u32 s32 b32"] * 2, "s32 b32 b32 s32"), ("dp4a", [], ["u32 s32 b32"], "s32 b32 b32 s32"),
    ("dp2a", ["- lo hi"], ["u32 s32 b32"] * 2, "s32 b32 b32 s32"), ("copysign", [FTZ], [ALL], "T T T"),
    ("rcp sqrt rsqrt sin cos lg2 ex2 tanh", [ROUND + " approx", FTZ, SAT], [FLOAT], "T T"),
    ("testp", ["- finite infinite number notanumber normal subnormal"], [ALL], "pred T"),
    ("setp", ["- eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan", FTZ, "- and or xor"], [ALL], "pred T T|pred T T pred"),
    ("set", ["- eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan", FTZ, "- and or xor"], [ALL, ALL], "T U U|T U U pred"),
    ("selp", [], [ALL], "T T T pred"), ("slct", [FTZ], [ALL, "s32 f32 u32"], "T T T U"), ("mov", [FTZ, SAT], [ALL], "T T"),
    ("cvt", ["- rn rz rm rp rni rzi rmi rpi rna rs", FTZ, SAT, "- satfinite", "- relu"], [f"{ALL} {SMALL}"] * 2,
     "T U|T U U|T U U b32|T U b32"),
    ("shfl", ["- sync", "up down bfly idx"], [ALL], "T T u32 u32|T T u32 u32 b32"), ("redux", ["- sync", "add min max and or xor", "- abs", "- NaN"], [ALL], "T T b32"),
    ("vote", ["- sync", "all any uni ballot"], [ALL], "T pred|T pred b32"), ("match", ["any all", "- sync"], [ALL], "b32 T b32"),
    ("ld", ["- weak relaxed acquire volatile release", "- cta cluster gpu sys", "- mmio", SPACE, "- ca cg cs lu cv nc", "- v2 v4 v8"], [ALL],
     "V [db1]"),
    ("st", ["- weak relaxed release volatile acquire", "- cta cluster gpu sys", "- mmio", SPACE, "- wb cg cs wt ca", "- v2 v4 v8"], [ALL],
     "[db1] V"),
    ("atom", ["- relaxed acquire release acq_rel", "- cta cluster gpu sys", "- global shared shared::cta shared::cluster",
              "and or xor cas exch add inc dec min max sub", "- noftz", "- v2 v4 v8"], [f"{INT} {BITS} {FLOAT} b128"], "V [db1] V|V [db1] V V"),
    ("red", ["- relaxed acquire release acq_rel", "- cta cluster gpu sys", "- global shared shared::cta shared::cluster",
             "and or xor cas exch add inc dec min max sub", "- noftz", "- v2 v4 v8"], [f"{INT} {BITS} {FLOAT} b128"], "[db1] V"),
    ("cvta", ["- to", SPACE], ["u32 u64 s64 b64"], "T T"), ("isspacep", [SPACE], [], "pred u64"),
    ("fence", ["- sc acq_rel acquire release relaxed", "- cta cluster gpu sys"], [], ""), ("membar", ["- cta gl sys gpu"], [], ""),
]


def alternatives(group):
    return [word.strip("-") for word in group.split(" ")]


def forms():
    """The forms: name, words (one of each group), types, and the operands of a text that may be right."""
    for names, groups, types, shapes in FAMILIES:
        for name, words, of in itertools.product(names.split(), itertools.product(*map(alternatives, groups)), itertools.product(*map(str.split, types))):
            yield name, words, of, [shape.split() for shape in shapes.split("|") if fits(name, words, of, shape)]


def fits(name, words, types, shape):
    """Whether a text with these operands may be right: others are not asked for."""
    if name == "cvt":
        pair = types[0].endswith("x2") and types[1] in ("f32", "f64", "f16", "bf16")
        return ("b32" in shape) == ("rs" in words) and ("U U" in shape) == pair
    return name != "atom" or ("V V" in shape) == ("cas" in words)


def opcode(name, words, types):
    return ".".join([name, *filter(None, words), *types])


def places(words, types, shape):
    """The types of the operands."""
    count = next((int(word[1:]) for word in words if re.fullmatch("v[248]", word)), 1)
    first, second = (*types, None, None)[0], (*types, None, None)[1] or (*types, None)[0]
    letters = {"T": first, "U": second, "W": WIDE.get(first, first) if "wide" in words else first}
    return [f"{{{first}*{count}" if place == "V" and count > 1 else letters.get("T" if place == "V" else place, place) for place in shape]


def operand(place, number, kind):
    if place[0] in "[1":
        return place
    one, _, count = place.strip("{").partition("*")
    register = kind or HOME.get(one, "hb")
    return "{%s}" % ", ".join(f"{register}{i + 1}" for i in range(int(count))) if count else f"{register}{number}"


def text(opcode, places, other=None, kind=None):
    return f"{opcode} {', '.join(operand(place, i, kind if i == other else None) for i, place in enumerate(places))}".strip() + ";"


def taken(ptxas, target, lines):
    """Those that the assembler takes; an instruction that it never does keeps it from making code."""
    version, target = target.split()
    kinds = {kind: ty for kind, ty in KINDS.items() if not (ty == "b128" and version < "8") and not (ty.startswith("f16") and version < "6")}
    head = f".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{ " + " ".join(f".reg .{ty} {kind}<9>;" for kind, ty in kinds.items())
    good = set()
    for start in range(0, len(lines), 4000):
        left, bad = lines[start:start + 4000], {None}
        while bad:
            with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
                file.write("\n".join([head, *left, "add.u32 p0, p0, p0;\n}\n"]))
                file.flush()
                run = subprocess.run([ptxas, "-arch", target if version > "7" else "sm_75", "-o", "/dev/null", file.name], capture_output=True, text=True)
            bad = {int(line) - 5 for line in re.findall(r", line (\d+); (?:error|fatal)", run.stderr)} - {len(left), len(left) + 1}
            assert re.search(rf"line {len(left) + 5}; error", run.stderr) or bad, run.stderr[:2000]
            left = [line for i, line in enumerate(left) if i not in bad]
        good.update(left)
    return good


def merged(rows):
    """Rows of columns, each a set of alternatives, from single rows: what differs in one column alone becomes one."""
    rows = [tuple(frozenset([each]) for each in row) for row in rows]
    for column in reversed(range(len(rows[0]))):
        by_rest = {}
        for row in rows:
            rest = row[:column] + row[column + 1:]
            by_rest[rest] = by_rest.get(rest, frozenset()) | row[column]
        rows = [rest[:column] + (each,) + rest[column:] for rest, each in by_rest.items()]
    return rows


def table(right):
    """A family's line of words that were tried, then its forms: `name words;words|types|types`."""
    lines, tried = [], {}
    for names, groups, types, _ in FAMILIES:
        for name in names.split():
            tried.setdefault(name, dict.fromkeys(word for group in groups for word in alternatives(group) if word))
    for name, words in tried.items():
        lines.append(f"{name}? {' '.join(words)}".strip())
        by_shape = {}
        for words, types in right.get(name, []):
            by_shape.setdefault((len(words), len(types)), []).append((*words, *types))
        for (count, _), rows in sorted(by_shape.items()):
            cells = [[" ".join(sorted(each or "-" for each in cell)) for cell in row] for row in merged(rows)]
            lines += sorted(f"{name} {';'.join(row[:count])}|{'|'.join(row[count:])}" for row in cells)
    return "\n".join(lines) + "\n"


def main(ptxas):
    here = pathlib.Path(__file__).resolve().parents[2]
    all_forms = list(forms())
    lines = {text(opcode(name, words, of), places(words, of, shape)): (name, words, of, shape) for name, words, of, shapes in all_forms for shape in shapes}
    right, answers, chance = {}, [], random.Random(46)
    for target in TARGETS:
        good = taken(ptxas, target, list(lines))
        for line in good:
            name, words, of, _ = lines[line]
            right.setdefault(name, {})[words, of] = None
        substituted = [text(opcode(name, words, of), places(words, of, shape), other, kind)
                       for name, words, of, shape in map(lines.get, chance.sample(sorted(good), min(len(good), 4000)))
                       for other, place in enumerate(places(words, of, shape)) if place[0] not in "[1" for kind in chance.sample(sorted(KINDS), 3)]
        substituted = [line for line in dict.fromkeys(substituted) if line not in lines]
        good |= taken(ptxas, target, substituted)
        print(target, len(lines) + len(substituted), "forms,", len(good), "taken", file=sys.stderr)
        if target.startswith("9"):
            yes, no = [line for line in [*lines, *substituted] if line in good], [line for line in lines if line not in good]
            other = [line for line in substituted if line not in good]
            picked = [(chance.sample(some, min(len(some), 3000)), sign) for some, sign in [(yes, "+"), (no, "-"), (other, "-")]]
            answers += [f"{target}"] + sorted(f"{sign} {line}" for some, sign in picked for line in some)
    right = {name: sorted(rows) for name, rows in right.items()}
    (here / "simulator/ptx/src/isa/forms.txt").write_text(table(right))
    head = b"// Instructions that ptxas 13.0 takes (+) and refuses (-), a sample\n// made by docs/measurements/forms.py; do not edit\n"
    (here / "simulator/tests/forms/answers.ptx.z").write_bytes(head + zlib.compress("\n".join(answers).encode(), 9) + b"\0")


if __name__ == "__main__":
    main(sys.argv[1])
