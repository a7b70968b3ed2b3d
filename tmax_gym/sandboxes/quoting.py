"""Quotes arguments that are not UTF-8, so that they survive the JSON API of container engines.

Linux takes any bytes but NUL for arguments, directories and variables; Python holds bytes that
are not UTF-8 as surrogates (`os.fsencode`), and engines silently replace those with U+FFFD.  A
bash in between makes such words from ASCII.  Limit: the script is one argument, so at most 131,071
bytes, of which each such byte takes four.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from tmax_gym.sandboxes.login import BASH


def check(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> None:
    """Raise `ValueError` if Linux cannot start this: no name, a NUL, or no bytes for it."""
    words = [*argv, cwd, *(f"{name}={value}" for name, value in env.items())]
    if not argv or any("\0" in word for word in words):
        raise ValueError("a program needs a name, and no word of it may hold a NUL")
    for word in words:
        try:
            os.fsencode(word)
        except UnicodeEncodeError as error:
            raise ValueError(f"{word[:100]!a} has no bytes: {error.reason}") from error


def is_utf8(words: Iterable[str]) -> bool:
    """Return whether all these words are UTF-8, so that JSON can carry them."""
    return not any("\udc80" <= letter <= "\udcff" for word in words for letter in word)


def quoted(word: str) -> str:
    r"""Return a word of bash in ASCII that stands for these bytes.

    >>> quoted("it's\udcff")
    "$'it\\x27s\\xff'"
    """
    plain = (chr(b) if 32 <= b < 127 and b not in b"'\\" else f"\\x{b:02x}"
             for b in os.fsencode(word))  # fmt: skip
    return f"$'{''.join(plain)}'"


def through_bash(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> list[str]:
    """Return a bash in ASCII that becomes `argv`, in a directory and with these variables."""
    script = f"cd -- {quoted(cwd)} || exit 126; unset OLDPWD SHLVL; export -n PWD; "
    script += "".join(f"export {quoted(f'{name}={value}')}; " for name, value in env.items())
    return [*BASH, "-c", f"{script}exec {' '.join(map(quoted, argv))}"]
