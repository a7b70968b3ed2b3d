"""Find the programs that a reference solution runs, with their options and kinds of files.

A shell may start a program directly, by `xargs`, `env`, `timeout` and the like, by `find -exec`,
by `bash -c`, and in scripts that the solution writes.  Builtins of the shell, programs of the task
and programs that a Python or a compiled program starts do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tmax_gym.analysis.measures.shell_words import SUBSTITUTED, Simple, commands

_BUILTINS = """
. : [ [[ alias bg break builtin cd command continue declare dirs disown echo enable eval exec
exit export false fg getopts hash help history jobs kill let local logout mapfile popd printf
pushd pwd read readarray readonly return set shift shopt source test times trap true type
typeset ulimit umask unalias unset wait
"""
BUILTINS = frozenset(_BUILTINS.split())
PASSING = {
    "command": 0, "builtin": 0, "exec": 0, "env": 0, "nohup": 0, "nice": 0, "setsid": 0,
    "sudo": 0, "stdbuf": 0, "xargs": 0, "timeout": 1,
}  # fmt: skip
"""Commands that start another one, and their number of own arguments before it."""
VALUED = re.compile(r"-[nILPdasuk]\Z")
"""Options of those commands that take the next word as their value."""
VERBS = frozenset(
    ("git", "openssl", "ip", "cargo", "go", "npm", "apt-get", "pip", "systemctl", "docker")
)
"""Programs with subcommands."""
SHELLS = frozenset({"bash", "sh", "dash"})
KINDS = {
    "table": "csv tsv",
    "records": "json jsonl yaml yml toml xml",
    "text": "txt md log rst",
    "database": "db sqlite sqlite3 sql",
    "archive": "tar gz tgz bz2 xz zip enc 7z bak",
    "image": "png jpg jpeg gif bmp pgm ppm",
    "audio": "wav",
    "video": "avi mp4",
    "code": "py c h cpp hpp rs go awk sed jq js",
    "script": "sh bash",
    "settings": "conf cfg ini service env",
}
"""Kinds of files, by their suffixes."""
_KIND = {ending: kind for kind, endings in KINDS.items() for ending in endings.split()}
_ENDING = re.compile(r"\.([a-z0-9]+)\Z")
_OPTION = re.compile(r"--[A-Za-z][\w-]*|-[A-Za-z]+")
_SHEBANG = re.compile(r"#!.*\b(?:ba|da)?sh\b")


class Use(NamedTuple):
    """One use of a program."""

    program: str
    options: str
    """Its subcommand, and its options without values, sorted."""
    artifact: str
    """Kind of a file among its arguments or redirections; "" if there is none."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The programs of a solution."""

    programs: tuple[str, ...]
    """Every call of a program, in the order of the text."""
    fingerprint: frozenset[Use]


def profile(solution: Sequence[str]) -> Profile:
    """Return the programs in the commands of a solution.

    >>> profile(["sort -t, -k2 /app/a.csv > /app/b.json"]).programs
    ('sort',)
    """
    started: list[str] = []
    uses: set[Use] = set()
    for simple in _flat("\n".join(solution)):
        words = simple.words
        name = words[0].rpartition("/")[2]
        of_task = words[0].startswith(("/app/", "/tmp/", "./", "../"))
        if of_task or name in BUILTINS or not re.fullmatch(r"[A-Za-z][\w.+-]*", name):
            continue
        started.append(name)
        options = " ".join(_options(name, words[1:]))
        kinds = {_kind(word) for word in (*words[1:], *simple.targets)} - {""}
        uses.update(Use(name, options, kind) for kind in kinds or {""})
    return Profile(tuple(started), frozenset(uses))


def _flat(script: str) -> Iterator[Simple]:
    """Yield the commands of a script and of the scripts that it starts or writes."""
    for simple in commands(script):
        for inner in _passed(simple):
            yield inner
            program = inner.words[0].rpartition("/")[2]
            if program in SHELLS and "-c" in inner.words[:-1]:
                yield from _flat(inner.words[inner.words.index("-c") + 1])
            fed = program in SHELLS and len(inner.words) == 1
            if fed or _SHEBANG.match(inner.document):
                yield from _flat(inner.document)


def _passed(simple: Simple) -> Iterator[Simple]:
    """Yield a command, and the command that it starts, if any."""
    words = list(simple.words)
    yield simple
    if words[0] == "find":
        for at, word in enumerate(words[:-1]):
            if word in ("-exec", "-execdir", "-ok"):
                rest = words[at + 1 :]
                ends = [rest.index(mark) for mark in (";", "+") if mark in rest]
                yield from _passed(Simple(tuple(rest[: min(ends, default=len(rest))])))
        return
    if words[0] not in PASSING:
        return
    own, at = PASSING[words[0]], 1
    while at < len(words) and (own or words[at].startswith("-") or "=" in words[at]):
        if words[at].startswith("-"):
            at += bool(VALUED.match(words[at]))
        elif "=" not in words[at]:
            own -= 1
        at += 1
    if at < len(words):
        yield from _passed(Simple(tuple(words[at:]), simple.targets, simple.document))


def _options(program: str, words: Sequence[str]) -> list[str]:
    options = {m[0] for word in words if (m := _OPTION.match(word))}
    plain = [word for word in words if not word.startswith("-") and word != SUBSTITUTED]
    verb = plain[:1] if program in VERBS else []
    return [*verb, *sorted(options)]


def _kind(word: str) -> str:
    ending = _ENDING.search(word.lower())
    return _KIND.get(ending[1], "") if ending else ""
