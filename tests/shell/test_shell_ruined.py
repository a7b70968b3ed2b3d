"""Commands after which a shell could run no other: it is mended or replaced, at once.

What an agent sees is the command's result, or a notice; what follows works as before.
"""

import time
from collections.abc import Iterator

import pytest

from tmax_gym.sandboxes import Backend, Sandbox
from tmax_gym.shell import Shell

SECONDS = 4.0
"""For each command here; most take 0.01.  A time-out of 20 s would not be met by any of them."""

DISABLED = tuple(f"enable -n {name}" for name in (
    "builtin", "eval", "declare", "printf", "alias", "unset", "trap", "set", "exec", "export",
    ":", ".", "enable", "unalias", "return", "builtin eval", "builtin enable",
    "builtin eval declare printf alias unset trap set exec export", "$(compgen -b)",
    "$(compgen -b | grep -v enable)",
))  # fmt: skip
REPLACED = (
    "builtin() { :; }; eval() { :; }; declare() { :; }; unset() { :; }; enable() { :; }",
    "set -o posix; builtin() { false; }; readonly -f builtin",
    "builtin() { false; }; eval() { false; }; unset() { :; }; readonly -f builtin eval unset",
    "eval() { exit 3; }; readonly -f eval; builtin() { eval; }; export -f builtin eval",
    "alias builtin=false eval=false declare=false exec=false enable=false unalias=false",
    "shopt -s expand_aliases; alias '{=false'",
    "alias '{=true;' '}=false'; BASH_ALIASES[builtin]=false",
    "e=enable; $e -n builtin; $e -n eval",
    "echo 'enable -n builtin' > /tmp/rc; . /tmp/rc",
    "trap 'enable -n eval' EXIT DEBUG",
)
VARIABLES = (
    "readonly PS1", "readonly PS2", "readonly PS0", "readonly PROMPT_COMMAND",
    "readonly PS1 PS2 PS0 PROMPT_COMMAND", "readonly PS1 POSIXLY_CORRECT",
    "export PS1; readonly PS1",
    "export PROMPT_COMMAND=x; readonly PROMPT_COMMAND; readonly PS1",
    "r=readonly; $r PS1", "declare -r PS1=x", "declare -i PS1", "declare -l PS1", "declare -u PS1",
    "declare -a PS1", "declare -A PS1", "declare -n PS1=other",
    "declare -n PS1=other; readonly other",
    "declare -n PROMPT_COMMAND=other", "printf -v PS1 x; readonly PS1", "exec {PS1}>/dev/null",
    "mapfile PS1 </etc/passwd; readonly PS1", "PROMPT_COMMAND=(true 'PS1=evil' :)",
    "PROMPT_COMMAND='PS1=evil'; readonly PROMPT_COMMAND", "IFS='{}; 0123456789'; readonly IFS",
    "readonly BASH_COMMAND PIPESTATUS PWD OLDPWD PAGER MAIL IFS",
)  # fmt: skip
OPTIONS = (
    "set -u", "set -n", "set -k", "set -f", "set -C", "set -m", "set +m", "set -a", "set -t",
    "set -o posix", "set -E -T", "set +B -b -P", "shopt -s extdebug", "shopt -u promptvars",
    "shopt -s failglob nullglob lastpipe inherit_errexit", "export BASH_ENV=/none ENV=/none",
    "export SHELLOPTS BASHOPTS", "export POSIXLY_CORRECT=1", "LC_ALL=xx; TMOUT=1; FUNCNEST=1",
    "trap 'PS1=evil' DEBUG; trap - DEBUG", "trap 'false' DEBUG; shopt -s extdebug",
    "trap 'return 2' DEBUG; shopt -s extdebug", "trap 'unset PS1' DEBUG", "trap exit DEBUG",
    "trap 'kill -9 $$' DEBUG", "trap 'exec >/dev/null 2>&1 </dev/null' DEBUG", "trap : ERR RETURN",
)  # fmt: skip
DESCRIPTORS = (
    "ulimit -n 3", "ulimit -n 0", "ulimit -n 1", "ulimit -n 4", "ulimit -n 5", "ulimit -n 6",
    "ulimit -n 11", "ulimit -n 12", "n=3; u=ulim; ${u}it -n $n; :", "exec 0<&- 1>&- 2>&-",
    "exec >/dev/null 2>&1 </dev/null", "exec 255>&-", "exec 255</dev/null",
    "for i in {0..20}; do eval \"exec $i>&-\"; done", "exec {x}>&-; exec 0>&-",
)  # fmt: skip
TERMINAL = tuple(f"stty {words} </dev/tty" for words in (
    "eof e", "intr a erase b kill c", "iuclc", "inlcr", "igncr", "istrip", "echo opost icrnl",
    "raw", "-icanon min 0 time 0", "sane", "tostop", "eol d eol2 x", "lnext e werase o", "0",
    "stop a start b",
))  # fmt: skip


@pytest.fixture(scope="module")
def sandbox(native_backend: Backend, image: str) -> Iterator[Sandbox]:
    opened = native_backend.open(image)
    yield opened
    opened.close()


@pytest.fixture
def machine(any_backend: Backend, image: str) -> Iterator[Sandbox]:
    opened = any_backend.open(image)
    yield opened
    opened.close()


def ruin(machine: Sandbox, command: str) -> None:
    """Run it, and see that the next commands work, and that nothing took long."""
    with Shell(machine, cwd="/tmp") as shell:
        shell.run("cd /usr; export EX=kept")
        begun = time.monotonic()
        ruined = shell.run(command, timeout=20.0)
        assert ruined.exit_code is not None or ruined.notice
        shell.run("true; :", timeout=20.0)  # what cannot be seen at once shows here at the latest
        assert time.monotonic() - begun < SECONDS
        for text, output, status in (
            ("/bin/pwd", "/usr\n", 0),
            ("echo ok; false", "ok\n", 1),
            ('if /bin/true; then echo "$EX" | /bin/cat; fi', "kept\n", 0),
            ("/bin/sh -c 'exit 7'", "", 7),
        ):
            seen = shell.run(text, timeout=20.0)
            assert (seen.output, seen.exit_code) == (output, status), text
            assert not seen.restarted
        assert time.monotonic() - begun < SECONDS + 1


@pytest.mark.parametrize(
    "command", [*DISABLED, *REPLACED, *VARIABLES, *OPTIONS, *DESCRIPTORS, *TERMINAL]
)
def test_a_ruined_shell_runs_the_next_commands_as_before(sandbox: Sandbox, command: str) -> None:
    ruin(sandbox, command)


@pytest.mark.parametrize(
    "command", ["enable -n builtin", "readonly PS1", "ulimit -n 3", "enable -n eval enable builtin"]
)
def test_every_backend_has_a_shell_that_works_on(machine: Sandbox, command: str) -> None:
    ruin(machine, command)


def test_a_mended_shell_keeps_its_variables_and_says_so(sandbox: Sandbox) -> None:
    with Shell(sandbox) as shell:
        shell.run("x=kept")
        mended = shell.run("enable -n builtin")
        assert (mended.exit_code, mended.restarted) == (None, False)
        assert "disabled" in mended.notice
        assert shell.run("echo $x").output == "kept\n"


def test_a_replaced_shell_says_why(sandbox: Sandbox) -> None:
    with Shell(sandbox) as shell:
        ruined = shell.run("readonly PS1")
        assert ruined.restarted
        assert "no command could run" in ruined.notice


def test_a_command_that_aborts_its_line_has_its_own_status(sandbox: Sandbox) -> None:
    with Shell(sandbox) as shell:
        shell.run("set -u")
        assert shell.run("echo $nowhere").exit_code == 1
        assert shell.run("echo $?").output == "1\n"


def test_a_read_from_the_terminal_gets_no_line_of_ours(sandbox: Sandbox) -> None:
    with Shell(sandbox) as shell:
        seen = shell.run('read x </dev/tty; echo "got $x"', timeout=1.5)
        assert seen.timed_out
        assert "POSIX" not in seen.output
        assert shell.run("echo ok").output == "ok\n"


def test_a_program_that_hangs_in_the_place_of_bash_does_not_hold_up_the_end(
    native_backend: Backend, image: str
) -> None:
    machine = native_backend.open(image)
    shell = Shell(machine)
    begun = time.monotonic()
    shell.run(
        "printf '#!/bin/sh\\nexec sleep 1000\\n' > /tmp/b; chmod +x /tmp/b; mv /tmp/b /bin/bash"
    )
    with pytest.raises(Exception, match="cannot be restarted"):
        shell.run("exit")
    assert time.monotonic() - begun < 25.0
    machine.close()
