"""Harnesses against a scripted endpoint, in real shells: what is logged is what happened."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from tests.support.chat_server import Answer, ChatServer, Cut, Fault, Say, Script, scripted, serving
from tests.support.tiny_tasks import halves_task, sum_task
from tmax_gym.agents.client.client import Client, Connection, ContextFull
from tmax_gym.agents.harnesses.commands import in_subshell
from tmax_gym.agents.harnesses.window import LEFT_OUT, Budget, Window, compacted, notice, total
from tmax_gym.agents.registry import AgentInputs, make_agent
from tmax_gym.agents.rollout import rollout
from tmax_gym.agents.scripted import HumanAgent, ReplayAgent
from tmax_gym.episodes.limits import EpisodeLimits
from tmax_gym.episodes.observation import SUBMIT
from tmax_gym.errors import HarnessError, ModelError, ModelRefused
from tmax_gym.sandboxes import Backend
from tmax_gym.shell import Shell
from tmax_gym.tasks import catalogue
from tmax_gym.tasks.compose import Task, compose
from tmax_gym.trajectory import Ending, Trajectory

FAMILIES = ("bad-gateway.", "ledger-clean.", "space-crisis.")
"""Families whose first task is solved by one or two lines."""


def five_tasks() -> list[Task]:
    names = [next(n for n in catalogue.names() if n.startswith(f)) for f in FAMILIES]
    # As the generator makes them today; other tests compare digests.
    composed = [compose(replace(catalogue.spec(name), digest="")) for name in names]
    return [sum_task(), halves_task(), *composed]


class Events:
    """What an agent logged."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, Mapping[str, Any]]] = []

    def __call__(self, event: str, **facts: Any) -> None:
        self.rows.append((event, facts))

    def of(self, *events: str) -> list[Mapping[str, Any]]:
        return [facts for event, facts in self.rows if event in events]


def client(server: ChatServer, **options: Any) -> Client:
    return Client(Connection(server.base_url, "scripted", first_wait=0.0, **options))


def model_agent(name: str, server: ChatServer, **inputs: Any) -> Any:
    return make_agent(name, AgentInputs(client(server), **inputs))


def with_troubles(answers: Sequence[Answer], bad: Answer) -> list[Answer]:
    """Return answers mixed with 429, 500, a broken stream and an unreadable reply."""
    return [Fault(429, headers={"Retry-After": "0"}), bad, Fault(500), Cut(), *answers]


def one_script(task: Task) -> str:
    return "\n".join(task.oracle)


def bash_says(task: Task) -> Script:
    good = [Say("Now.", (("bash", {"command": c}),)) for c in (*task.oracle, SUBMIT)]
    return scripted(with_troubles(good, Say("Hm.", (("bash", '{"command": '),))))


def mini_says(task: Task) -> Script:
    good = [Say("Now.", (("bash", {"command": c}),)) for c in (one_script(task), SUBMIT)]
    return scripted(with_troubles(good, Say("Hm.", (("bash", '{"command": '),))))


def openhands_says(task: Task) -> Script:
    solve = base64.b64encode(one_script(task).encode()).decode()
    edit = {"command": "create", "path": "/tmp/solve.b64", "file_text": f"{solve}\n"}
    good: list[Answer] = [
        Say("", (("think", {"thought": "hm"}),)),
        Say("Both.", (
            ("file_editor", edit),
            ("terminal", {"command": "cd /app; base64 -d /tmp/solve.b64 > /tmp/s; . /tmp/s"}),
        )),
        Say("Done.", (("finish", {"message": "done"}),)),
    ]  # fmt: skip
    return scripted(with_troubles(good, Say("", (("terminal", {"cmd": "ls"}),))))


def terminus_says(task: Task) -> Script:
    """Type the solution, then wait until the terminal shows that it has run."""
    typed = [f"{command}; echo DO''NE{i}\n" for i, command in enumerate(task.oracle)]
    state = {"at": -1, "bad": list(with_troubles([], Say("no JSON here")))}

    def keys(text: str, done: bool = False) -> Say:
        row = {"analysis": "", "plan": "", "task_complete": done,
               "commands": [{"keystrokes": text, "duration": 0.3}]}  # fmt: skip
        return Say(f"Here it is:\n```json\n{json.dumps(row)}\n```")

    def script(body: Mapping[str, Any]) -> Answer:
        if state["bad"]:
            return state["bad"].pop(0)
        at = state["at"]
        if at >= len(typed):
            return keys("", done=True)
        if at >= 0 and f"DONE{at}" not in body["messages"][-1]["content"]:
            return keys("")
        state["at"] = at + 1
        return keys("", done=True) if at + 1 == len(typed) else keys(typed[at + 1])

    return script


SCRIPTS: Mapping[str, Callable[[Task], Script]] = {
    "bash": bash_says,
    "openhands": openhands_says,
    "terminus2": terminus_says,
    "mini": mini_says,
}


def played(name: str, task: Task, backend: Backend) -> tuple[Trajectory, Events, ChatServer, Any]:
    events = Events()
    with serving(SCRIPTS[name](task)) as server:
        budget = Budget(Window(tokens=64_000, reply=500), steps=64)
        agent = model_agent(name, server, budget=budget, log=events)
        limits = EpisodeLimits(max_steps=500)  # looks at a busy terminal are steps
        seen = rollout(task, agent, backend=backend, limits=limits, retries=0)
        return seen, events, server, agent


@pytest.mark.parametrize("name", SCRIPTS)
def test_five_tasks_are_solved_and_the_log_tells_what_the_trajectory_tells(
    name: str, native_backend: Backend, image: str
) -> None:
    if name == "mini":
        pytest.importorskip("minisweagent", reason="needs tmax-gym[mini]")
    if name == "terminus2" and image == "host":
        pytest.skip("needs tmux, which image core has")
    for task in five_tasks():
        seen, events, server, agent = played(name, task, native_backend)
        assert (seen.reward, seen.ending) == (1.0, Ending.SUBMITTED), seen.message
        commands = [facts["command"] for facts in events.of("command", "submit")]
        assert commands == [step.action for step in seen.steps if step.action]
        assert len(events.of("format_error")) == 1
        refused = [s for s in seen.steps if not s.action and s.observation != "(noted)"]
        assert len(refused) == 1
        good = [a for a in server.answered if isinstance(a, Say)]
        assert agent.spent.calls == len(events.of("model")) == len(good)
        assert agent.spent.input_tokens == server.input_tokens
        assert agent.spent.output_tokens == server.output_tokens
        assert agent.spent.retries == len(server.answered) - len(good) == 3
        assert all(body["max_tokens"] == 500 for body in server.asked)


def test_a_reply_gets_what_is_left_of_the_window_and_no_more(native_backend: Backend) -> None:
    window = Window(tokens=3000, reply=2000)
    say = Say("", (("bash", {"command": "seq 400"}),))
    events = Events()
    with serving(lambda body: say) as server:
        agent = model_agent("bash", server, budget=Budget(window), log=events)
        seen = rollout(sum_task(), agent, backend=native_backend)
    assert (seen.ending, seen.reward) == (Ending.CONTEXT_LIMIT, 0.0)
    asked = [body["max_tokens"] for body in server.asked]
    assert len(asked) > 1
    assert asked == sorted(asked, reverse=True)
    assert asked[0] <= 2000
    assert asked[-1] >= window.least


def test_compaction_lets_an_episode_go_on(native_backend: Backend) -> None:
    window = Window(tokens=4000, reply=500, compact=True)
    commands = [*["seq 300"] * 12, *sum_task().oracle, SUBMIT]
    events = Events()
    with serving(scripted([Say("", (("bash", {"command": c}),)) for c in commands])) as server:
        agent = model_agent("bash", server, budget=Budget(window), log=events)
        seen = rollout(sum_task(), agent, backend=native_backend)
    assert (seen.ending, seen.reward) == (Ending.SUBMITTED, 1.0)
    assert events.of("compacted")
    assert any(m["content"] == LEFT_OUT for m in server.asked[-1]["messages"])
    for body in server.asked:
        wanted = {c["id"] for m in body["messages"] for c in m.get("tool_calls", ())}
        assert wanted == {m["tool_call_id"] for m in body["messages"] if m["role"] == "tool"}


OVERFLOW = (
    "This model's maximum context length is 2048 tokens. However, you requested 9000 tokens "
    "(900 in the messages, 8100 in the completion). Please reduce the length."
)


def test_an_endpoint_that_tells_its_window_is_asked_for_less(native_backend: Backend) -> None:
    good = [Say("", (("bash", {"command": c}),)) for c in (*sum_task().oracle, SUBMIT)]
    with serving(scripted([Fault(400, OVERFLOW), *good])) as server:
        agent = model_agent("bash", server, budget=Budget(Window(tokens=100_000)))
        seen = rollout(sum_task(), agent, backend=native_backend)
    assert seen.reward == 1.0
    first, second = (body["max_tokens"] for body in server.asked[:2])
    assert second < 2048 - 900 < first


def test_an_endpoint_that_is_always_too_small_ends_the_episode_graded(
    native_backend: Backend,
) -> None:
    with serving(lambda body: Fault(400, "too long: context length exceeded")) as server:
        agent = model_agent("bash", server)
        seen = rollout(sum_task(), agent, backend=native_backend)
    assert (seen.ending, seen.reward) == (Ending.CONTEXT_LIMIT, 0.0)
    assert len(server.asked) <= 3


def test_replies_that_cannot_be_read_three_times_in_a_row_end_the_episode(
    native_backend: Backend,
) -> None:
    with serving(lambda body: Say("I would rather not.")) as server:
        seen = rollout(sum_task(), model_agent("openhands", server), backend=native_backend)
    assert (seen.ending, len(server.asked)) == (Ending.FORMAT_ERROR, 3)


def test_a_reply_that_was_cut_off_runs_nothing(native_backend: Backend) -> None:
    cut = Say("", (("bash", {"command": "touch /app/half"}),), finish="length")
    rest = [Say("", (("bash", {"command": c}),)) for c in ("ls /app/half", SUBMIT)]
    with serving(scripted([cut, *rest])) as server:
        seen = rollout(sum_task(), model_agent("bash", server), backend=native_backend)
    assert "cut off" in seen.steps[0].observation
    assert seen.steps[1].exit_code != 0


def test_the_model_is_warned_when_steps_or_context_run_out() -> None:
    window = Window(tokens=1000)
    assert notice(window, used=100, steps_left=11) == ""
    assert notice(window, used=100, steps_left=1) == "[1 step left]"
    assert "800" not in notice(window, used=800, steps_left=None)
    assert notice(Window(tokens=1000, notices=False), used=990, steps_left=1) == ""


def test_compaction_touches_neither_the_task_nor_the_last_messages() -> None:
    long = "x" * 3000
    rows = [{"role": "user", "content": f"{i}{long}"} for i in range(8)]
    shorter = compacted(rows, goal=total(rows) - 500)
    assert shorter is not None
    assert [m["content"] == LEFT_OUT for m in shorter] == [False, False, True, *[False] * 5]
    assert compacted(rows, goal=10) is None


def answer(script: Script, **options: Any) -> tuple[Any, ChatServer]:
    with serving(script) as server:
        reply = client(server, **options)(
            [{"role": "user", "content": "hi"}], tools=(), seed=1, max_tokens=10
        )
        return reply, server


@pytest.mark.parametrize("stream", [True, False])
def test_an_answer_is_the_same_with_and_without_a_stream(stream: bool) -> None:
    scripted_reply = Say("text", (("a", {"x": 1}), ("b", {"y": "z" * 50})))
    reply, server = answer(scripted([scripted_reply]), stream=stream)
    assert reply.message["content"] == "text"
    functions = [call["function"] for call in reply.message["tool_calls"]]
    assert [(f["name"], json.loads(f["arguments"])) for f in functions] == list(
        scripted_reply.calls
    )
    assert reply.spent.input_tokens == server.input_tokens
    assert reply.spent.output_tokens == server.output_tokens


def test_an_endpoint_that_stays_busy_is_given_up_with_its_last_words() -> None:
    with pytest.raises(ModelError, match="did not answer in 3 tries; the last time: HTTP 503"):
        answer(lambda body: Fault(503, "warming up"), tries=3)


def test_a_refusal_is_not_tried_again() -> None:
    with serving(lambda body: Fault(401, "bad key")) as server:
        with pytest.raises(ModelRefused, match="bad key"):
            client(server)([], tools=(), seed=1, max_tokens=10)
        assert len(server.asked) == 1


def test_an_overflow_tells_both_numbers() -> None:
    with pytest.raises(ContextFull) as caught:
        answer(lambda body: Fault(400, OVERFLOW))
    assert (caught.value.window, caught.value.prompt) == (2048, 900)


def test_a_trajectory_can_be_typed_again(native_backend: Backend) -> None:
    first = rollout(
        sum_task(), make_agent("oracle", AgentInputs(task=sum_task())), backend=native_backend
    )
    again = rollout(sum_task(), ReplayAgent(first), backend=native_backend)
    assert (again.reward, again.ending) == (1.0, Ending.SUBMITTED)
    assert [s.action for s in again.steps] == [s.action for s in first.steps]


def test_a_person_sees_the_task_and_every_output(native_backend: Backend) -> None:
    lines = iter(["", "cat /app/numbers.txt", "echo 42 > /app/sum.txt", "submit"])
    shown: list[str] = []
    agent = HumanAgent(read=lambda prompt: next(lines), show=shown.append)
    seen = rollout(sum_task(), agent, backend=native_backend)
    assert seen.reward == 1.0
    assert "sum of the numbers" in shown[0]
    assert shown[1].splitlines()[0] == "7"


def test_an_unknown_harness_is_refused_with_the_known_ones() -> None:
    with serving(lambda body: Say()) as server, pytest.raises(HarnessError, match="bash, human"):
        model_agent("bosh", server)
    with pytest.raises(HarnessError, match="bash needs a model"):
        make_agent("bash", AgentInputs(task=sum_task()))
    with pytest.raises(HarnessError, match="oracle needs a task"):
        make_agent("oracle", AgentInputs())


def test_mini_says_what_to_install_if_it_is_absent() -> None:
    try:
        import minisweagent  # type: ignore[import-not-found]  # noqa: F401
    except ImportError:
        with serving(lambda body: Say()) as server, pytest.raises(HarnessError, match="mini"):
            model_agent("mini", server)
    else:
        pytest.skip("mini-swe-agent is installed")


LENGTHS = (10, 99_000, 130_000, 131_072, 400_000)


def long_command(size: int) -> str:
    """Return a command of this size that counts its own text and prints its name."""
    text = "'; é\\$x\n" * (size // 9)
    return f"cat; echo $0; cat <<'END_OF_TEXT' | wc -c\n{text}\nEND_OF_TEXT\nexit 3"


@pytest.mark.parametrize("size", LENGTHS)
def test_a_command_of_any_length_runs_in_a_bash_of_its_own(
    size: int, native_backend: Backend, image: str
) -> None:
    command = long_command(size)
    inner = command.split("\n", 1)[1].removesuffix("END_OF_TEXT\nexit 3")
    with closing(native_backend.open(image)) as sandbox, Shell(sandbox) as shell:
        done = shell.run(in_subshell(command))
    assert (done.output, done.exit_code) == (f"bash\n{len(inner.encode())}\n", 3)


def test_mini_writes_a_file_larger_than_an_argument(native_backend: Backend) -> None:
    pytest.importorskip("minisweagent", reason="needs tmax-gym[mini]")
    write = f"cat > /app/sum.txt <<'E'\n42\nE\n: '{'x' * 200_000}'; wc -c < /app/sum.txt"
    answers = [Say("Now.", (("bash", {"command": c}),)) for c in (write, SUBMIT)]
    with serving(scripted(answers)) as server:
        agent = model_agent("mini", server, budget=Budget(Window(tokens=1_000_000)))
        seen = rollout(sum_task(), agent, backend=native_backend, retries=0)
    assert seen.reward == 1.0, seen.steps
