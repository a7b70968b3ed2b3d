"""Algorithms written once: what each language prints is compared with Python's own arithmetic."""

import shutil
import subprocess
import sys

import pytest

from tmax_gym.world.programs.portable import filled, render
from tmax_gym.world.toolchains import COMPILER, SUFFIX, build, start

SOURCE = """
def digits(text: list, made: list) -> int:
    n = 0
    i = 0
    while text[i] != 0:
        if text[i] >= 48 and text[i] <= 57:
            made[n] = text[i] - 48
            n += 1
        elif text[i] == 33 or not text[i] > 32:
            i += 1
            continue
        else:
            break
        i += 1
    return n


def turned(a: list, n: int):
    for i in range(0, n // 2):
        kept = a[i]
        a[i] = a[n - 1 - i]
        a[n - 1 - i] = kept


def main():
    text = read()
    made = array(100)
    table = [7, -3, 65536]
    n = digits(text, made)
    x = 1
    for i in range(n - 1, -1, -1):
        x = ((x << 5) ^ made[i]) % 4294967296 + (x >> 3) * table[2] // 9
        x = x & 4294967295 | made[0]
        put(min(x, made[i]) - max(made[i], table[1]) + abs(-table[0]))
        say(",")
    order(made, n)
    turned(made, n)
    for i in range(0, n):
        put(made[i])
    say(" ")
    put(x)
    say("\\n")
    span(text, 0, min(n, 3))
"""
INPUTS = [b"", b"7", b"31415 92!65\n3589", b"2718x3", b"0\n"]


def wanted(case: bytes) -> bytes:
    """Return what the source prints, worked out without it."""
    line = case.split(b"x")[0]
    digits = [int(c) for c in line.decode() if c.isdigit()]
    x, out = 1, ""
    for digit in digits[::-1]:
        x = ((x << 5) ^ digit) % 2**32 + (x >> 3) * 65536 // 9
        x = (x % 2**32) | digits[0]
        out += f"{min(x, digit) - digit + 7},"
    out += "".join(map(str, sorted(digits, reverse=True))) + f" {x}\n"
    return out.encode() + case[: min(len(digits), 3)]


@pytest.mark.parametrize("language", ["python", "c", "cpp", "go", "rust"])
def test_every_language_prints_the_same(language, tmp_path):
    if language in COMPILER and shutil.which(COMPILER[language][0]) is None:
        pytest.skip(f"{COMPILER[language][0]} is not installed here")
    source, binary = tmp_path / f"tool.{SUFFIX[language]}", tmp_path / "tool"
    source.write_text(render(SOURCE, language))
    if compile_command := build(language, str(source), str(binary)):
        subprocess.run(compile_command, check=True, capture_output=True)
    command = start(language, str(source), str(binary))
    command = (sys.executable, *command[1:]) if language == "python" else command
    for case in INPUTS:
        seen = subprocess.run(command, input=case, capture_output=True)
        assert (seen.stdout, seen.stderr) == (wanted(case), b""), case


def test_what_is_not_covered_is_refused():
    with pytest.raises(ValueError, match="line 2: Try is not covered"):
        render("def main():\n    try:\n        put(1)\n    finally:\n        put(2)\n", "c")
    with pytest.raises(ValueError, match="line 1: only functions"):
        render("x = 1\n", "go")


def test_marks_are_filled_with_the_indentation_of_their_line():
    source = "def main():\n    @loop\n    @none\n    put(@value)\n"
    pieces = {"loop": "for i in range(0, N):\n    put(i)", "none": "", "value": "N"}
    wanted = "def main():\n    for i in range(0, 3):\n        put(i)\n    put(3)\n"
    assert filled(source, pieces, {"N": 3}) == wanted
