"""The gate on clones of a closed tool: sources pass, machine code in any encoding does not."""

import base64
import zlib

import pytest

from tmax_gym.families.software_engineering.clone_blackbox.tool import no_text, other_base, plain
from tmax_gym.rng import Rng
from tmax_gym.world.binaries.elf import executable
from tmax_gym.world.programs.evaluate import run
from tmax_gym.world.programs.grammars import GRAMMARS, draw
from tmax_gym.world.programs.languages import RENDERERS, render
from tmax_gym.world.programs.probes import sample_input

DRESSES = {
    "itself": lambda tool: tool,
    "base64": lambda tool: base64.encodebytes(zlib.compress(tool)),
    "hexadecimal": lambda tool: b"\n".join(
        zlib.compress(tool).hex()[i : i + 60].encode() for i in range(0, 5000, 60)
    ),
    "array": lambda tool: ", ".join(f"0x{b:02x}" for b in zlib.compress(tool)).encode(),
    "escapes": lambda tool: "".join(f"\\x{b:02x}" for b in zlib.compress(tool)).encode(),
    "octal": lambda tool: "".join(f"\\{b:03o}" for b in zlib.compress(tool)).encode(),
}


@pytest.mark.parametrize("kind", sorted(GRAMMARS))
@pytest.mark.parametrize("language", sorted(RENDERERS))
def test_reference_solutions_are_plain(kind, language):
    assert plain(render(draw(Rng("plain", kind), 5, kind), language).encode())


@pytest.mark.parametrize("dress", sorted(DRESSES))
def test_a_tool_in_disguise_is_not_plain(dress):
    # The smallest tool is the hardest to notice.
    tool = min((executable(draw(Rng("small", k), 1, k)) for k in sorted(GRAMMARS)), key=len)
    assert not plain(b"head = 1\n" + DRESSES[dress](tool) + b"\n")


def test_a_table_of_checksums_is_plain():
    """A table of 256 words of 32 bits for a checksum is allowed."""
    table = ",\n".join(f"0x{zlib.crc32(bytes([n])):08x}" for n in range(256))
    assert plain(f"static const unsigned table[256] = {{\n{table}\n}};\n".encode())


def test_gross_mistakes_show_in_the_output():
    program = draw(Rng("mistake"), 2, "filter")
    case = sample_input(program, Rng("case"), "large")
    outputs = {run(p, case) for p in (program, other_base(program), no_text(program))}
    assert len(outputs) == 3
