"""Programs over text: checksums, cipher streams, automata and tokenizers.

Covers lines of printable characters.  Does not cover any published algorithm by its own
constants: an agent that recognises one must still read the numbers.
"""

from __future__ import annotations

import string

from tmax_gym.rng import Rng
from tmax_gym.world.programs.program import (
    BYTE,
    Emit,
    Expr,
    If,
    Logic,
    Op,
    Program,
    Put,
    Register,
    Repeat,
    Set,
    Stmt,
)
from tmax_gym.world.programs.sugar import bump, ex, is_, let, odd, op, within

PLAIN = string.ascii_letters + string.digits + " .,:-"


def _mixing(rng: Rng, byte: Expr) -> tuple[list[Register], tuple[Stmt, ...], Expr]:
    """Return (registers, step, result) of one way to fold a byte into a sum."""
    start = rng.integer(1, 0xFFFFFFFF)
    style = rng.choice(("multiply", "rotate", "two sums", "shift register"))
    total = Register("total", start, True, "the running sum")
    if style == "multiply":
        factor = odd(rng, 1 << 16, 1 << 28)
        if rng.chance(0.5):
            return [total], (let("total", op(op("total", "^", byte), "*", factor)),), ex("total")
        return [total], (let("total", op(op("total", "*", factor), "+", byte)),), ex("total")
    if style == "rotate":
        turned = op("total", rng.choice(("rol", "ror")), rng.integer(3, 13))
        mixed = op(turned, rng.choice(("^", "+")), byte)
        return [total], (let("total", op(mixed, "+", rng.integer(1, 1 << 30))),), ex("total")
    if style == "two sums":
        modulus = rng.choice((65521, 65519, 65497, 64997, 255, 251))
        first = Register("low", rng.integer(0, 9), True, "the sum of the bytes")
        second = Register("high", rng.integer(0, 9), True, "the sum of the sums")
        step = (
            let("low", op(op("low", "+", byte), "%", modulus)),
            let("high", op(op("high", "+", "low"), "%", modulus)),
        )
        return [first, second], step, op(op("high", "<<", 16), "|", "low")
    polynomial = rng.integer(1 << 31, 0xFFFFFFFF) | 1
    shifted = If(
        is_(op("total", "&", 1), "==", 1),
        (let("total", op(op("total", ">>", 1), "^", polynomial)),),
        (let("total", op("total", ">>", 1)),),
    )
    return [total], (let("total", op("total", "^", byte)), Repeat(8, (shifted,))), ex("total")


def checksum(rng: Rng, depth: int) -> Program:
    """Return one sum per line."""
    wanted = set(rng.sample(("place", "fold", "skip", "final", "chain", "length"), depth - 1))
    byte: Expr = ex("seen") if "fold" in wanted else ex(BYTE)
    registers = [Register("seen", 0, True, "the byte after case folding")]
    before: list[Stmt] = [let("seen", BYTE)]
    upper = If(within("A", "Z"), (let("seen", op(BYTE, "+", 32)),))
    before += [upper] if "fold" in wanted else []
    if "place" in wanted:
        byte = op(byte, "*", op("place", "%", rng.integer(3, 31)))
        # Position counts from 1, so that the first byte has weight too.
        byte = op(byte, "+", "place")
    registers.append(Register("place", 0, True, "how many bytes of the line were used"))
    kept, step, result = _mixing(rng, byte)
    body: tuple[Stmt, ...] = (bump("place"), *before, *step)
    if "skip" in wanted:
        body = (If(is_(BYTE, "!=", ord(rng.choice(" .-"))), body),)
    answer = Register("answer", 0, True, "what is printed for the line")
    close: list[Stmt] = [Set("answer", result)]
    if "length" in wanted:
        close.append(let("answer", op("answer", "^", op("place", "*", odd(rng, 3, 1 << 20)))))
    if "final" in wanted:
        close.append(let("answer", op("answer", "^", op("answer", ">>", rng.integer(9, 17)))))
        close.append(let("answer", op("answer", "*", odd(rng, 1 << 20, 1 << 31))))
        close.append(let("answer", op("answer", "^", op("answer", ">>", rng.integer(9, 17)))))
    if "chain" in wanted:
        registers.append(Register("chain", rng.integer(0, 1 << 31), False, "the previous sum"))
        close += [let("answer", op("answer", "+", op("chain", "rol", rng.integer(1, 15))))]
        close += [let("chain", "answer")]
    close += [Emit(ex("answer"), 16, 8), Put("\n")]
    return Program(
        "checksum", "line", (*registers, *kept, answer), body, tuple(close), alphabet=PLAIN
    )


def _keystream(rng: Rng) -> tuple[tuple[Stmt, ...], Expr]:
    """Return (update of `key`, the pad byte)."""
    style = rng.choice(("congruence", "shifts", "feedback register"))
    if style == "congruence":
        grown = op("key", "*", odd(rng, 1 << 16, 1 << 30))
        return (let("key", op(grown, "+", odd(rng, 1, 1 << 30))),), op("key", ">>", 24)
    if style == "shifts":
        # Marsaglia, "Xorshift RNGs" (2003), lists these among the full-period triples.
        a, b, c = rng.choice(((13, 17, 5), (7, 25, 12), (6, 21, 7), (9, 5, 14), (3, 13, 7)))
        steps = (("<<", a), (">>", b), ("<<", c))
        moves = tuple(Set("key", op("key", "^", Op(k, ex("key"), ex(n)))) for k, n in steps)  # type: ignore[arg-type]
        return moves, op(op("key", ">>", rng.integer(3, 20)), "&", 255)
    taps = rng.integer(1 << 31, 0xFFFFFFFF)
    shifted = If(
        is_(op("key", "&", 1), "==", 1),
        (let("key", op(op("key", ">>", 1), "^", taps)),),
        (let("key", op("key", ">>", 1)),),
    )
    return (Repeat(rng.integer(5, 11), (shifted,)),), op("key", "&", 255)


def cipher(rng: Rng, depth: int) -> Program:
    """Return an encoder: two hexadecimal digits a byte."""
    wanted = set(rng.sample(("feedback", "swap", "mixed", "check", "number"), depth - 1))
    update, pad = _keystream(rng)
    per_line = rng.chance(0.5)
    registers = [
        Register("key", rng.integer(1 << 16, 0xFFFFFFFF), per_line, "the state of the key stream"),
        Register("code", 0, True, "the encoded byte"),
        Register("number", 0, False, "how many lines are complete"),
        Register("check", 0, True, "the check value of the line"),
    ]
    plain = ex(BYTE)
    if "number" in wanted:
        plain = op(BYTE, "+", op("number", "*", odd(rng, 3, 200)))
    joined = op(plain, "^", pad) if rng.chance(0.6) else op(plain, "+", pad)
    body: list[Stmt] = [*update, let("code", op(joined, "&", 255))]
    if "swap" in wanted:
        n = rng.integer(2, 6)
        body.append(
            let("code", op(op(op("code", "<<", n), "|", op("code", ">>", 8 - n)), "&", 255))
        )
    if "mixed" in wanted:
        even = is_(op("code", "&", 1), "==", rng.integer(0, 1))
        body.append(If(even, (let("code", op("code", "^", rng.integer(1, 127) * 2)),)))
    if "feedback" in wanted:
        body.append(let("key", op("key", "+", op("code", "<<", rng.integer(3, 20)))))
    if "check" in wanted:
        body.append(let("check", op(op("check", "rol", 5), "^", "code")))
    body.append(Emit(ex("code"), 16, 2))
    close: list[Stmt] = [bump("number")]
    if "check" in wanted:
        close += [Put(":"), Emit(op("check", "%", rng.integer(900, 9999)))]
    close.append(Put("\n"))
    return Program("cipher", "line", tuple(registers), tuple(body), tuple(close), alphabet=PLAIN)


_CLASSES = (
    ("digit", within("0", "9")),
    ("lower", within("a", "z")),
    ("upper", within("A", "Z")),
    ("space", is_(BYTE, "==", 32)),
    ("dash", is_(BYTE, "==", ord("-"))),
)


_AUTOMATON = (
    Register("state", 0, True, "the state"),
    Register("visits", 0, True, "how often the accepting state was entered or kept"),
    Register("trace", 0, True, "a number for the whole path of states"),
    Register("accepted", 0, False, "how many lines were accepted"),
)


def automaton(rng: Rng, depth: int) -> Program:
    """Return a finite automaton over classes of characters: verdict and counts per line."""
    states, count = 2 + depth, 3 + depth // 3
    classes = rng.sample(_CLASSES, count)
    # A cycle through all states first: every state can be reached.
    row = [[rng.integer(0, states - 1) for _ in range(count + 1)] for _ in range(states)]
    for state in range(states):
        row[state][rng.integer(0, count - 1)] = (state + 1) % states
    accepting = rng.integer(1, states - 1)
    rules: tuple[Stmt, ...] = ()
    for state in range(states - 1, -1, -1):
        moves: tuple[Stmt, ...] = (let("state", row[state][count]),)
        for position in range(count - 1, -1, -1):
            moves = (If(classes[position][1], (let("state", row[state][position]),), moves),)
        rules = (If(is_("state", "==", state), moves, rules),) if rules else moves
    body: tuple[Stmt, ...] = rules
    if depth >= 2:
        body += (If(is_("state", "==", accepting), (bump("visits"),)),)
    if depth >= 4:
        body += (let("trace", op(op("trace", "*", states + 1), "+", "state")),)
    close: list[Stmt] = [
        If(
            is_("state", "==", accepting),
            (Put("accept "), bump("accepted")),
            (Put("reject "),),
        ),
        Emit(ex("state")),
        *((Put(" "), Emit(ex("visits"))) if depth >= 2 else ()),
        *((Put(" "), Emit(ex("trace"), 16, 8)) if depth >= 4 else ()),
        Put("\n"),
    ]
    finish = (Put("accepted "), Emit(ex("accepted")), Put("\n")) if depth >= 3 else ()
    return Program("automaton", "line", _AUTOMATON, body, tuple(close), finish, alphabet=PLAIN)


_TOKENIZER = (
    Register("length", 0, True, "characters of the open word"),
    Register("longest", 0, True, "the longest word"),
    Register("value", 0, True, "the open number"),
    Register("sum", 0, True, "the sum of the numbers"),
    Register("nesting", 0, True, "open parentheses"),
    Register("deepest", 0, True, "the deepest nesting"),
    Register("stray", 0, True, "closing parentheses that close nothing"),
    Register("total", 0, False, "the words of all lines"),
)


def tokenizer(rng: Rng, depth: int) -> Program:
    """Return counts of words, numbers, marks and nesting for every line."""
    least, modulus = rng.integer(2, 4), rng.integer(997, 99991)
    word = Logic("or", within("a", "z"), within("A", "Z"))
    joiner = ord(rng.choice("_-"))
    wide = Logic("or", word, is_(BYTE, "==", joiner)) if depth >= 2 else word
    ended: tuple[Stmt, ...] = (If(is_("length", ">=", least), (bump("words"),)),)
    if depth >= 3:
        ended += (If(is_("length", ">", "longest"), (let("longest", "length"),)),)
    ended += (let("length", 0),)
    number = If(
        within("0", "9"),
        (let("value", op(op("value", "*", 10), "+", op(BYTE, "-", 48))),),
        (let("sum", op(op("sum", "+", "value"), "%", modulus)), let("value", 0)),
    )
    body: list[Stmt] = [If(wide, (bump("length"),), ended), number]
    if depth >= 4:
        record = If(is_("nesting", ">", "deepest"), (let("deepest", "nesting"),))
        deeper = (bump("nesting"), record)
        less = let("nesting", op("nesting", "-", 1))
        leave = If(is_("nesting", ">", 0), (less,), (bump("stray"),))
        shut = If(is_(BYTE, "==", ord(")")), (leave,))
        body.append(If(is_(BYTE, "==", ord("(")), deeper, (shut,)))
    flush = (*ended, let("sum", op(op("sum", "+", "value"), "%", modulus)))
    shown = ["words", "sum", *(["longest"] if depth >= 3 else [])]
    shown += ["deepest", "stray", "nesting"] if depth >= 4 else []
    close: list[Stmt] = [*flush, *((bump("total", "words"),) if depth >= 5 else ())]
    for position, name in enumerate(shown):
        close += [*((Put(","),) if position else ()), Emit(ex(name))]
    close.append(Put("\n"))
    finish = (Put("words "), Emit(ex("total")), Put("\n")) if depth >= 5 else ()
    registers = (
        Register("words", 0, True, f"words of at least {least} characters"),
        *_TOKENIZER,
    )
    alphabet = string.ascii_letters * 2 + string.digits * 2 + "  _-.()()"
    return Program(
        "tokenizer", "line", registers, tuple(body), tuple(close), finish, alphabet=alphabet
    )
