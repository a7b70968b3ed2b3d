"""One tree, six languages: what each program prints is compared with the evaluator."""

import shutil
import subprocess
import sys

import pytest

from tmax_gym.rng import Rng
from tmax_gym.world.programs.evaluate import run
from tmax_gym.world.programs.grammars import GRAMMARS, draw
from tmax_gym.world.programs.languages import RENDERERS, render
from tmax_gym.world.programs.probes import inputs
from tmax_gym.world.programs.program import Emit, If, Program, Put, Register, Repeat
from tmax_gym.world.programs.sugar import bump, ex, is_, let, op
from tmax_gym.world.toolchains import SUFFIX

BUILD = {
    "c": ["gcc", "-O2", "-Wall", "-Werror", "-std=c99", "-o"],
    "cpp": ["g++", "-O1", "-Wall", "-Werror", "-std=c++11", "-o"],
    "rust": ["rustc", "-A", "warnings", "-o"],
    "go": ["go", "build", "-o"],
}
# Bytes that ports get wrong: no input, no newline at the end, carriage returns, NUL, high bytes.
EDGES = [b"", b"\n", b"a", b"\n\n7", b"12 34\r\n5", b"4294967296 9\n1 2 3 4\n", bytes(range(256))]


def everything() -> Program:
    """A program with every operator, statement and width, on extreme values."""
    kinds = ("+", "-", "*", "&", "|", "^")
    step = [bump("count"), *(let("state", op("state", k, op("c", "*", 16843009))) for k in kinds)]
    step += [let("other", op(op("other", "rol", n), "^", op("state", "ror", n))) for n in (1, 31)]
    step += [let("other", op(op("other", "<<", 31), "+", op("state", ">>", 31)))]
    step += [bump("other", op(op("state", "/", 4294967295), "+", op("state", "%", 65521)))]
    orders = ("==", "!=", "<", "<=", ">", ">=")
    tests = [If(is_("state", k, 2147483648), (Put(k[0] if k[0] in "=" else "."),)) for k in orders]
    loop = Repeat(2, (Repeat(3, (let("other", op(op("other", "*", 4294967295), "-", 1)),)),))
    shown = [Emit(ex("state")), Put(" "), Emit(ex("other"), 16, 0), Put(" "), Emit(ex("c"), 16, 4)]
    registers = (Register("state", 4294967295), Register("other", 1), Register("count"))
    finish = (Put("end\n"), Emit(ex("count")), Emit(op("count", "-", 1), 16, 8), Put("\n"))
    body = (*step, *tests, loop, *shown, Put("\n"))
    return Program("all", "byte", registers, body, finish=finish, alphabet="ab")


def programs(per_kind):
    drawn = [everything()]
    for kind in sorted(GRAMMARS):
        depths = (5, 3, 1, 4, 2)[:per_kind]
        drawn += [draw(Rng("render", kind, depth), depth, kind) for depth in depths]
    return drawn


def prepared(program, language, folder):
    """Return the command that runs the rendered program."""
    source = folder / f"tool.{SUFFIX[language]}"
    source.write_text(render(program, language))
    if language == "python":
        return [sys.executable, source]
    if language == "bash":
        return ["bash", source]
    built = subprocess.run([*BUILD[language], folder / "tool", source], capture_output=True)
    assert built.returncode == 0, built.stderr.decode()
    return [folder / "tool"]


COUNTS = [("python", 2), ("c", 3), ("bash", 2), ("cpp", 1), ("rust", 1), ("go", 1)]


@pytest.mark.parametrize(("language", "per_kind"), COUNTS)
def test_every_language_prints_what_the_evaluator_says(language, per_kind, tmp_path):
    tool = BUILD.get(language, [language])[0]
    if language != "python" and shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed here")
    for number, program in enumerate(programs(per_kind)):
        folder = tmp_path / str(number)
        folder.mkdir()
        command = prepared(program, language, folder)
        for case in [*EDGES, *inputs(program, Rng("cases", number), 6)]:
            seen = subprocess.run(command, input=case, capture_output=True)
            assert (seen.stdout, seen.stderr) == (run(program, case), b""), (program.kind, case)


def test_go_constants_are_variables_so_that_none_overflows():
    """Go rejects constant expressions beyond 32 bits, and declared but unused imports."""
    text = render(everything(), "go")
    assert "var k4294967295 uint32 = 4294967295" in text
    assert "var _ = bits.RotateLeft32" in text


def test_a_rendering_is_the_same_every_time():
    program = draw(Rng("same"), 3)
    for language in RENDERERS:
        assert render(program, language) == render(program, language)


def test_an_unknown_language_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="bash"):
        render(everything(), "cobol")
