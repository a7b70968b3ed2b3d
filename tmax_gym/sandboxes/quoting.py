"""Words of a program that is started by way of JSON, which cannot carry every byte.

Linux takes any bytes but NUL for arguments, directories and variables; Python holds those that
are no UTF-8 as surrogates (`os.fsencode`).  Container engines put U+FFFD in their place without a
word.  Covers a bash in between that makes such words out of ASCII.  Does not cover scripts longer
than one argument: 131,071 bytes, four for each such byte.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

_BASH = ("/bin/bash", "--norc", "--noprofile", "-c")


def check(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> None:
    """Refuse what is no program for Linux.

    Raises:
        ValueError: There is no name, or a word that no machine can be given.
    """
    words = [*argv, cwd, *(f"{name}={value}" for name, value in env.items())]
    if not argv or any("\0" in word for word in words):
        raise ValueError("a program needs a name, and no word of it may hold a NUL")
    for word in words:
        try:
            os.fsencode(word)
        except UnicodeEncodeError as error:
            raise ValueError(f"{word[:100]!a} stands for no bytes: {error.reason}") from error


def carried(words: Iterable[str]) -> bool:
    """Return whether JSON carries all these words as they are."""
    return not any("\udc80" <= letter <= "\udcff" for word in words for letter in word)


def spelt(word: str) -> str:
    r"""Return a word as bash reads it from ASCII.

    >>> spelt("it's\udcff")
    "$'it\\x27s\\xff'"
    """
    plain = (chr(b) if 32 <= b < 127 and b not in b"'\\" else f"\\x{b:02x}"
             for b in os.fsencode(word))  # fmt: skip
    return f"$'{''.join(plain)}'"


def through_bash(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> list[str]:
    """Return a program that becomes `argv` in a directory, all words in ASCII."""
    script = f"cd -- {spelt(cwd)} || exit 126; unset OLDPWD SHLVL; export -n PWD; "
    script += "".join(f"export {spelt(f'{name}={value}')}; " for name, value in env.items())
    return [*_BASH, f"{script}exec {' '.join(map(spelt, argv))}"]
