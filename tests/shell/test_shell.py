"""The shell on real sandboxes: exact bytes, state, restarts, keys, and what must raise."""

import os
import pty
import resource
import select
import shlex
import threading
import time
import tty
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tmax_gym.errors import SandboxError, ShellError
from tmax_gym.sandboxes import Backend, Sandbox
from tmax_gym.shell import Shell
from tmax_gym.shell.coroutines import finish
from tmax_gym.shell.protocol import quote
from tmax_gym.shell.stream import UNSURE, Capture, Stream

# One shell serves many examples: that is what it is for.
MANY = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
WORDS = st.text(
    st.one_of(
        st.characters(exclude_characters="\0", exclude_categories=["Cs"]),
        st.sampled_from("\n\t\r\\'\"!$`#{}()<>&;|*?[]~^ \x01\x03\x04\x11\x13\x1a\x1b\x1c\x7f\xa0"),
    ),
    max_size=300,
)


@pytest.fixture(scope="module")
def sandbox(native_backend: Backend, image: str) -> Iterator[Sandbox]:
    opened = native_backend.open(image)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def shared(sandbox: Sandbox) -> Iterator[Shell]:
    with Shell(sandbox, cwd="/tmp") as shell:
        yield shell


@pytest.fixture
def shell(sandbox: Sandbox) -> Iterator[Shell]:
    with Shell(sandbox, cwd="/tmp") as opened:
        yield opened


@pytest.fixture
def machine(any_backend: Backend, image: str) -> Iterator[Sandbox]:
    opened = any_backend.open(image)
    yield opened
    opened.close()


@MANY
@given(WORDS)
@example("'" * 2000 + "é" * 1500 + "\n" * 900)
def test_any_text_echoes_back_byte_for_byte(shared: Shell, text: str) -> None:
    seen = shared.run(f"printf %s {shlex.quote(text)}")
    assert (seen.output_bytes, seen.exit_code) == (text.encode(), 0)


@MANY
@given(st.binary(max_size=2000))
@example(bytes(range(256)) * 20)
@example(b"\x1e0|0123456789abcdef=")
def test_any_output_bytes_survive(shared: Shell, data: bytes) -> None:
    seen = shared.run("printf '" + "".join(f"\\{byte:03o}" for byte in data) + "'")
    assert seen.output_bytes == data
    assert seen.output == data.decode(errors="replace")


@MANY
@given(st.integers(0, 255))
def test_the_status_is_exact_and_the_next_command_sees_it(shared: Shell, status: int) -> None:
    assert shared.run(f"(exit {status})").exit_code == status
    assert shared.run("echo $?").output == f"{status}\n"


@given(st.binary(max_size=9000).map(lambda data: data.replace(b"\0", b"")))
@example(b"\x80" * 5000)
@example(b"\\'!" * 2000)
def test_no_line_exceeds_what_a_tty_takes(command: bytes) -> None:
    line = b"\\builtin eval " + quote(command)
    assert max(len(part) for part in line.split(b"\n")) <= 4095 - 64
    assert all(32 <= byte < 127 or byte >= 128 or byte == 10 for byte in line)


@given(st.lists(st.binary(max_size=70_000), max_size=30), st.integers(1, 40_000))
@settings(max_examples=50)
def test_a_capture_keeps_head_and_tail_of_any_stream(parts: list[bytes], half: int) -> None:
    capture = Capture(2 * half)
    for part in parts:
        capture.feed(part)
    capture.finish()
    whole = b"".join(parts)
    if len(whole) <= 2 * half:
        assert (bytes(capture.head + capture.tail), capture.dropped) == (whole, 0)
    else:
        kept = (whole[:half], whole[-half:], len(whole) - 2 * half)
        assert (bytes(capture.head), bytes(capture.tail), capture.dropped) == kept


STATE = "mkdir -p /tmp/d; cd '/tmp/d'; export EX=$'a\\nb'; fn() { echo fn; }; alias al='echo al'"
RECALL = 'pwd; echo "$EX"; fn; al'
RECALLED = "/tmp/d\na\nb\nfn\nal\n"


@pytest.mark.parametrize("end", ["exit 7", "kill -9 $$", "exec true", "set -e; false"])
def test_a_killed_shell_comes_back_with_its_state(shell: Shell, end: str) -> None:
    shell.run(STATE)
    ended = shell.run(end)
    assert ended.restarted
    assert "new shell" in ended.notice
    assert shell.run(RECALL).output == RECALLED


def test_state_of_the_last_command_before_exit_is_kept(shell: Shell) -> None:
    assert shell.run(STATE + "; exit 9").exit_code == 9
    assert shell.run(RECALL).output == RECALLED


def test_lost_state_files_cost_the_state_and_not_the_session(shell: Shell) -> None:
    shell.run("cd /usr; rm -rf /dev/shm/.[!.]* /dev/shm/*; kill -9 $$")
    assert shell.run("pwd").output == "/tmp\n"


def test_state_survives_a_full_disk(machine: Sandbox) -> None:
    with Shell(machine, cwd="/tmp") as shell:
        shell.run("cd /usr/lib")
        shell.run("export EX=1")
        shell.run("cat /dev/zero > /dev/shm/full 2>/dev/null", timeout=60.0)
        shell.run(":")
        shell.run("kill -9 $$")
        assert shell.run("pwd; echo $EX").output == "/usr/lib\n1\n"


def test_a_shell_that_dies_between_two_commands_runs_the_second(shell: Shell) -> None:
    shell.run("cd /usr/lib; { sleep 0.1; kill -9 $$; } & disown")
    time.sleep(0.5)
    seen = shell.run("pwd")
    assert (seen.output, seen.exit_code, seen.restarted) == ("/usr/lib\n", 0, True)


def test_output_between_commands_opens_the_next(shell: Shell) -> None:
    shell.run("{ sleep 0.1; echo later; } & disown")
    time.sleep(0.4)
    assert shell.run("echo now").output == "later\nnow\n"


def test_a_printed_prompt_ends_nothing(shell: Shell) -> None:
    shell.run("true")
    seen = shell.run('echo "${PS1@P}"; sleep 0.3; echo end; (exit 5)')
    assert seen.output.endswith("end\n")
    assert seen.exit_code == 5
    assert shell.run("echo next").output == "next\n"


@pytest.mark.parametrize(
    "tail", [b"\x1e", b"\x1e7", b"\x1e7|", b"\x1e0|0123456789abcdef=", b"\x1e0|0123456789abcdef"]
)
def test_output_that_looks_like_a_mark_ends_nothing(shell: Shell, tail: bytes) -> None:
    octal = "".join(f"\\{byte:03o}" for byte in tail)
    seen = shell.run(f"printf 'a{octal}'; sleep 0.1; printf 'b{octal}'; (exit 3)")
    assert (seen.output_bytes, seen.exit_code) == (b"a" + tail + b"b" + tail, 3)
    seen = shell.run(f"printf '{octal}'")
    assert (seen.output_bytes, seen.exit_code) == (tail, 0)


@pytest.mark.parametrize("cut", range(1, 11))
def test_an_answer_is_the_same_in_one_part_and_in_two(cut: int) -> None:
    master, slave = pty.openpty()
    tty.setraw(slave)
    stream = Stream(master, 1000)
    answer = b"out\x1e17|key="
    os.write(slave, answer[:cut])
    assert select.select([master], [], [], 60.0)[0]
    assert stream.glance(b"key=", b"line\n") == UNSURE
    os.write(slave, answer[cut:])
    assert finish(stream.wait([b"key="], 60.0)) == 0
    assert (stream.status, bytes(stream.restart().head)) == (17, b"out")
    os.write(slave, answer)
    assert select.select([master], [], [], 60.0)[0]
    assert (stream.glance(b"key=", b"line\n"), stream.answered) == (17, b"out")
    for fd in (master, slave):
        os.close(fd)


def test_an_echoing_terminal_is_put_right(shell: Shell) -> None:
    shell.run("stty sane </dev/tty")
    shell.run("true")
    assert shell.run("echo a; echo b").output == "a\nb\n"


@pytest.mark.parametrize(
    "trick",
    [
        "builtin() { :; }; declare() { :; }; unset() { :; }",
        "alias eval='echo bad' builtin='echo bad' declare='echo bad'",
        "set -u; set -f; set -C; set -o posix; set -o noglob",
        "IFS=0123456789abcdef",
        "unset PWD HOME PATH; export PATH=/nonexistent",
        "exec 3>&1 4>&2 1>/dev/null 2>&1 0</dev/null",
        "shopt -u promptvars expand_aliases; shopt -s extdebug failglob",
        "LC_ALL=C; LANG=ja_JP.SJIS; export LC_ALL LANG",
        "trap 'echo dbg >&2' DEBUG ERR RETURN; trap '' INT QUIT TSTP HUP; trap - DEBUG ERR RETURN",
        "TMOUT=1; readonly TMOUT PS2=y PS0",
        "rm -f /dev/null",
        "chmod 000 /dev/shm",
    ],
)
def test_a_trick_does_not_break_the_next_command(machine: Sandbox, trick: str) -> None:
    with Shell(machine, cwd="/tmp") as shell:
        shell.run(trick, timeout=5.0)
        shell.run(":", timeout=5.0)
        seen = shell.run("\\command echo ok; (exit 3)", timeout=5.0)
    assert (seen.output, seen.exit_code) == ("ok\n", 3)


def test_a_shell_that_stops_every_command_is_replaced(shell: Shell) -> None:
    shell.run("shopt -s extdebug; trap false DEBUG", timeout=0.5)
    assert shell.run("echo ok", timeout=0.5).output == "ok\n"


def test_nobody_has_a_shell_with_state_as_well(sandbox: Sandbox) -> None:
    with Shell(sandbox, cwd="/tmp", user="nobody") as shell:
        shell.run("cd /usr/lib")
        shell.run("kill -9 $$")
        assert shell.run("pwd; id -un").output == "/usr/lib\nnobody\n"


def test_two_shells_in_one_sandbox_do_not_meet(sandbox: Sandbox) -> None:
    with Shell(sandbox) as one, Shell(sandbox) as two:
        one.run("cd /usr; x=1")
        assert two.run("pwd; echo $x").output == "/\n\n"
        one.run("kill -9 $$")
        two.run("kill -9 $$")
        assert (one.run("pwd").output, two.run("pwd").output) == ("/usr\n", "/\n")


def test_nul_bytes_and_lone_surrogates_do_no_harm(shell: Shell) -> None:
    seen = shell.run("echo a\0b \ud800")
    assert seen.output == "ab \ufffd\n"
    assert "NUL" in seen.notice


def test_output_beyond_the_limit_is_told_in_its_place(sandbox: Sandbox) -> None:
    with Shell(sandbox, output_limit=20) as shell:
        seen = shell.run("printf %s 0123456789abcdefghijklmnopqrstuvwxyz")
    assert seen.output_bytes == b"0123456789qrstuvwxyz"
    assert seen.truncated_bytes == 16
    assert "16 bytes left out" in seen.output


@pytest.mark.parametrize("megabytes", [100, pytest.param(1000, marks=pytest.mark.slow, id="1_GB")])
def test_any_amount_of_output_takes_bounded_memory(shell: Shell, megabytes: int) -> None:
    shell.run("head -c 10000000 /dev/zero")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seen = shell.run(f"head -c {megabytes}000000 /dev/zero", timeout=300.0)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert seen.truncated_bytes + len(seen.output_bytes) == megabytes * 1_000_000
    assert grown < 4 << 10  # kilobytes


def test_a_program_is_driven_by_keys(shell: Shell) -> None:
    assert ">>> " in shell.send_keys("python3 -q -i\n", wait=1.5).output
    assert "42" in shell.send_keys("print(6 * 7)\n", wait=0.5).output
    assert not shell.send_keys("\x04", wait=2.0).restarted
    assert shell.run("echo back").output == "back\n"


def test_a_command_after_keys_ends_the_program_that_they_started(shell: Shell) -> None:
    shell.send_keys("cat\n", wait=0.2)
    assert "typed" in shell.send_keys("typed\n", wait=0.2).output
    seen = shell.run("echo back")
    assert (seen.output, seen.exit_code, seen.restarted) == ("back\n", 0, False)


def test_typing_the_end_of_the_shell_restarts_it(shell: Shell) -> None:
    assert shell.send_keys("exit\n", wait=2.0).restarted
    assert shell.run("echo back").output == "back\n"


def test_nothing_of_a_stopped_command_stays(shell: Shell) -> None:
    shell.run("bash -c 'trap \"\" INT TERM; while :; do sleep 0.7; done'", timeout=0.3)
    count = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'tra[p]'"
    assert shell.run(count).output == "0\n"


def test_a_machine_that_goes_away_is_an_error_and_not_a_result(machine: Sandbox) -> None:
    with Shell(machine) as shell:
        threading.Timer(0.5, machine.close).start()
        with pytest.raises(SandboxError) as caught:
            shell.run("echo begun; sleep 20", timeout=10.0)
        assert not isinstance(caught.value, ShellError)
        with pytest.raises(SandboxError):
            shell.run("echo empty")


def test_a_shell_without_bash_goes_on_and_its_end_is_an_error(machine: Sandbox) -> None:
    with Shell(machine) as shell:
        shell.run("rm -f /bin/bash /usr/bin/bash")
        if shell.run("test -e /bin/bash").exit_code == 0:
            pytest.skip("the bash of this image cannot be removed")
        assert shell.run("echo on").output == "on\n"
        with pytest.raises(ShellError):
            shell.run("exit")


def test_closing_twice_is_closing_once(sandbox: Sandbox) -> None:
    shell = Shell(sandbox)
    shell.close()
    shell.close()
