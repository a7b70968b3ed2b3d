"""Programs mean what they say: evaluation, simplification, mutants and the gate."""

import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tmax_gym.rng import Rng
from tmax_gym.world.programs.evaluate import run
from tmax_gym.world.programs.grammars import GRAMMARS, _drawn, draw
from tmax_gym.world.programs.mutants import mutants
from tmax_gym.world.programs.probes import divergence, fault, inputs
from tmax_gym.world.programs.program import (
    M32,
    Const,
    Emit,
    Field,
    If,
    Op,
    Program,
    Put,
    Register,
    Repeat,
    Set,
    Var,
    lower,
)
from tmax_gym.world.programs.simplify import simplify
from tmax_gym.world.programs.sugar import bump, ex, is_, let, op

ALL = [(kind, depth) for kind in sorted(GRAMMARS) for depth in (2, 5)]


def crc32_program():
    """CRC-32 of IEEE 802.3, bit by bit, of every line."""
    shifted = let("crc", op("crc", ">>", 1))
    taken = let("crc", op(op("crc", ">>", 1), "^", 0xEDB88320))
    step = (
        let("crc", op("crc", "^", "c")),
        Repeat(8, (If(is_(op("crc", "&", 1), "==", 1), (taken,), (shifted,)),)),
    )
    close = (Emit(op("crc", "^", M32), 16, 8), Put("\n"))
    return Program("crc", "line", (Register("crc", M32, True),), step, close, alphabet="ab")


@given(st.binary(max_size=80))
def test_a_crc_in_the_tree_is_zlibs_crc(data):
    lines = data.split(b"\n")
    lines = lines[:-1] if lines[-1] == b"" else lines
    expected = "".join(f"{zlib.crc32(line):08x}\n" for line in lines)
    assert run(crc32_program(), data).decode() == expected


def adder():
    fields = (Field("left", 0, 9), Field("right", 0, 9))
    close = (let("sum", op("left", "-", "right")), Emit(ex("sum")), Put("\n"))
    return Program("sub", "record", (Register("sum"),), (), close, (), fields)


@pytest.mark.parametrize(
    ("stdin", "printed"),
    [
        (b"", ""),
        (b"7 5", "2\n"),
        (b"7 5\n", "2\n"),
        (b"\n  \nx\n7,5;9\n", "2\n"),
        (b"3\n", "3\n"),
        (b"a12b10c\n", "2\n"),
        (b"0 1\n", "4294967295\n"),
        (b"4294967299 1\n", "2\n"),
        (b"00012 2\r\n", "10\n"),
    ],
)
def test_records_are_read_as_the_prose_says(stdin, printed):
    assert run(adder(), stdin).decode() == printed
    assert run(lower(adder()), stdin).decode() == printed


@pytest.mark.parametrize(("kind", "depth"), ALL)
def test_a_program_of_every_grammar_passes_the_gate_and_is_drawn_again_the_same(kind, depth):
    program = draw(Rng("gate", kind), depth, kind)
    assert program.kind == kind
    _drawn.cache_clear()
    assert program == draw(Rng("gate", kind), depth, kind)
    outputs = [run(program, case) for case in inputs(program, Rng("other probes"), 25)[1:]]
    assert len(set(outputs)) >= 22  # other inputs than the gate's; one more collision allowed


def test_programs_differ_between_keys():
    drawn = {draw(Rng("many", i), 1 + i % 5) for i in range(12)}
    assert len(drawn) == 12


def test_the_gate_rejects_a_program_that_ignores_a_field():
    fields = (Field("left", 0, 999), Field("right", 0, 999))
    dull = Program("dull", "record", (), (), (Emit(ex("left")), Put("\n")), (), fields)
    assert "part 1" in fault(dull, Rng("p"))
    constant = Program("dull", "record", (), (), (Put("x\n"),), (), fields)
    assert "distinct" in fault(constant, Rng("p"))


@pytest.mark.parametrize(("kind", "depth"), ALL)
def test_mutants_are_wrong_on_most_inputs_also_on_unseen_ones(kind, depth):
    program = draw(Rng("mutant", kind), depth, kind)
    wrong_programs = mutants(program, Rng("m", kind), 4)
    unseen = inputs(program, Rng("unseen"), 16)[1:]
    assert len({*wrong_programs, program}) == 5
    for wrong in wrong_programs:
        # The cases that chose them had more than 1/2; 1/4 here allows for another sample.
        assert divergence(program, wrong, unseen) > 0.25


NAMES = ("alpha", "beta")
CONSTANTS = st.sampled_from([0, 1, 2, 31, 255, 2**31, M32]) | st.integers(0, M32)
LEAVES = st.builds(Const, CONSTANTS) | st.sampled_from([Var(n) for n in (*NAMES, "c")])


def _grow(inner):
    plain = st.builds(Op, st.sampled_from(["+", "-", "*", "&", "|", "^"]), inner, inner)
    counts = st.integers(1, 31).map(Const)
    turned = st.builds(Op, st.sampled_from(["<<", ">>", "rol", "ror"]), inner, counts)
    parts = st.builds(Op, st.sampled_from("/%"), inner, st.integers(1, M32).map(Const))
    return plain | turned | parts


EXPRESSIONS = st.recursive(LEAVES, _grow, max_leaves=8)
ORDERS = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
ASSIGN = st.builds(Set, st.sampled_from(NAMES), EXPRESSIONS)
STATEMENTS = st.recursive(
    ASSIGN | st.builds(Emit, EXPRESSIONS, st.sampled_from([10, 16]), st.just(3)),
    lambda inner: (
        st.builds(
            lambda order, pair, then, other: If(is_(pair[0], order, pair[1]), (then,), (other,)),
            ORDERS,
            st.tuples(EXPRESSIONS, EXPRESSIONS),
            inner,
            inner,
        )
        | st.builds(lambda n, s: Repeat(n, (s,)), st.integers(1, 3), inner)
    ),
    max_leaves=6,
)


@settings(max_examples=150)
@given(st.lists(STATEMENTS, min_size=1, max_size=5), st.binary(max_size=12))
def test_simplification_never_changes_what_is_printed(body, stdin):
    registers = (Register("alpha", 5, True), Register("beta", M32))
    close = (Emit(ex("alpha")), Put(" "))
    program = Program("any", "line", registers, tuple(body), close, (Emit(ex("beta")),))
    assert run(simplify(program), stdin) == run(program, stdin)


def test_simplification_removes_what_has_no_effect():
    body = (
        let("alpha", op("alpha", "^", op("c", "^", "c"))),
        If(is_("c", ">=", 0), (bump("alpha", "c"),), (Put("never"),)),
        bump("unread"),
        Repeat(1, (let("alpha", op(op("alpha", "*", 1), "+", op(3, "*", 4))),)),
    )
    registers = (Register("alpha"), Register("unread"))
    program = Program("any", "byte", registers, body, finish=(Emit(ex("alpha")),))
    small = simplify(program)
    assert small.step == (bump("alpha", "c"), bump("alpha", 12))
    assert [r.name for r in small.registers] == ["alpha"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Const(-1),
        lambda: Const(2**32),
        lambda: op("x", "/", 0),
        lambda: op("x", "/", "y"),
        lambda: op("x", "<<", 32),
        lambda: Put('a"b'),
        lambda: Program("p", "byte", (Register("while"),)),
        lambda: Program("p", "byte", (Register("aa"), Register("aa"))),
        lambda: Program("p", "byte", (), (let("ghost", 1),)),
        lambda: Program("p", "line", (Register("aa", 0, True),), finish=(Emit(ex("aa")),)),
        lambda: Program("p", "record", ()),
    ],
)
def test_what_some_language_could_not_say_is_refused(make):
    with pytest.raises(ValueError):
        make()
