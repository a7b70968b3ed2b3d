"""How source of each language is named, compiled and started.

Instructions, reference solutions and the verifier use the same commands, which need no network.
"""

from __future__ import annotations

from collections.abc import Mapping

NAMES: Mapping[str, str] = {
    "bash": "Bash",
    "c": "C",
    "cpp": "C++",
    "go": "Go",
    "python": "Python",
    "rust": "Rust",
}
SUFFIX: Mapping[str, str] = {
    "bash": "sh",
    "c": "c",
    "cpp": "cpp",
    "go": "go",
    "python": "py",
    "rust": "rs",
}
"""The usual file name suffix of each language."""
INTERPRETER: Mapping[str, str] = {"bash": "bash", "python": "python3"}
COMPILER: Mapping[str, tuple[str, ...]] = {
    "c": ("gcc", "-O2", "-std=gnu11"),
    "cpp": ("g++", "-O1", "-std=c++17"),
    "go": ("go", "build"),
    "rust": ("rustc", "--edition=2021"),
}
"""The compiler and its options, without the files.

Every grading compiles, so it optimises little: a program of 200 lines takes about 0.1 (C), 1.1
(C++), 0.4 (Go) and 1.5 s (Rust) in `poly`; with `-O`, Rust takes 4 to 6.
"""
LIBRARIES: Mapping[str, tuple[str, ...]] = {"c": ("-lm",), "cpp": ("-lm",)}


def programs(language: str) -> frozenset[str]:
    """Return the compilers that a task of this language needs; `multi` may need any of three.

    >>> sorted(programs("multi"))
    ['g++', 'go', 'rustc']
    """
    compiled = ("cpp", "go", "rust") if language == "multi" else (language,)
    return frozenset(COMPILER[name][0] for name in compiled if name in COMPILER)


def call(language: str) -> str:
    """Return how instructions tell the way a program is compiled.

    `gcc` links the mathematical functions of C only if told to; `g++` always does.

    >>> call("c"), call("cpp")
    ('gcc -O2 -std=gnu11 ... -lm', 'g++ -O1 -std=c++17')
    """
    words = COMPILER[language]
    return " ".join((*words, "...", *LIBRARIES["c"]) if language == "c" else words)


def build(language: str, source: str, target: str) -> tuple[str, ...]:
    """Return the command that compiles a file; empty for interpreted languages.

    >>> " ".join(build("rust", "/app/a.rs", "/tmp/a"))
    'rustc --edition=2021 -o /tmp/a /app/a.rs'
    """
    if language not in COMPILER:
        return ()
    return (*COMPILER[language], "-o", target, source, *LIBRARIES.get(language, ()))


def start(language: str, source: str, target: str) -> tuple[str, ...]:
    """Return the command that starts a program; unknown languages run the file itself."""
    if language in COMPILER:
        return (target,)
    return (INTERPRETER[language], source) if language in INTERPRETER else (source,)
