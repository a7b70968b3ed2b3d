"""Binaries run on this machine's kernel and print what the evaluator says."""

import platform
import shutil
import subprocess
import sys

import pytest

from tests.world.test_render import EDGES, everything
from tmax_gym.rng import Rng
from tmax_gym.world.binaries.elf import executable
from tmax_gym.world.programs.evaluate import run
from tmax_gym.world.programs.grammars import GRAMMARS, draw
from tmax_gym.world.programs.probes import inputs
from tmax_gym.world.programs.program import Const, Emit, If, Logic, Program, Put, Register
from tmax_gym.world.programs.sugar import bump, ex, is_, let, op

RUNS = sys.platform == "linux" and platform.machine() == "x86_64"
native = pytest.mark.skipif(not RUNS, reason="the binaries are for x86-64 Linux")


def built(program, folder):
    path = folder / "tool"
    path.write_bytes(executable(program))
    path.chmod(0o755)
    return path


def printed(path, stdin):
    done = subprocess.run([path], input=stdin, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


@native
@pytest.mark.parametrize("kind", sorted(GRAMMARS))
def test_a_binary_prints_what_the_evaluator_says(kind, tmp_path):
    for depth in (1, 3, 5):
        program = draw(Rng("elf", kind, depth), depth, kind)
        folder = tmp_path / str(depth)
        folder.mkdir()
        path = built(program, folder)
        for case in [*EDGES, *inputs(program, Rng("cases"), 8)]:
            assert printed(path, case) == run(program, case)


@native
def test_every_operator_has_its_instruction(tmp_path):
    program = everything()
    path = built(program, tmp_path)
    for case in EDGES:
        assert printed(path, case) == run(program, case)


@native
def test_operands_of_every_shape_are_computed(tmp_path):
    """Constants, variables, the byte and nested operations on either side, and all of Logic."""
    sides = [
        ex("left"),
        ex("c"),
        Const(77),
        op("left", "+", "c"),
        op(op("c", "*", 3), "-", "right"),
    ]
    body = [bump("left", 0x9E3779B9), let("right", op("left", "^", op("right", "ror", 7)))]
    for kind in ("+", "-", "*", "&", "|", "^"):
        body += [
            let("right", op(op("right", "rol", 1), "^", op(a, kind, b)))
            for a in sides
            for b in sides
        ]
    low, high = is_("c", "<", 100), is_(ex("left"), ">", op("right", "+", 1))
    for tree in (
        Logic("and", low, high),
        Logic("or", low, high),
        Logic("or", Logic("and", low, high), Logic("and", high, low)),
        Logic("and", Logic("or", low, high), Logic("or", high, is_(3, "==", "c"))),
    ):
        body.append(If(tree, (Put("y"),), (Put("n"),)))
    body += [Emit(ex("right"), 16, 8), Put("\n")]
    program = Program("shapes", "byte", (Register("left"), Register("right", 5)), tuple(body))
    case = bytes(range(256)) * 2
    assert printed(built(program, tmp_path), case) == run(program, case)


@native
def test_buffers_are_refilled_and_flushed(tmp_path):
    """Input over two buffers of 65,536 bytes, output over four."""
    body = (Emit(ex("c")), Put(","))
    program = Program("echo", "byte", (Register("zz"),), body, finish=(Put("end"),))
    case = bytes(i * 7 % 256 for i in range(150_000))
    assert printed(built(program, tmp_path), case) == run(program, case)


@pytest.mark.skipif(shutil.which("file") is None, reason="needs file(1)")
def test_file_calls_it_static_and_stripped(tmp_path):
    path = built(everything(), tmp_path)
    shown = subprocess.run(["file", "-b", path], capture_output=True, text=True).stdout.strip()
    assert (
        shown == "ELF 64-bit LSB executable, x86-64, version 1 (SYSV), statically linked, stripped"
    )


@pytest.mark.skipif(shutil.which("objdump") is None, reason="needs binutils")
def test_a_disassembler_reads_every_byte_as_code(tmp_path):
    path = built(draw(Rng("dis"), 5, "limiter"), tmp_path)
    done = subprocess.run(["objdump", "-d", path], capture_output=True, text=True)
    assert done.stderr == ""
    assert "syscall" in done.stdout
    assert "(bad)" not in done.stdout
    names = subprocess.run(["nm", path], capture_output=True, text=True)
    assert "no symbols" in names.stderr + names.stdout


@pytest.mark.skipif(shutil.which("readelf") is None, reason="needs binutils")
def test_readelf_has_no_complaint(tmp_path):
    path = built(everything(), tmp_path)
    done = subprocess.run(["readelf", "-aW", path], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_binary_has_the_same_bytes_every_time():
    assert executable(everything()) == executable(everything())
