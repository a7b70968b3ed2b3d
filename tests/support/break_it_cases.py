"""Fifty-five ways to break a persistent shell, with what must come back.

Every case is followed by `echo al""ive_42`, which must answer.  Names follow the table of the
reference text; what is expected was written down from what bash does in a terminal whose
keyboard is silent, not from what our shell returned.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tmax_gym.sandboxes import Sandbox
from tmax_gym.shell import Shell, ShellResult

HEREDOC = "".join(f"line {i:04d} $HOME `id` \\ 'q' \"q\" \t|\n" for i in range(600))
LONG = "".join(f"{i:07d} " for i in range(50_000))
BYTES = bytes(range(256)) * 400


def digest(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


SMALL = 64 << 20
"""Bytes that this process may grow by where a case is `small`: a fraction of what is printed."""


@dataclass(frozen=True)
class Case:
    name: str
    commands: tuple[str, ...]
    output: str | bytes | None = None
    """Exact output of the last command."""
    has: tuple[str, ...] = ()
    """Texts in the output of the last command."""
    code: int | str = 0
    """Exit status of the last command: a number, or `none`, `fails`, `any`."""
    late: bool = False
    restarted: bool | None = False
    within: float = 3.0
    """Seconds for each command; those that run out of time get more."""
    also: Callable[[ShellResult], bool] = field(default=lambda _: True)
    small: bool = False
    """Whether all that is printed must not be held in memory."""

    @property
    def timeout(self) -> float:
        return 0.6 if self.late else 20.0

    def verdict(self, seen: ShellResult) -> list[str]:
        """Return what is wrong with the last result."""
        given = {
            "output": seen.output_bytes if isinstance(self.output, bytes) else seen.output,
            "late": seen.timed_out,
        }
        wanted = {"output": given["output"] if self.output is None else self.output,
                  "late": self.late}  # fmt: skip
        wrong = [f"{k}: {given[k]!r:.300} for {wanted[k]!r:.300}"
                 for k in given if given[k] != wanted[k]]  # fmt: skip
        wrong += [f"no {part!r} in {seen.output[-300:]!r}"
                  for part in self.has if part not in seen.output]  # fmt: skip
        code = "none" if self.late else self.code
        good = {"none": seen.exit_code is None, "fails": bool(seen.exit_code), "any": True}
        if not good.get(str(code), seen.exit_code == code):
            wrong.append(f"status {seen.exit_code} for {code}")
        if self.restarted is not None and seen.restarted != self.restarted:
            wrong.append(f"restarted: {seen.restarted} ({seen.notice})")
        if seen.restarted and not seen.notice:
            wrong.append("a restart without a notice")
        if seen.seconds > self.within + (4.0 if self.late else 0.0):
            wrong.append(f"took {seen.seconds:.1f} s")
        if not self.also(seen):
            wrong.append("the extra check")
        return wrong


def attempt(case: Case, sandbox: Sandbox) -> tuple[list[str], bool]:
    """Return what was wrong with a case, and whether the session answered afterwards."""
    with Shell(sandbox, cwd="/tmp") as shell:
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts here: proc(5)
        before = _status("VmRSS")
        for command in case.commands:
            seen = shell.run(command, timeout=case.timeout)
        wrong = case.verdict(seen)
        if case.small and (grown := _status("VmHWM") - before) > SMALL:
            wrong.append(f"the process grew by {grown >> 20} MiB")
        after = shell.run('\\command echo al""ive_42', timeout=20.0)
    return wrong, "alive_42\n" in after.output


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(dict(line.split(":") for line in lines)[name].split()[0]) << 10


SERVE = """cat > /tmp/server.py <<'END'
import socket
s = socket.create_server(("127.0.0.1", 8123))
while True:
    c, _ = s.accept()
    c.sendall(b"served")
    c.close()
END
nohup python3 /tmp/server.py >/tmp/server.log 2>&1 &"""
FETCH = """for i in 1 2 3 4 5 6 7 8 9 10; do
  (exec 3<>/dev/tcp/127.0.0.1/8123 && cat <&3) 2>/dev/null && break
  sleep 0.3
done"""

CASES = (
    Case("cd persists", ("cd /usr/lib", "pwd"), "/usr/lib\n"),
    Case("export persists", ("export XX='a b'", "sh -c 'echo \"$XX\"'"), "a b\n"),
    Case("function/alias persists",
         ("f() { echo \"f:$1\"; }\nalias al='echo aliased'", "f 1; al 2"), "f:1\naliased 2\n"),
    Case("exit code", ("(exit 42)",), "", code=42),
    Case("no trailing newline exact", ("printf abc",), "abc"),
    Case("heredoc", ("cat <<'EOF'\na $HOME `x` \\ '\"!\n\tEOF\nEOF",),
         "a $HOME `x` \\ '\"!\n\tEOF\n"),
    Case("multi-line function+loop",
         ("g() {\n  for i in 1 2 3; do\n    echo \"$1$i\"\n  done\n}\n\ng x | tac",),
         "x3\nx2\nx1\n"),
    Case("24 kB heredoc write",
         (f"cat > /tmp/h.txt <<'EOF'\n{HEREDOC}EOF", "md5sum < /tmp/h.txt"),
         f"{digest(HEREDOC)}  -\n"),
    Case("400 kB command", (f"printf %s '{LONG}' | md5sum",), f"{digest(LONG)}  -\n"),
    Case("single 20 kB line", (f"echo '{'x' * 20_000}' | wc -c",), "20001\n"),
    Case("unbalanced quote", ("echo 'abc",), has=("unexpected EOF",), code="fails"),
    Case("comment only", ("# nothing",), ""),
    Case("empty command", ("",), ""),
    Case("trailing backslash", ("echo a\\",), has=("a",)),
    Case("two commands by newline", ("echo 1\necho 2",), "1\n2\n"),
    Case("stdin eater in script", ("cat\necho after",), "after\n"),
    Case("cat waits on stdin", ("cat",), ""),
    Case("read x waits on stdin", ("read x; echo \"[$?]$x\"",), "[1]\n"),
    Case("sleep 1000 time-out", ("sleep 1000",), late=True),
    Case("partial output kept on time-out", ("echo one; printf two; sleep 1000",),
         has=("one\ntwo",), late=True),
    Case("builtin busy loop time-out", ("while :; do :; done",), late=True),
    Case("ignores INT/TERM time-out",
         ("echo on; bash -c 'trap \"\" INT TERM; while :; do sleep 0.1; done'",),
         has=("on\n",), late=True),
    Case("python3 REPL", ("python3",), ""),
    Case("python3 input()", ("python3 -c 'input()'",), has=("EOFError",), code=1),
    # These two wait for keys from /dev/tty; an image without them answers 127 at once.
    Case("less file", ("command -v less || sleep 100; less /etc/passwd",), late=True),
    Case("vim", ("command -v vim || sleep 100; vim /tmp/new.txt </dev/tty",), late=True),
    Case("nested bash -i", ("bash --norc -i",), code="any"),
    Case("exit 3", ("exit 3",), code=3, restarted=True),
    Case("kill -9 $$", ("kill -9 $$",), code="none", restarted=True),
    Case("exec ls", ("exec ls /etc/passwd",), "/etc/passwd\n", code="none", restarted=True),
    Case("set -e; false", ("set -e; false",), code=1, restarted=True),
    Case("kill -STOP $$", ("kill -STOP $$",), late=True, restarted=True),
    Case("bg sleep & returns at once", ("sleep 300 &",), within=0.5),
    Case("bg daemon keeps stdout", ("sh -c 'sleep 300; echo never' & echo started",),
         has=("started\n",), within=0.5),
    Case("nohup server &", (SERVE, FETCH), has=("served",), within=8.0),
    Case("setsid daemon with tty output",
         ("setsid sh -c 'while :; do echo tick; sleep 0.02; done' &", "sleep 0.3; echo here"),
         has=("tick\n", "here\n")),
    Case("binary garbage",
         ("python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(256)) * 400)'",), BYTES),
    Case("invalid utf-8", (r"printf '\xff\xfe\x80ab\xc3'",), b"\xff\xfe\x80ab\xc3"),
    Case("NUL and ESC bytes", (r"printf 'a\0b\033[31mc\r\a'",), b"a\0b\x1b[31mc\r\a"),
    Case("unicode", ("echo 'žluťoučký 漢字 🎉'",), "žluťoučký 漢字 🎉\n"),
    Case("prompt text in output",
         ("true", "echo 'bash-5.2# '; echo '$ '; echo \"$PS1\"; echo \"${PS1@P}\"; "
          "sleep 0.2; echo end"), has=("bash-5.2# \n$ \n", "end\n")),
    Case("10 MB output", ("head -c 10000000 /dev/zero | tr '\\0' x",),
         also=lambda r: r.truncated_bytes + len(r.output_bytes) == 10_000_000),
    Case("yes for 3 s (memory)", ("timeout 3 yes",), code=124, within=5.0,
         small=True),
    Case("PS1/PROMPT_COMMAND changed",
         ("PS1='> '; PS2='? '; PROMPT_COMMAND='echo PC'", "echo ok"), "ok\n"),
    Case("exec >/dev/null", ("exec >/dev/null 2>&1", "echo ok"), "ok\n"),
    Case("exec <&-", ("exec <&-", "echo ok"), "ok\n"),
    Case("stty raw -isig; then sleep", ("stty raw -isig </dev/tty; sleep 1000",), late=True),
    Case("trap DEBUG/EXIT", ("trap 'echo dbg' DEBUG; trap 'echo bye' EXIT", "echo x"),
         "dbg\nx\n"),
    Case("set -o vi", ("set -o vi", "echo ok"), "ok\n"),
    Case("printf overridden",
         ("printf() { echo bad; }; echo() { printf bad; }; eval() { :; }; builtin() { :; }",
          "command echo ok"), "ok\n"),
    Case("PATH=/nonexistent", ("PATH=/nonexistent", "echo ok; ls"), has=("ok\n",), code=127),
    Case("ulimit -f/-n tiny", ("ulimit -f 0; ulimit -n 16", "echo ok"), "ok\n"),
    Case("fork bomb", (":(){ :|:& };:",), code="any", restarted=None, within=30.0),
    Case("memory hog 3 GB", ("python3 -c 'x = bytearray(3 << 30); print(len(x))'",),
         code="fails", restarted=None, within=20.0),
    Case("rm /bin/bash", ("rm -f /bin/bash /usr/bin/bash", "echo ok"), "ok\n"),
)  # fmt: skip
