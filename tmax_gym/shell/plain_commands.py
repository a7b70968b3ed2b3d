"""Recognises commands after which the shell's state need not be saved, as they cannot change it.

Decided by the text alone: one program, by name, with plain words.  Saving costs more than all
other work for a command (half of 0.1 ms, with many shells).
Once a command may have made a function or an alias, such a name may stand for anything, and the
state is saved after every command.  `may_print` does not find every way to make a shell print by
itself; a command that escapes it has lines of ours in its output, and nothing worse happens.
"""

from __future__ import annotations

import re

_PLAIN = re.compile(rb"[ \t]*([\w./:+@%-]+)(?:[ \t]+[\w./:+@%,=^~*?-]+)*[ \t]*\n?\Z")
"""No expansions but those of file names, and no quotes, operators or redirections."""
_LONGEST = 2000
"""Most bytes of a plain command: it fits into one line of a tty, with our code around it."""
HARMLESS = frozenset({b":", b"true", b"false", b"echo", b"pwd", b"test", b"jobs", b"times"})
"""Builtins that change nothing and do not read standard input."""
SILENT = frozenset({b":", b"true", b"false", b"test"})
"""Those that print nothing but errors, whatever their arguments are."""
# Builtins and keywords: `compgen -b` and `compgen -k` of bash 5.2.  Every other name is a program.
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
"""Traces, traps and prompts."""


def plain_name(command: bytes) -> bytes | None:
    """Return the name in a command that cannot change directory, exports, functions and aliases.

    None for every other command.
    """
    if len(command) > _LONGEST or not (match := _PLAIN.match(command)):
        return None
    name: bytes = match[1]
    return name if name in HARMLESS or name not in _OWN else None


def may_rename(command: bytes) -> bool:
    """Return whether, after this, a program's name may be a function or an alias."""
    return _WILD.search(command) is not None


def may_print(command: bytes) -> bool:
    """Return whether, after this, the shell itself may print something around a command."""
    return _LOUD.search(command) is not None
