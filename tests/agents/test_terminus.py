"""The harness `terminus2` in real terminals: every key arrives, and a lost terminal is told."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.harness_play import DONE, Played, keys, talk
from tests.support.played_ahead import PlayedAhead
from tests.support.tiny_tasks import sum_task
from tests.support.trial_tasks import TOML, trial_task
from tmax_gym.agents.harnesses import preparation
from tmax_gym.harbor.run.task import TrialTask
from tmax_gym.harbor.tasks.directory import read_task
from tmax_gym.sandboxes import Backend
from tmax_gym.sandboxes.host.portable_programs import interpreter, portable
from tmax_gym.trajectory import Ending

SOLVED = "echo 42 > /app/sum.txt\n"


@pytest.fixture
def terminal(native_backend: Backend, image: str) -> Backend:
    if image == "host":
        pytest.skip("image core is not built: tmax images build core")
    return native_backend


def trial(place: Path, dockerfile: str, **files: str) -> TrialTask:
    own = {"environment/Dockerfile": dockerfile, **files}
    return TrialTask("trial/own", read_task(trial_task(place, files=own)))


WITHOUT = "FROM tmax/core:latest\nRUN rm -f /usr/bin/tmux\nWORKDIR /app\n"

TEXTS = {
    "a semicolon at the end": "return 0;",
    "semicolons alone": "; ;; ;",
    "one semicolon": ";",
    "an escaped semicolon": "find . -exec ls {} \\;",
    "backslashes before a semicolon": "a\\\\;",
    "a case": "case x in\nx) echo;;\nesac\n",
    "statements": "BEGIN;\nSELECT 1;\n",
    "formats": "#{pane_id} #(id) #[fg=red] %% %1 @0 $0 ~ = {",
    "braces": "{ a; } }{",
    "quotes": "'\"`$(id)` \\' \\\"",
    "options": "-l",
    "two hyphens": "--",
    "an option with a semicolon": "-H;",
    "a key in a line": "Enter\nUp C-c M-x\n",
    "key names in words": "EnterEnter",
    "accents and wide letters": "é ü 日本 e\u0301 👩\u200d💻 \u00a0;",
    "tabs": "\ta\tb\t;\t",
    "carriage returns": "a\r\nb\r;\r\n",
    "every control character": "".join(chr(c) for c in range(32)) + "\x7f;",
    "nothing but NUL": "\0",
    "brackets of a paste": "\x1b[200~a;\x1b[201~",
    "newlines at the end": "a;\n\n\n",
    "what tmux takes for numbers": "0x41 ^A",
    "more than a message of tmux": "0123456789;\n" * 3_000,
    "more than an argument": "é;" * 70_000,
}


@pytest.fixture(scope="module")
def typed_texts(native_backend: Backend) -> Iterator[PlayedAhead[str, Played]]:
    """The conversation in which each text is typed: most wait, so that several wait together."""

    def conversation(name: str) -> Played:
        text = TEXTS[name]
        size = len(text.encode())
        read = f"stty raw -echo; echo go; head -c {size} > /app/typed; stty sane; clear\n"
        look = "wc -c < /app/typed; sha256sum /app/typed\n"
        answers = [keys(read), keys(text), keys(look), *DONE]
        return talk("terminus2", answers, sum_task(), native_backend)

    with PlayedAhead(TEXTS, conversation, at_once=4) as ahead:
        yield ahead


@pytest.mark.parametrize("name", TEXTS)
def test_keystrokes_arrive_byte_for_byte(
    name: str, terminal: Backend, typed_texts: PlayedAhead[str, Played]
) -> None:
    digest = hashlib.sha256(TEXTS[name].encode()).hexdigest()
    played = typed_texts[name]
    assert digest in played.told[3], played.told[1:]


@pytest.mark.parametrize(
    ("key", "shown"),
    [("C-c", "interrupted"), ("C-d", "ended"), ("Enter", "a line"), ("\x03", "interrupted")],
)
def test_a_key_by_its_name_alone_is_pressed(key: str, shown: str, terminal: Backend) -> None:
    script = (
        "trap 'echo inter''rupted' INT; if read line; then echo 'a li''ne'; else echo en''ded; fi\n"
    )
    played = talk("terminus2", [keys(script), keys(key), *DONE], sum_task(), terminal)
    assert shown in played.told[2]


def test_what_is_nearly_a_key_is_text(terminal: Backend) -> None:
    typed = [keys("echo ", "Entered", " C-c", "\n"), keys("echo 'C-c\n'\n")]
    played = talk("terminus2", [*typed, *DONE], sum_task(), terminal)
    assert "\nEntered C-c\n" in played.told[1]
    assert "\nC-c\n" in played.told[2]


@pytest.mark.parametrize(
    "end",
    ["exit\n", "tmux kill-server\n", "kill -9 $$\n", "exec true\n", "pkill -9 tmux\n", "C-d"],
)
def test_a_session_that_ended_is_told_and_replaced(end: str, terminal: Backend) -> None:
    played = talk(
        "terminus2",
        [keys(end), keys("echo ba''ck\n"), keys(SOLVED), *DONE],
        sum_task(),
        terminal,
    )
    assert played.seen.reward == 1.0
    notes = [told for told in played.told[1:] if "session had ended" in told]
    assert len(notes) == 1
    assert "\nback" in played.told[2]


def test_an_emptied_tmp_does_not_end_the_session(terminal: Backend) -> None:
    typed = [keys("x=7; rm -rf /tmp/* /tmp/.[a-z]*\n"), keys("echo $x$x\n")]
    played = talk("terminus2", [*typed, *DONE], sum_task(), terminal)
    assert "\n77" in played.told[2]


def test_a_terminal_whose_files_were_removed_comes_back(terminal: Backend) -> None:
    typed = [keys("rm -rf /opt/.tmax\n"), keys("echo a''b\n"), keys("echo a''b\n"), keys(SOLVED)]
    played = talk("terminus2", [*typed, *DONE], sum_task(), terminal)
    assert "\nab" in played.told[3]
    assert played.seen.reward == 1.0


def test_waits_above_the_limit_of_a_command_are_kept(terminal: Backend) -> None:
    typed = keys("date +%s > /app/a\n", "date +%s > /app/b\n", wait=3.0)
    look = keys("echo took $(($(cat /app/b) - $(cat /app/a)))s; false\n")
    played = talk("terminus2", [typed, look, *DONE], sum_task(), terminal, command_seconds=7.0)
    assert "No end after" not in "".join(played.told)
    assert any(f"took {seconds}s" in played.told[2] for seconds in (3, 4, 5, 6))
    assert [m["role"] for m in played.asked[-1]["messages"]] == ["user", "assistant"] * 3 + ["user"]


def test_what_comes_with_the_second_completion_is_typed_before_grading(terminal: Backend) -> None:
    played = talk("terminus2", [keys(done=True), keys(SOLVED, done=True)], sum_task(), terminal)
    assert (played.seen.ending, played.seen.reward) == (Ending.SUBMITTED, 1.0)


def test_output_longer_than_a_screen_is_shown_from_its_beginning(terminal: Backend) -> None:
    played = talk(
        "terminus2", [keys("seq 3000 | sed 's/^/n/'\n", wait=1.0), *DONE], sum_task(), terminal
    )
    assert "\nn1\nn2\n" in played.told[1]
    assert "\nn2999\nn3000\n" in played.told[1]


def test_a_full_screen_program_is_shown_as_it_looks(terminal: Backend) -> None:
    played = talk(
        "terminus2",
        [keys("seq 100 > n; vi n\n", wait=1.0), keys(":q\n"), keys("clear\n"), *DONE],
        sum_task(),
        terminal,
    )
    assert played.told[1].startswith("Current Terminal Screen:\n1\n2\n")
    assert "\n38" in played.told[1]
    assert played.told[3].startswith("Current Terminal Screen:\n")
    assert "vi n" not in played.told[3]


def test_unreadable_replies_are_answered_however_many(terminal: Backend) -> None:
    bad = [keys(), keys(), keys(), keys()]
    bad = [type(say)("no JSON here") for say in bad]
    played = talk("terminus2", [*bad, keys(SOLVED), *DONE], sum_task(), terminal)
    assert played.seen.reward == 1.0
    assert played.told[1].startswith("Previous response had parsing errors:\nERROR: No valid JSON")


def test_roles_alternate_from_the_first_message(terminal: Backend) -> None:
    played = talk("terminus2", [keys(SOLVED), *DONE], sum_task(), terminal)
    assert [m["role"] for m in played.asked[0]["messages"]] == ["user"]
    assert "Current Terminal Screen:\n" in played.told[0]


def test_an_image_without_tmux_is_lent_one(any_backend: Backend, tmp_path: Path) -> None:
    played = talk(
        "terminus2",
        [keys("command -v tmux; echo é;\n"), keys("exit\n"), keys("echo hello > hello.txt\n"),
         *DONE],
        trial(tmp_path, WITHOUT),
        any_backend,
    )  # fmt: skip
    assert (played.seen.ending, played.seen.reward) == (Ending.SUBMITTED, 0.75), played.seen.message
    assert "/tmux" not in played.told[1].split("é;\n")[1]
    assert "\né\n" in played.told[1]
    assert "session had ended" in played.told[2]


@pytest.mark.docker
def test_another_user_of_an_image_without_tmux_has_a_terminal(
    docker_backend: Backend, tmp_path: Path
) -> None:
    dockerfile = f"{WITHOUT}RUN useradd -m worker && chown worker /app\nUSER worker\n"
    played = talk(
        "terminus2",
        [keys("id -un; echo hello > hello.txt\n"), *DONE],
        trial(tmp_path, dockerfile),
        docker_backend,
    )
    assert played.seen.reward == 0.75, played.seen.message
    assert "\nworker\n" in played.told[1]


def test_no_tmux_anywhere_is_no_zero_and_says_what_to_install(
    native_backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation, "portable", lambda name, place: ())
    played = talk("terminus2", [], trial(tmp_path, WITHOUT), native_backend)
    assert_no_zero(played, "apt-get install tmux")


def test_a_tmux_that_cannot_start_a_session_is_no_zero(
    native_backend: Backend, tmp_path: Path
) -> None:
    broken = (
        "FROM tmax/core:latest\nWORKDIR /app\n"
        "RUN printf '#!/bin/sh\\ncase $1 in -V) ;; *) echo no pty >&2; exit 1;; esac\\n' "
        "> /usr/bin/tmux\n"
    )
    played = talk("terminus2", [], trial(tmp_path, broken), native_backend)
    assert_no_zero(played, "no pty")


def assert_no_zero(played: Played, said: str) -> None:
    assert (played.seen.ending, played.seen.reward) == (Ending.INFRA_ERROR, None)
    assert said in played.seen.message
    assert not played.asked


def test_every_step_of_a_task_has_a_terminal(native_backend: Backend, tmp_path: Path) -> None:
    steps = "".join(f'[[steps]]\nname = "{name}"\n' for name in ("one", "two"))
    graded = "#!/bin/bash\ntest -e /app/{0}; echo $((! $?)) > /logs/verifier/reward.txt\n"
    files: dict[str, str | bytes | None] = {
        "task.toml": TOML.format(seconds=60) + steps,
        "instruction.md": None,
        "tests/test.sh": None,
    }
    for name in ("one", "two"):
        files[f"steps/{name}/instruction.md"] = f"Create /app/{name}."
        files[f"steps/{name}/tests/test.sh"] = graded.format(name)
    task = TrialTask("trial/steps", read_task(trial_task(tmp_path, files=files)))
    played = talk(
        "terminus2",
        [keys("touch /app/one\n"), *DONE, keys("touch /app/two\n"), *DONE],
        task,
        native_backend,
    )
    assert (played.seen.ending, played.seen.reward) == (Ending.SUBMITTED, 1.0), played.told


def test_a_lent_program_brings_its_loader_and_libraries(tmp_path: Path) -> None:
    nodes = {node.path: node for node in portable("bash", "/x")}
    if not nodes:
        pytest.skip("no bash here")
    named = interpreter(nodes["/x/program"].data or b"")
    if not named:
        assert "/x/loader" not in nodes
    else:
        assert nodes["/x/loader"].data == Path(named).read_bytes()
        assert any("libc" in path for path in nodes)
    assert interpreter(b"#!/bin/sh\n") == ""
    assert portable("no-such-program-here", "/x") == ()
