"""The lines that are sent to a bash on a terminal, and the marks with which it answers.

There are lines to run a command, to prepare, restore and repair a shell.  `session.py` sends them.

A command's line has this form, folded so that no part is longer than a canonical tty takes (a
program with plain words has a shorter one, `plain_line`):

    { eval $'<command>' <to the tty>; eval $'PS1=<mark with $?>' <as before>; <save state>; } 2>&1

The prompt that bash then prints is the answer.  Its mark does not exist before the command has
ended.  If a command aborts the line, the prompt before it appears once more.  (Printing a mark
first and saving after it was tried: it costs 0.007 ms more than it saves.)

Our own code is silent inside the braces, whatever traces or DEBUG traps are on.  Only the command
writes to the tty, which the shell always holds as descriptor 0; descriptor 1 is /dev/null unless
keys are typed, because opening it for every command takes a fifth of bash's time.  A redirection of
`eval` is undone when it ends, so `exec >file` in a command cannot take the terminal away.

The mark is set by the same builtins, and needs as many free descriptors, as the command itself.  So
if a command leaves a shell in which the next one could not run (`enable -n eval`, `ulimit -n 3`,
`readonly PS1`), its prompt has no mark, and `tidy_line` repairs the shell or reports that it
cannot be repaired.
"""

from __future__ import annotations

import os
import re
from binascii import hexlify
from dataclasses import dataclass
from typing import NamedTuple

_SPECIAL = re.compile(rb"[\x00-\x1f'\\!\x7f]")
# An atom is one escape or one byte.  900 atoms are 3,600 bytes at most, of the 4,095 that a
# line of a canonical tty may have (n_tty.c).  A piece never ends inside a UTF-8 character.
_ATOMS = rb"(?:\\[0-7]{3}|[^\\]){1,900}"
_PIECE = re.compile(rb"%s(?![\x80-\xbf])|%s" % (_ATOMS, _ATOMS))
_FOLD = b"'\\\n$'"
_SHORT = 800
"""Most bytes of a command that fits into one tty line, fully escaped and with our code around."""
_SILENT = b"} >/dev/null 2>&1\n"
QUIET = b" \\exec 1<>/dev/null;"
"""Goes before a line if the shell itself may still write to the terminal.  Without `builtin`, as a
redirection of `builtin` ends with it."""
_STTY = b"\\builtin command -p stty sane -echo -opost <&0; "
_UNALIAS = b"\\builtin unalias { } || \\builtin :; "
"""The only words of ours that cannot be quoted; aliases of them would break every line of ours."""
_AS_BEFORE = b" <&1 <&1 2>&1 2>&1"
"""Follows our own `eval`: it needs as many descriptors as a command and the line around it, and
prints nothing."""
_ALIAS, _LIMIT = b"alias", b"limit"
"""Commands that make aliases or take descriptors away usually have these in their names.  If others
do so, the next command shows it."""
_REPAIR = (
    # Assignments cannot be overridden, and in POSIX mode special builtins come before functions:
    # that is the only way to repair a shell in which `builtin` or `unset` is a function.
    b"POSIXLY_CORRECT=1; \\trap - DEBUG || \\builtin :; "
    b"\\enable enable builtin unset trap eval || \\builtin :; "
    b"\\unset -f enable builtin unset unalias trap eval exec; "
    b"\\builtin enable enable alias builtin cd command declare eval exec exit export printf return "
    b"set trap unalias unset . : || \\builtin :; \\trap - DEBUG RETURN ERR || "
    b"\\builtin :; \\unset POSIXLY_CORRECT; " + _UNALIAS
)
_REST = b" PS2= PS0= PROMPT_COMMAND=()"
"""Everything else that bash prints or runs around commands; it runs each element of an array."""
SOUND, BROKEN, MENDED = 100, 400, 700
"""`tidy_line` adds one of these to `$?`, which makes three digits: commands run in this shell; they
do not; they did not, and do so again."""


def examination(number: int) -> tuple[int, int]:
    """Return SOUND, BROKEN or MENDED, and `$?` from the number in the answer to `tidy_line`."""
    state = max(kind for kind in (SOUND, BROKEN, MENDED) if kind <= max(number, SOUND))
    return state, (number - state) % 256


class Marks(NamedTuple):  # a dataclass takes 1 us longer to make: one for every command
    """Marks of one answer: 64 random bits, which are never sent to the shell in one piece."""

    key: bytes
    printed: bytes
    """The mark in the output, after `ESC status |`."""
    prompt_alone: bytes
    """Like `prompt`, for a shell that prints nothing else around commands."""
    prompt_quoted: bytes
    """Like `prompt`, as a word for `eval`."""

    @classmethod
    def fresh(cls) -> Marks:
        """Draw new marks."""
        key = hexlify(os.urandom(8))
        parts = (key[:8], key[8], key[9:])
        alone = b'PS1="\\036$?|%b\\%03o%b="' % parts
        quoted = b'$\'PS1="\\\\036$?|%b\\\\%03o%b="' % parts + _REST + b"'"
        return cls(key, key + b"=", alone, quoted)

    def prompt(self) -> bytes:
        """Return code that makes the next prompt print the mark, with the present `$?`.

        It is an assignment, because builtins can be overridden; one digit of the key is in octal,
        because the text that is sent or stored must differ from the mark.
        """
        return self.prompt_alone + _REST + b"; "

    def examined(self, number: bytes) -> bytes:
        """Return `prompt_quoted` with another number in the place of the status."""
        code = b'PS1="\\036$((%b))|%b\\%03o%b="' % (
            number, self.key[:8], self.key[8], self.key[9:]
        )  # fmt: skip
        return quote(code + _REST)

    def say(self) -> bytes:
        """Return code that prints the mark at once."""
        halves = (self.key[:8], self.key[8:])
        return b"\\builtin printf '\\036%%s|%%s%%s=' \"$?\" %b %b >/dev/tty; " % halves


@dataclass(frozen=True, slots=True)
class Slots:
    """The files for a shell's state: two in turn, and one that is written on exit.

    Files are overwritten in place and end with `return`: their pages are allocated, so that a save
    to a full disk does not destroy what was saved before.
    """

    stem: str
    """The start of their names, in a RAM disk that every user may write and tasks do not use."""
    saves: tuple[bytes, bytes]
    """Code that writes the newer file, and the older one."""
    newer: str = "0"
    older: str = "1"

    @classmethod
    def fresh(cls) -> Slots:
        """Draw a hidden name."""
        stem = f"/dev/shm/.{os.urandom(4).hex()}"
        return cls(stem, (_state(stem + "0"), _state(stem + "1")))

    def turned(self) -> Slots:
        """Return the slots with the other file as the newer one."""
        return Slots(self.stem, self.saves[::-1], self.older, self.newer)

    def restore(self, cwd: str) -> bytes:
        """Return code that reads all files, the newest last, and enters the saved directory."""
        names = (self.stem + end for end in (self.older, self.newer, "x"))
        read = b"".join(_OTHERS + b"\\builtin . %s </dev/null; " % name.encode() for name in names)
        read += b"\\unset -f declare; "
        home = b"\\builtin cd -- %s; " % quote(cwd.encode())
        # The second reading is for OLDPWD; a directory may be gone.
        there = b'\\builtin cd -- "${PWD-}" && { %s \\builtin :; } || %s' % (read, home)
        return home + read + there

    def at_exit(self, marks: Marks) -> bytes:
        """Return code by which a shell that ends reports its status and saves its state."""
        body = b"{ " + marks.say() + _state(f"{self.stem}x") + b"} 2>/dev/null"
        # After `ulimit -f` a save would kill the shell by SIGXFSZ, were it not caught.
        return b"\\builtin trap %s EXIT; \\builtin trap : XFSZ; { :; } >|%sx; " % (
            quote(body),
            self.stem.encode(),
        )


_OTHERS = (
    b"declare() { [[ ${2-} == @(PS[0-4]|PROMPT_COMMAND|POSIXLY_CORRECT)* ]] || "
    b'\\builtin declare -g "$@"; }; '
)
"""Skips our own variables in a saved state: read-only ones would make the new shell useless."""


def _state(path: str) -> bytes:
    parts = (
        "{ \\builtin declare -px; \\builtin declare -f; \\builtin alias -p; "
        f"\\builtin printf '\\\\return\\n'; }} 1<>{path} || \\builtin :; "
    )
    return parts.encode()


def quote(command: bytes) -> bytes:
    r"""Return `command` as bash words `$'...'` of printable bytes, folded into short lines.

    >>> quote(b"echo 'a'\n").decode()
    "$'echo \\047a\\047\\012'"
    """
    escaped = _SPECIAL.sub(lambda match: b"\\%03o" % match[0][0], command)
    if len(command) <= _SHORT:
        return b"$'" + escaped + b"'"
    return b"$'" + _FOLD.join(_PIECE.findall(escaped)) + b"'"


def command_line(
    marks: Marks, command: bytes, slots: Slots | None, *, status: int = 0, wild: bool = False
) -> bytes:
    """Return the line that runs `command`, with `$?` as the last command left it.

    The state is saved afterwards if `slots` are given.  In a `wild` shell words may be aliases.
    """
    wild = wild or _ALIAS in command or _ALIAS.upper() in command
    # The words of a command substitution set `$?` without tripping `set -e`; it forks.
    fold = b"\\\n" if len(command) > _SHORT else b""
    last = b" $(\\builtin exit %d)" % status if status else b""
    return b"".join(
        (
            b" { \\builtin eval ",
            fold,
            quote(command),
            last,
            b" 2>&0 <&1 >&2; ",
            fold,
            b"\\builtin eval ",
            marks.prompt_quoted,
            _AS_BEFORE if _LIMIT in command else b"",
            b"; ",
            slots.saves[0] if slots else b"",
            _UNALIAS if wild else b"",
            b"} 2>&1\n",
        )
    )


def plain_line(marks: Marks, command: bytes, places: bytes) -> bytes:
    """Return the line for one program with plain words, in a shell that prints nothing by itself.

    It takes bash half as long as `command_line`: such words need no quotes, cannot see `$?`, and
    cannot change a descriptor of the shell.  `places` are the redirections that it needs: each one
    takes bash a tenth of the rest.
    """
    words = command.strip().replace(b"\t", b" ")
    return b" %s %s; %s\n" % (words, places, marks.prompt_alone)


def keyboard_line(marks: Marks) -> bytes:
    """Return the line after which typed commands write to the terminal; a prompt answers."""
    return b" \\exec >&0; { " + marks.prompt() + _SILENT


def setup_line(
    marks: Marks, at_exit: Marks, slots: Slots, *, stty: bool, restore: bytes = b""
) -> bytes:
    """Return the first line of a shell: quiet, without history, with `restore` done."""
    return b"".join(
        (
            QUIET,
            b" { ",
            _STTY if stty else b"",
            b"\\builtin set +o history; \\builtin set +H; \\builtin unset MAILCHECK TMOUT; ",
            b"\\builtin export PAGER=cat GIT_PAGER=cat; ",
            b"\\\n",
            restore,
            _REPAIR if restore else b"",
            slots.at_exit(at_exit),
            b"\\\n",
            marks.prompt(),
            _SILENT,
        )
    )


def tidy_line(marks: Marks) -> bytes:
    """Return a line that restores overridden builtins, and resets the terminal and the prompt.

    A first newline ends typed junk.  The prompt is the answer; `examination` decodes its number.
    """
    broken = b'PS1="\\036$(($?+%d))|%b\\%03o%b="; ' % (
        BROKEN, marks.key[:8], marks.key[8], marks.key[9:]
    )  # fmt: skip
    run = b"\\builtin eval %b" + _AS_BEFORE + b" || \\builtin :; "
    well = run % marks.examined(b"${PS1:4:3}-%d" % (BROKEN - SOUND))
    mended = run % marks.examined(
        b"${PS1:4:3}<%d?${PS1:4:3}:${PS1:4:3}+%d" % (BROKEN, MENDED - BROKEN)
    )
    return b"".join(
        (b"\n { ", broken, b"\\\n", well, b"\\\n", _REPAIR, mended, b"\\\n", _STTY, _SILENT)
    )
