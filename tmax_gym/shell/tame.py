"""Which commands cannot change what is saved of a shell: no need to save it again.

Covers what is certain from the text alone: one program, by name, with plain words.  Saving costs
more than all else that is done for a command (half of 0.1 ms, with many shells).
Does not cover shells in which such a name may be a function or an alias: once a text could have
made one, every command is saved after.  Nor does it find all that makes a shell print of itself:
who hides that from `may_print` sees lines of ours in the output, and no more.
"""

from __future__ import annotations

import re

_PLAIN = re.compile(rb"[ \t]*([\w./:+@%-]+)(?:[ \t]+[\w./:+@%,=^~*?-]+)*[ \t]*\n?\Z")
"""Nothing that bash expands, but for names of files; no quotes, operators or redirections."""
_LONGEST = 2000
"""Bytes of a command that is looked at: it fits into one line of a tty, with all around it."""
_HARMLESS = frozenset({b":", b"true", b"false", b"echo", b"pwd", b"test", b"jobs", b"times"})
_SILENT = frozenset({b":", b"true", b"false", b"test"})
"""Of these, what prints nothing but errors, whatever its words are."""
# What `compgen -b` and `compgen -k` of bash 5.2 print: whatever else is a program.
_OWN = frozenset(
    b". : [ alias bg bind break builtin caller cd command compgen complete compopt continue"
    b" declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history"
    b" jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set"
    b" shift shopt source suspend test times trap true type typeset ulimit umask unalias unset"
    b" wait ! [[ ]] { } case coproc do done elif else esac fi for function if in select then time"
    b" until while".split()
)
_WILD = re.compile(
    rb"\(\s*\)|\b(?:function|alias|eval|source|trap|shopt|enable|mapfile|readarray|bind)\b"
    rb"|(?:^|[\s;&|({!])\\?\.\s|_COMMAND|BASH_"
)
_LOUD = re.compile(rb"\b(?:set|trap|shopt)\b|PS[0-4]|PROMPT")
"""Traces, traps, and what is printed around a command."""


def plain_name(command: bytes) -> bytes | None:
    """Return the name in a command that leaves directory, exports, functions and aliases alone.

    None in any that may change them.
    """
    if len(command) > _LONGEST or not (found := _PLAIN.match(command)):
        return None
    name: bytes = found[1]
    return name if name in _HARMLESS or name not in _OWN else None


def reads_nothing(name: bytes) -> bool:
    """Return whether a plain command of that name leaves the input alone: one of bash's own."""
    return name in _HARMLESS


def prints_nothing(name: bytes) -> bool:
    """Return whether a plain command of that name leaves standard output alone as well."""
    return name in _SILENT


def may_rename(command: bytes) -> bool:
    """Return whether, after this, the name of a program may stand for something else."""
    return _WILD.search(command) is not None


def may_print(command: bytes) -> bool:
    """Return whether, after this, the shell itself may print around a plain command."""
    return _LOUD.search(command) is not None
