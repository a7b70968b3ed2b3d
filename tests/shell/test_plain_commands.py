"""Commands after which nothing is saved: only those that cannot change what would be."""

from collections.abc import Iterator

import pytest

from tmax_gym.sandboxes import Backend, Sandbox
from tmax_gym.shell import Shell, plain_commands


@pytest.fixture(scope="module")
def sandbox(native_backend: Backend, image: str) -> Iterator[Sandbox]:
    opened = native_backend.open(image)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "command", ["ls -la", ":", "python3 a.py --x=1", "  make  test\n", "cat *.txt ~/a", "./run"]
)
def test_a_program_with_plain_words_keeps_the_state(command: str) -> None:
    assert plain_commands.plain_name(command.encode()) is not None


@pytest.mark.parametrize(
    "command",
    ["cd x", "A=1", "A=1 ls", "ls; cd /", "ls\ncd /", "export A", "$x", "e''val x", "f() { :; }",
     ". x", "[ a ]", "printf -v A x", "ls &", "ls > f", "{ cd /; }", "! cd", "time cd /",
     "command cd /", "a || cd /", "ls `x`", "ls $(x)", "\\cd /", "ls #\ncd /", "let A=1", "",
     "exec ls", "read A", "pushd /", "ls\0", "ls \u00e9"],
)  # fmt: skip
def test_what_may_change_it_does_not(command: str) -> None:
    assert plain_commands.plain_name(command.encode()) is None


@pytest.mark.parametrize(
    "command",
    ["ls() { cd /; }", "function ls { cd /; }", "alias ls=cd", "eval $x", "source a", ". a",
     "true;. a", "trap x DEBUG", "shopt -s autocd", "ls ( ) { cd /; }", "PROMPT_COMMAND=x"],
)  # fmt: skip
def test_what_may_rename_a_program_is_noticed(command: str) -> None:
    assert plain_commands.may_rename(command.encode())


@pytest.mark.parametrize(
    "command",
    ["set -x", "x=1;set -v", "trap 'echo a' DEBUG", "shopt -s failglob", "readonly PS0=a",
     "export PROMPT_COMMAND=date"],
)  # fmt: skip
def test_what_makes_the_shell_print_is_noticed(command: str) -> None:
    assert plain_commands.may_print(command.encode())


def test_the_list_of_names_is_that_of_bash(sandbox: Sandbox) -> None:
    names = sandbox.exec(["bash", "-c", "compgen -b; compgen -k"]).stdout.split()
    assert set(names) == plain_commands._OWN


def test_a_killed_shell_comes_back_as_before_the_plain_commands(sandbox: Sandbox) -> None:
    with Shell(sandbox, cwd="/tmp") as shell:
        shell.run("mkdir -p /tmp/deep; cd /tmp/deep; export A=1")
        for _ in range(5):
            shell.run("ls -la")
        assert shell.run("kill -9 $$").restarted
        assert shell.run('echo "$PWD $A"').output == "/tmp/deep 1\n"


def test_a_name_that_was_made_an_alias_is_saved_after(sandbox: Sandbox) -> None:
    with Shell(sandbox, cwd="/tmp") as shell:
        shell.run("alias ls='cd /usr'")
        shell.run("ls")
        assert shell.run("kill -9 $$").restarted
        assert shell.run("pwd").output == "/usr\n"


def test_a_shell_killed_before_anything_was_saved_comes_back_where_it_began(
    sandbox: Sandbox,
) -> None:
    with Shell(sandbox, cwd="/tmp") as shell:
        shell.run("true")
        shell.run("pkill -9 -x bash")
        assert shell.run("pwd").output == "/tmp\n"


def test_a_killed_shell_comes_back_as_after_its_last_command(sandbox: Sandbox) -> None:
    with Shell(sandbox, cwd="/tmp") as shell:
        for place in ("/usr", "/usr/bin", "/usr/lib", "/"):
            shell.run(f"cd {place}; export A={place}")
            assert shell.run("kill -9 $$").restarted
            assert shell.run('echo "$PWD $A"').output == f"{place} {place}\n"


def test_what_a_command_did_before_it_was_stopped_is_saved_with_the_next(sandbox: Sandbox) -> None:
    with Shell(sandbox, cwd="/tmp") as shell:
        assert shell.run("cd /usr; sleep 30", timeout=0.2).timed_out
        shell.run("ls")
        assert shell.run("kill -9 $$").restarted
        assert shell.run("pwd").output == "/usr\n"


@pytest.mark.parametrize(
    "loud",
    ["set -x", "set -v", "trap 'echo traced >&2' DEBUG", "PS0=x PS1=y PS2=z", "s=set; $s -x"],
)
def test_a_plain_command_of_a_loud_shell_ends_as_any_other(sandbox: Sandbox, loud: str) -> None:
    with Shell(sandbox, cwd="/tmp") as shell:
        shell.run(loud)
        assert shell.run("false").exit_code == 1
        seen = shell.run("ls /proc/self/cmdline")
        assert (seen.exit_code, seen.restarted) == (0, False)
        assert "/proc/self/cmdline\n" in seen.output


def test_a_plain_command_has_no_input_and_both_outputs(sandbox: Sandbox) -> None:
    with Shell(sandbox, cwd="/tmp") as shell:
        assert shell.run("readlink /proc/self/fd/0").output == "/dev/null\n"
        both = shell.run("ls -d /usr /nowhere").output
        assert both == "ls: cannot access '/nowhere': No such file or directory\n/usr\n"
        assert shell.run("cat").output == ""


def test_what_bash_does_itself_reads_nothing_and_prints_as_usual(sandbox: Sandbox) -> None:
    with Shell(sandbox, cwd="/usr") as shell:
        assert shell.run("pwd").output == "/usr\n"
        assert shell.run("echo a  b").output == "a b\n"
        assert "integer" in shell.run("test a -eq 1").output
        assert [shell.run(c).exit_code for c in (":", "true", "false", "test a")] == [0, 0, 1, 0]
        assert shell.run("cat").output == ""


@pytest.mark.parametrize(
    "command", ["ls\t-d\t/usr \n", " ls   -d /us?", "echo " + "/ " * 980 + "/usr"]
)
def test_blanks_and_patterns_of_a_plain_command_are_as_typed(
    sandbox: Sandbox, command: str
) -> None:
    with Shell(sandbox, cwd="/tmp") as shell:
        assert shell.run(command).output.split()[-1] == "/usr"


def test_the_status_of_a_plain_command_is_what_the_next_one_sees(sandbox: Sandbox) -> None:
    with Shell(sandbox, cwd="/tmp") as shell:
        assert shell.run("(exit 7)").exit_code == 7
        assert shell.run("true").exit_code == 0
        assert shell.run("false").exit_code == 1
        assert shell.run("echo $?").output == "1\n"
