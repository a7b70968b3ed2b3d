"""Which commands cannot change what is saved of a shell: no need to save it again.

Covers what is certain from the text alone: one program, by name, with plain words.  Saving costs
more than all else that is done for a command (half of 0.1 ms, with many shells).
Does not cover shells in which such a name may be a function or an alias: once a text could have
made one, every command is saved after.
"""

from __future__ import annotations

import re

_PLAIN = re.compile(rb"[ \t]*([\w./:+@%-]+)(?:[ \t]+[\w./:+@%,=^~*?-]+)*[ \t]*\n?\Z")
"""Nothing that bash expands, but for names of files; no quotes, operators or redirections."""
_HARMLESS = frozenset({b":", b"true", b"false", b"echo", b"pwd", b"test", b"jobs", b"times"})
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


def keeps_state(command: bytes) -> bool:
    """Return whether a command leaves directory, exports, functions and aliases as they were."""
    found = _PLAIN.match(command)
    return found is not None and (found[1] not in _OWN or found[1] in _HARMLESS)


def may_rename(command: bytes) -> bool:
    """Return whether, after this, the name of a program may stand for something else."""
    return _WILD.search(command) is not None
