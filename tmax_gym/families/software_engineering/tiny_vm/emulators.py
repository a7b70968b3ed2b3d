"""Reference emulators of the tiny-vm family in five languages.

Covers the loop around the instructions; what each does is in `machine.py`, as Python and as
C, and here where the line of C will not do.
"""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.software_engineering.tiny_vm.machine import OPERATIONS, STEPS

PYTHON = program_text(__package__, "main.py")
C = program_text(__package__, "main.c")
CPP = program_text(__package__, "main.cpp")
GO = program_text(__package__, "main.go")
RUST = program_text(__package__, "main.rs")
BODIES = {"c": C, "cpp": CPP, "go": GO, "rust": RUST}
CASES = {
    "c": "        case 0x{code:02X}: {does} break; /* {name} */",
    "cpp": "        case 0x{code:02X}: {does} break; // {name}",
    "go": "\t\tcase 0x{code:02X}: // {name}\n\t\t\t{does}",
    "rust": "            0x{code:02X} => {{ {does} }} // {name}",
}
OTHERWISE: Mapping[str, Mapping[str, str]] = {
    "go": {
        "DJN": "if r[a] = (r[a] - 1) & 65535; r[a] != 0 {\n\t\t\t\tat = y - 1\n\t\t\t}",
        "HEX": 'fmt.Printf("%04x\\n", r[a])',
        "JLT": "if r[a] < r[(a+1)%4] {\n\t\t\t\tat = y - 1\n\t\t\t}",
        "OUT": "fmt.Println(r[a])",
        "SWP": "r[a], r[b] = r[b], r[a]",
    },
    "rust": {
        "DJN": "r[a] = (r[a] - 1) & 65535; if r[a] != 0 { at = y - 1; }",
        "HEX": 'println!("{:04x}", r[a]);',
        "JLT": "if r[a] < r[(a + 1) % 4] { at = y - 1; }",
        "OUT": 'println!("{}", r[a]);',
        "SWP": "r.swap(a, b);",
    },
}
"""Instructions in languages that cannot use the line of C."""


def emulator(codes: Mapping[str, int], language: str) -> str:
    """Return the emulator of a machine."""
    if language == "python":
        cases = "\n".join(
            f"    {'el' if n else ''}if op == 0x{code:02X}:  # {name}\n        "
            f"{OPERATIONS[name].python}"
            for n, (name, code) in enumerate(codes.items())
        )
        body = PYTHON
    else:
        others = OTHERWISE.get(language, {})
        cases = "\n".join(
            CASES[language].format(code=code, name=name, does=others.get(name, OPERATIONS[name].c))
            for name, code in codes.items()
        )
        body = BODIES[language]
    return body.replace("@cases", cases).replace("@limit", str(STEPS))
