"""The operators of mutation: one change of a solution's text each, of the kind that students make by mistake.

Each operator is a function from a `Text` to changes: what is told of it, and edits as (begin, end, new text). Only what stands between the marks of
a solution is changed. The sources are laid out by a formatter, so a sign with a space on both sides is a binary one.
"""

import re

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<pragma>\#[^\n]*)|(?P<string>"(?:\\.|[^"\\])*")
    |(?P<number>0[xX][0-9a-fA-F]+u?|\d+(?:\.\d+)?\w*)|(?P<word>[A-Za-z_]\w*)
    |(?P<sign><<=|>>=|\.\.=|&&|\|\||[-+*/%&|^]=|<<|>>|<=|>=|==|!=|->|=>|::|\+\+|--|\.\.|[^\s\w])""",
    re.X | re.S,
)
OPENING, CLOSING = "([{", ")]}"


class Token:
    def __init__(self, match, text):
        self.kind, self.text, self.begin, self.end = match.lastgroup, match.group(), match.start(), match.end()
        self.spaced = text[self.begin - 1] == " " and text[self.end : self.end + 1] in (" ", "\n")


class Text:
    """A solution's text, and the tokens between its marks without comments."""

    def __init__(self, text):
        self.text, self.tokens, inside = text, [], False
        for match in TOKEN.finditer(text):
            token = Token(match, text)
            if token.kind == "comment":
                inside = token.text.startswith("// BEGIN SOLUTION") or inside and token.text != "// END SOLUTION"
            elif inside and token.kind != "pragma":
                self.tokens.append(token)
        self.rust = "#pragma" not in text and "fn " in text

    def of(self, first, last):
        """The text from one token to another, both included."""
        return self.text[self.tokens[first].begin : self.tokens[last].end]

    def end_of(self, at):
        """The place of the bracket that closes the one at a place."""
        depth = 0
        for place in range(at, len(self.tokens)):
            text = self.tokens[place].text
            depth += (text in OPENING) - (text in CLOSING)
            if depth == 0:
                return place
        return len(self.tokens) - 1

    def run(self, at, step, stops):
        """The furthest place from `at` on, in one direction, before a sign of `stops` or a bracket that encloses it."""
        depth, place = 0, at
        into, out = (OPENING, CLOSING) if step > 0 else (CLOSING, OPENING)
        while 0 <= place < len(self.tokens):
            text = self.tokens[place].text
            if depth == 0 and (text in out or text in stops):
                break
            depth += (text in into) - (text in out)
            place += step
        return place - step


def replaced(token, new):
    return (f"{token.text} → {new}", [(token.begin, token.end, new)])


def each(kinds, table, spaced=False, known=False):
    """An operator that replaces tokens by a table of what may stand in their place: signs with space around them, names that are in use."""

    def operator(text):
        names = {"x", "y", *(token.text for token in text.tokens)}
        for token in text.tokens:
            if token.kind in kinds and (token.spaced or not spaced):
                for new in table.get(token.text, "").split():
                    if new in names or not known:
                        yield replaced(token, new)

    return operator


def pairs(words):
    """Both directions of pairs."""
    table = {}
    for pair in words.split():
        one, other = pair.split("/")
        table[one] = f"{table.get(one, '')} {other}"
        table[other] = f"{table.get(other, '')} {one}"
    return table


COMPARISON = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "+=": "= -=", "-=": "+=", "*=": "+=", "/=": "*=", "<<": ">>", ">>": "<<"}
ARITHMETIC.update({"^": "+", "&": "|", "|": "&"})
NAMES = pairs("x/y row/col row/column rows/columns m/n n/k top/left width/height in/out of_a/of_b tile_a/tile_b upper/lower a/b left/right")
NAMES.update(pairs("lane/warp first/last begin/end item/slot input/output CopyIn/CopyOut IN/OUT computed/drained rows_of_blocks/columns_of_blocks"))
SCOPE = {
    "__syncthreads": "__syncwarp",
    "__syncwarp": "__syncthreads",
    "__threadfence": "__threadfence_block",
    "atomicAdd": "atomicAdd_block",
    "blockIdx": "threadIdx",
    "threadIdx": "blockIdx",
    "blockDim": "gridDim",
    "gridDim": "blockDim",
    "this_grid": "this_thread_block",
    "thread_scope_device": "thread_scope_block",
    "NonBlocking": "Blocking Default",
    "Blocking": "NonBlocking Default",
    "Default": "NonBlocking Blocking",
}
MASK = {
    "0xffffffff": "0x0000ffff 0x7fffffff __activemask()",
    "__shfl_down_sync": "__shfl_up_sync __shfl_xor_sync",
    "__shfl_up_sync": "__shfl_down_sync",
    "__popc": "__ffs",
    "min": "max",
    "max": "min",
    "false": "true",
    "true": "false",
    "None": "Some(0)",
}
TYPE = {"int": "short float", "unsigned": "int", "T": "float", "float": "int", "double": "float", "float4": "float2", "uint4": "uint2", "EDGE": "8"}


def constant(text):
    for token in text.tokens:
        number = re.fullmatch(r"(\d+)([a-z]*)", token.text) if token.kind == "number" else None
        if number:
            value, suffix = int(number.group(1)), number.group(2)
            for new in sorted({value + 1, max(value - 1, 0), 2 * value} - {value}):
                yield replaced(token, f"{new}{suffix}")


def wide_type(text):
    for match in re.finditer(r"\blong long\b", text.text):
        if any(token.begin == match.start() for token in text.tokens):
            yield ("long long → int", [(match.start(), match.end(), "int")])


# Without a declaration the rest does not compile.
DECLARED = "for else let const constexpr auto using int unsigned float double long bool T Wide Chunk float4 __shared__ extern".split()


def statements(text):
    """The first and last token of each statement that ends with a semicolon, and declares nothing."""
    begin = depth = 0
    for place, token in enumerate(text.tokens):
        depth += (token.text in "([") - (token.text in ")]")
        if token.text == ";" and depth == 0:
            if begin < place and text.tokens[begin].text not in DECLARED:
                yield begin, place
        if token.text in (";", "{", "}") and depth == 0:
            begin = place + 1


def is_barrier(code):
    return re.search(r"__sync|\bsync\(|fence|Await|Mark\(", code) is not None


def deletions(barriers):
    def operator(text):
        for first, last in statements(text):
            code = text.of(first, last)
            if is_barrier(code) == barriers:
                yield ("deleted", [(text.tokens[first].begin, text.tokens[last].end, "" if text.rust else ";")])

    return operator


LOGIC = ("&&", "||", "?", ":", ",", ";", "=", "return", "{", "}", "=>")


def guards(text):
    """A condition that always holds; one of several conditions less."""
    for place, token in enumerate(text.tokens):
        if token.text in ("&&", "||"):
            first, last = text.run(place - 1, -1, LOGIC), text.run(place + 1, 1, LOGIC)
            yield ("left condition deleted", [(text.tokens[first].begin, text.tokens[place + 1].begin, "")])
            yield ("right condition deleted", [(text.tokens[place - 1].end, text.tokens[last].end, "")])
        elif token.text == "?" and token.spaced:
            first = text.run(place - 1, -1, LOGIC[3:])
            yield ("condition → true", [(text.tokens[first].begin, text.tokens[place - 1].end, "true")])
        elif token.text == "if":
            last = text.run(place + 1, 1, ("{",)) if text.rust else text.end_of(place + 1)
            new = "true" if text.rust else "(true)"
            yield ("condition → true", [(text.tokens[place + 1].begin, text.tokens[last].end, new)])


def indices(text):
    """Two indices, or two arguments, that stand side by side exchanged."""
    for place, token in enumerate(text.tokens[:-1]):
        if token.text == "]" and text.tokens[place + 1].text == "[" and token.end == text.tokens[place + 1].begin:
            first, last = text.run(place - 1, -1, ()), text.end_of(place + 1)
            one, other = text.of(first, place - 1), text.of(place + 2, last - 1)
            yield (f"[{one}][{other}] exchanged", [(text.tokens[first].begin, text.tokens[last - 1].end, f"{other}][{one}")])
        if token.text == ",":
            first, last = text.run(place - 1, -1, (",", ";", "=")), text.run(place + 1, 1, (",", ";"))
            if first < place < last + 1 and text.tokens[first - 1].text == "(" and text.tokens[first - 2].text not in ("min", "max"):
                one, other = text.of(first, place - 1), text.of(place + 1, last)
                yield (f"{one}, {other} exchanged", [(text.tokens[first].begin, text.tokens[last].end, f"{other}, {one}")])


def bounds(text):
    """A loop that begins later, ends earlier, or takes larger steps."""
    for place, token in enumerate(text.tokens):
        if token.text != "for" or text.rust:
            continue
        for at in range(place, text.end_of(place + 1)):
            one = text.tokens[at]
            last = text.run(at + 1, 1, (";", "&&", "||"))
            if last <= at:
                continue
            edit = lambda new: [(text.tokens[last].end, text.tokens[last].end, new)]
            if one.text in ("<", "<=") and one.spaced:
                yield ("the bound less 1", edit(" - 1"))
            elif one.text == "=" and one.spaced:
                yield ("the begin and 1", edit(" + 1"))
            elif one.text == "+=":
                yield ("the step doubled", edit(" * 2"))


def memory_space(text):
    for place, token in enumerate(text.tokens):
        if token.text in ("__shared__", "__constant__", "const") and text.tokens[place + 1].begin == token.end + 1:
            if token.text != "const":
                yield (f"{token.text} deleted", [(token.begin, token.end + 1, "")])


def lines_of(text):
    """Each line between the marks: begin, end, and the text without its comment."""
    begins = {text.text.rfind("\n", 0, token.begin) + 1 for token in text.tokens}
    for begin in sorted(begins):
        end = text.text.find("\n", begin)
        yield begin, end, text.text[begin:end].split("//")[0].strip()


def moves(text):
    """A barrier's line exchanged with the line before it, or after it."""
    lines = list(lines_of(text))
    for place, (begin, end, code) in enumerate(lines):
        if not is_barrier(code) or not code.endswith(";"):
            continue
        for other in (place - 1, place + 1):
            if 0 <= other < len(lines) and not is_barrier(lines[other][2]):
                one, two = sorted([lines[place], lines[other]])
                swapped = text.text[two[0] : two[1]] + text.text[one[1] : two[0]] + text.text[one[0] : one[1]]
                yield (f"{'before' if other < place else 'after'} `{lines[other][2]}`", [(one[0], two[1], swapped)])


def volatile(text):
    """A barrier replaced by `volatile` on what is shared."""
    shared = [(token.end, token.end, " volatile") for token in text.tokens if token.text == "__shared__"]
    for match in re.finditer(r"(T\*) const (\w+) = reinterpret_cast<(T\*)>\(shared_bytes\)", text.text):
        shared += [(match.start(), match.start(), "volatile "), (match.start(3), match.start(3), "volatile ")]
    for first, last in statements(text):
        if shared and is_barrier(text.of(first, last)):
            yield ("volatile in its place", sorted([*shared, (text.tokens[first].begin, text.tokens[last].end, ";")]))


def static_memory(text):
    for match in re.finditer(r"T\* const (\w+) = reinterpret_cast<T\*>\(shared_bytes\);", text.text):
        for size in (8, 64, 1024):
            yield (f"static array of {size}", [(match.start(), match.end(), f"__shared__ T {match.group(1)}[{size}];")])


OPERATORS = {
    "statement": deletions(False),
    "barrier": deletions(True),
    "guard": guards,
    "comparison": each(("sign",), COMPARISON, spaced=True),
    "arithmetic": each(("sign",), ARITHMETIC, spaced=True),
    "range": each(("sign",), {"..": "..=", "..=": ".."}),
    "name": each(("word",), NAMES, known=True),
    "indices": indices,
    "constant": constant,
    "bound": bounds,
    "type": each(("word",), TYPE),
    "wide type": wide_type,
    "scope": each(("word",), SCOPE),
    "mask": each(("word", "number"), MASK),
    "memory space": memory_space,
    "moved": moves,
    "volatile": volatile,
    "static memory": static_memory,
}


def bare(text):
    """A text without comments and white space."""
    return re.sub(r"\s", "", re.sub(r"//[^\n]*", "", text))


def mutants(source):
    """All mutants of a solution's text: operator, what is changed, the line and its number, the text."""
    text = Text(source)
    for operator, changes in OPERATORS.items():
        for change, edits in changes(text):
            new, begin = source, edits[-1][0]
            for first, last, inserted in reversed(edits):
                new = new[:first] + inserted + new[last:]
            start = source.rfind("\n", 0, begin) + 1
            line = source[start : source.find("\n", begin)].split("//")[0].strip()
            yield {"operator": operator, "change": change, "line": line, "number": source.count("\n", 0, begin) + 1, "text": new}
