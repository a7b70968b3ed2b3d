"""Episodes whose replies another program gives."""

import pytest

from tests.support.chat_policy import replies
from tests.support.chat_server import Say
from tests.support.harness_play import talk
from tests.support.tiny_tasks import faulty_task, halves_task, sum_task
from tmax_gym.agents.driven import DrivenEpisode
from tmax_gym.agents.harnesses.bash import BashHarness
from tmax_gym.episodes.task import Task
from tmax_gym.errors import BackendUnavailable, SandboxError, VerifierError
from tmax_gym.sandboxes import Backend, Limits, Sandbox
from tmax_gym.trajectory import Ending


def driven(task: Task, backend: Backend, **limits: int) -> DrivenEpisode:
    return DrivenEpisode(task, BashHarness(), backend=backend, **limits)  # type: ignore[arg-type]


def test_a_model_reads_what_an_agent_of_the_same_harness_reads(native_backend: Backend) -> None:
    said = ["hm", *replies(sum_task().oracle)]
    episode = driven(sum_task(), native_backend)
    read = [*episode.open()]
    answers = [episode.reply(text) for text in said]
    read += [message for answer in answers for message in answer.messages]
    same = talk("bash", [Say(text) for text in said], sum_task(), native_backend, dialect="hermes")
    assert tuple(message["content"] for message in read) == same.told
    assert (answers[-1].reward, same.seen.reward) == (1.0, 1.0)
    assert [answer.reward for answer in answers[:-1]] == [None] * (len(said) - 1)


def test_the_last_answer_stays(native_backend: Backend) -> None:
    episode = driven(sum_task(), native_backend)
    episode.open()
    last = episode.reply(replies(())[0])
    assert (last.reward, last.ending, last.messages) == (0.0, Ending.SUBMITTED, ())
    assert episode.reply("more") == last == episode.finish(Ending.CONTEXT_LIMIT)


@pytest.mark.parametrize(
    ("said", "ending", "reward"),
    [
        (["hm"] * 3, Ending.FORMAT_ERROR, 0.0),
        (["hm", *replies(["echo a > one"])], Ending.STEP_LIMIT, 0.25),
        ([*replies(["echo a > one"])[:1], "hm"], Ending.STEP_LIMIT, 0.25),
    ],
)
def test_other_endings_are_graded(
    said: list[str], ending: Ending, reward: float, native_backend: Backend
) -> None:
    limit = 3 if ending is Ending.FORMAT_ERROR else 2
    episode = driven(halves_task(), native_backend, max_steps=limit)
    episode.open()
    answers = [episode.reply(text) for text in said[:limit]]
    assert (answers[-1].ending, answers[-1].reward) == (ending, reward)
    assert episode.turns == limit


def test_a_caller_whose_context_is_full_gets_a_verdict(native_backend: Backend) -> None:
    episode = driven(halves_task(), native_backend)
    episode.open()
    episode.reply(replies(["echo b > two"])[0])
    assert episode.finish(Ending.CONTEXT_LIMIT).reward == 0.75


def test_a_faulty_verifier_raises(native_backend: Backend) -> None:
    episode = driven(faulty_task(), native_backend)
    episode.open()
    with pytest.raises(VerifierError, match="check bug"):
        episode.reply(replies(())[0])


class Unwilling:
    """A real backend whose first machines do not start."""

    def __init__(self, inner: Backend, failures: list[SandboxError]) -> None:
        self.inner, self.failures, self.name = inner, failures, inner.name

    def problem(self) -> str | None:
        return self.inner.problem()

    def capabilities(self) -> frozenset[str]:
        return self.inner.capabilities()

    def open(self, image: str, *, limits: Limits | None = None, layer: object = None) -> Sandbox:
        if self.failures:
            raise self.failures.pop()
        return self.inner.open(image, limits=limits, layer=layer)  # type: ignore[arg-type]


def test_a_machine_that_does_not_start_is_replaced(
    native_backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tmax_gym.agents.rollout.RETRY_SECONDS", 0.0)
    episode = driven(sum_task(), Unwilling(native_backend, [SandboxError("busy")] * 2))
    episode.open()
    assert episode.reply(replies(())[0]).reward == 0.0


def test_a_backend_that_cannot_run_is_not_tried_again(native_backend: Backend) -> None:
    failures = [SandboxError("never reached"), BackendUnavailable("no namespaces")]
    with pytest.raises(BackendUnavailable):
        driven(sum_task(), Unwilling(native_backend, failures)).open()
