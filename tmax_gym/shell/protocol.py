"""The lines spoken to a bash behind a terminal, and the marks by which it answers.

Covers quoting of arbitrary commands, the line that runs one, the lines that prepare, restore
and repair a shell.  Does not cover reading and waiting: `session.py` does.

A command line has this shape, folded so that no part exceeds what a canonical tty takes; one
program with plain words has a shorter one, `plain_line`:

    { eval $'<command>' <to the tty>; eval $'PS1=<mark with $?>' <as before>; <save state>; } 2>&1

The prompt that bash then prints is the answer.  Its mark does not exist before the command has
ended.  Where a command aborts the line, the prompt before it appears once more.  (Printing a
mark first and saving behind it was tried: it costs 0.007 ms more than it hides.)

Everything of ours is silent inside the braces, whatever traces or DEBUG traps are on; the
command alone talks to the tty, which the shell always holds as descriptor 0; descriptor 1 is
/dev/null unless keys are typed, because opening it for every command takes a fifth of bash's
time.  A redirection of `eval` is undone when it ends, so `exec >file` in a command cannot take the
terminal away.

The mark is set by the same builtins, and with as many free descriptors, as the command was run by.
So a command that leaves a shell in which the next one could not run (`enable -n eval`,
`ulimit -n 3`, `readonly PS1`) shows by a prompt without a mark, and `tidy_line` mends the shell,
or tells that it cannot be mended.
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
"""Bytes of a command that fits into one tty line with all that surrounds it, fully escaped."""
_SILENT = b"} >/dev/null 2>&1\n"
QUIET = b" \\exec 1<>/dev/null;"
"""What goes before a line where the shell itself may still write to the terminal.  Not by
`builtin`: a redirection that `builtin` gets ends with it."""
_STTY = b"\\builtin command -p stty sane -echo -opost <&0; "

_UNALIAS = b"\\builtin unalias { } || \\builtin :; "
"""The only words of ours that cannot be quoted: with an alias, no line of ours would be one."""
_AS_BEFORE = b" <&1 <&1 2>&1 2>&1"
"""What stands behind our own `eval`: it needs as many descriptors as those of a command and of the
line around it, and prints nothing."""
_ALIAS, _LIMIT = b"alias", b"limit"
"""In the names of what makes aliases, and takes descriptors away, as a rule.  What does so by
other ways shows at the next command."""
_REPAIR = (
    # Assignments cannot be overridden, and in POSIX mode special builtins come before
    # functions: the one way into a shell in which `builtin` or `unset` is a function.
    b"POSIXLY_CORRECT=1; \\trap - DEBUG || \\builtin :; "
    b"\\enable enable builtin unset trap eval || \\builtin :; "
    b"\\unset -f enable builtin unset unalias trap eval exec; "
    b"\\builtin enable enable alias builtin cd command declare eval exec exit export printf return "
    b"set trap unalias unset . : || \\builtin :; \\trap - DEBUG RETURN ERR || "
    b"\\builtin :; \\unset POSIXLY_CORRECT; " + _UNALIAS
)


_REST = b" PS2= PS0= PROMPT_COMMAND=()"
"""What else is printed around commands; of an array, bash runs every element."""
SOUND, BROKEN, MENDED = 100, 400, 700
"""What `tidy_line` adds to `$?`, so that its number has three digits: commands run in this shell;
they do not; they did not, and do now."""


def examination(number: int) -> tuple[int, int]:
    """Return SOUND, BROKEN or MENDED, and the `$?` at the prompt that `tidy_line` found."""
    found = max(kind for kind in (SOUND, BROKEN, MENDED) if kind <= max(number, SOUND))
    return found, (number - found) % 256


class Marks(NamedTuple):  # a dataclass takes 1 us longer to make: one for every command
    """What the shell answers with: 64 random bits, never sent in one piece."""

    key: bytes
    printed: bytes
    """What comes back, after `ESC status |`."""
    prompt_alone: bytes
    """`prompt` for a shell that prints nothing else around its commands."""
    prompt_quoted: bytes
    """`prompt` as a word for `eval`."""

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

        An assignment, because builtins can be overridden; one digit of the key is written in
        octal, because what is sent or stored must not be what is printed.
        """
        return self.prompt_alone + _REST + b"; "

    def examined(self, number: bytes) -> bytes:
        """Return a word for `eval` that puts another number in the place of the status."""
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
    """Where a shell leaves its state: two files in turn, and one that is written on exit.

    Files are overwritten in place and end with `return`, so that a disk that is full cannot
    take away what was saved before: their pages are allocated.
    """

    stem: str
    """In a RAM disk that every user may write, out of the way of tasks."""
    saves: tuple[bytes, bytes]
    """Code that writes the newer file, and the other one."""
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
        """Return code that reads all files, the newest last, and goes where they say."""
        names = (self.stem + end for end in (self.older, self.newer, "x"))
        read = b"".join(_OTHERS + b"\\builtin . %s </dev/null; " % name.encode() for name in names)
        read += b"\\unset -f declare; "
        home = b"\\builtin cd -- %s; " % quote(cwd.encode())
        # The second reading is for OLDPWD; a directory may be gone.
        there = b'\\builtin cd -- "${PWD-}" && { %s \\builtin :; } || %s' % (read, home)
        return home + read + there

    def at_exit(self, marks: Marks) -> bytes:
        """Return code for a shell that ends by itself: report the status, save the state."""
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
"""Reads a saved state without variables that are ours: read-only ones would ruin the new shell."""


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
    """Return the line that runs `command` with `$?` as the last command left it.

    The state is saved afterwards where `slots` are given.  In a `wild` shell words may be aliases.
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
    """Return the line for one program with plain words, in a shell that prints nothing of its own.

    It costs bash half of what `command_line` does: such words need no quotes, cannot see `$?`, and
    cannot move a descriptor of the shell.  `places` puts only those in place that it needs: each
    redirection, with taking it back, costs bash a tenth of the rest.
    """
    words = command.strip().replace(b"\t", b" ")
    return b" %s %s; %s\n" % (words, places, marks.prompt_alone)


def keyboard_line(marks: Marks) -> bytes:
    """Return the line after which what is typed writes to the terminal; a prompt answers."""
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
    """Return a line that takes overrides of builtins back and resets the terminal and the prompt.

    A first newline ends typed junk.  The prompt is the answer: `examination` reads its number.
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
