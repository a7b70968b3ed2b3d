"""A process of root that knows the shell's mark, and prints it while a command still runs."""

from collections.abc import Iterator

import pytest

from tmax_gym.sandboxes import Backend, Sandbox
from tmax_gym.shell import Shell

# Reads the mark of the command under way in the shell's memory, as the shell was told to print it,
# and prints it with status 0: as the prompt would, but too early.
FORGER = r"""
import os, re, sys, time
shell, tty = int(sys.argv[1]), os.open("/dev/tty", os.O_WRONLY)
code = re.compile(rb'PS1="\\{1,2}036\$\?\|([0-9a-f]{8})\\{1,2}(\d{3})([0-9a-f]{7})=')
printed, end = set(), time.time() + 60
while time.time() < end:
    for line in open(f"/proc/{shell}/maps"):
        if " rw-p " not in line or "[v" in line: continue
        first, last = (int(x, 16) for x in line.split()[0].split("-"))
        with open(f"/proc/{shell}/mem", "rb", 0) as memory:
            memory.seek(first)
            try: data = memory.read(last - first)
            except OSError: continue
        for a, b, c in set(code.findall(data)) - printed:
            printed.add((a, b, c))
            os.write(tty, b"\x1e0|" + a + bytes([int(b, 8)]) + c + b"=")
    open("/tmp/new", "w").write(str(len(printed)))
    os.replace("/tmp/new", "/tmp/marks")
    time.sleep(0.05)
"""
START = (
    f"cat > /tmp/forger.py <<'END'\n{FORGER}\nEND\n"
    "python3 /tmp/forger.py $$ 2>/tmp/trouble & disown"
)


@pytest.fixture
def machine(any_backend: Backend, image: str) -> Iterator[Sandbox]:
    opened = any_backend.open(image)
    if opened.exec(["bash", "-c", "command -v python3"]).exit_code:
        pytest.skip("the forger is in Python")
    yield opened
    opened.close()


def marks(machine: Sandbox) -> int:
    """Return how many marks the forger has found and printed."""
    return int(machine.exec(["cat", "/tmp/marks"]).stdout)


@pytest.mark.parametrize(
    "command",
    [
        "sleep 1.5; (exit 3)",
        "python3 -c 'import time; time.sleep(1.5); raise SystemExit(3)'",
        "set +m; sleep 1.5; (exit 3)",
        "SECONDS=0; while ((SECONDS < 2)); do :; done; (exit 3)",
        "read -t 1.5 x < <(sleep 5); (exit 3)",
        "sleep 1.5 & wait; (exit 3)",
        "for i in 1 2 3; do sleep 0.5; echo $i; done; (exit 3)",
        "x=$(sleep 1.5; echo 3); (exit $x)",
    ],
)
def test_a_forged_mark_ends_no_command(machine: Sandbox, command: str) -> None:
    with Shell(machine, cwd="/tmp") as shell:
        shell.run(START)
        shell.run("sleep 0.5")
        known = marks(machine)
        seen = shell.run(command, timeout=20.0)
        assert marks(machine) > known  # it did find and print marks
        assert (seen.exit_code, seen.timed_out, seen.restarted) == (3, False, False)
        assert seen.seconds > 1.0
        assert "end-of-command mark" in seen.notice
        assert "next\n" in shell.run("echo next; (exit 4)").output


def test_a_forged_mark_does_not_hide_that_a_command_never_ends(machine: Sandbox) -> None:
    with Shell(machine, cwd="/tmp") as shell:
        shell.run(START)
        shell.run("sleep 0.5")
        seen = shell.run("echo begun; sleep 1000", timeout=1.5)
        assert seen.timed_out
        assert "begun\n" in seen.output
        # What the other process prints may come after it.
        assert "next\n" in shell.run("echo next").output


def test_output_after_a_forged_mark_belongs_to_its_command(machine: Sandbox) -> None:
    with Shell(machine, cwd="/tmp") as shell:
        shell.run(START)
        shell.run("sleep 0.5")
        seen = shell.run("echo one; sleep 1; echo two; sleep 0.5; echo three", timeout=20.0)
        assert seen.output == "one\ntwo\nthree\n"
