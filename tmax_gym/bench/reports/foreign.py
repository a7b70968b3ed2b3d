"""Read Harbor's trials as records: endings, rewards, trajectories from ATIF or chat lists.

A zero without a test is `ungraded`: if the verifier could not install its own tools, `test.sh`
writes 0 although nothing was tested.  Token ids are not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime

from tmax_gym.bench.records import Moment, Phases, TrialRecord, Usage
from tmax_gym.bench.reports.harbor import EXCEPTIONS
from tmax_gym.errors import HarborError
from tmax_gym.harbor.results.atif import AtifStep, AtifTrajectory
from tmax_gym.harbor.results.chats import plain
from tmax_gym.harbor.results.jobs import HarborTrial
from tmax_gym.harbor.results.trials import AgentResult, Timing, TrialResult
from tmax_gym.trajectory import Ending, Step, Trajectory

_BROKEN = re.compile(
    r"(uvx?|curl): (command )?not found|could not resolve host|dpkg was interrupted|"
    r"could not get lock|no space left on device|curl: \(\d+\)|failed to download",
    re.IGNORECASE,
)
_UNTESTED = (Ending.UNGRADED, Ending.CANCELLED)
"""Where a reward counts for nothing."""
_TESTED = re.compile(r"test session starts|collected \d+ item|\d+ (passed|failed)")
_ENDINGS: Mapping[str, Ending] = {
    **{name: ending for ending, name in EXCEPTIONS.items()},
    "VerifierTimeoutError": Ending.VERIFIER_ERROR,
    "RewardFileNotFoundError": Ending.VERIFIER_ERROR,
    "NonZeroAgentExitCodeError": Ending.AGENT_ERROR,
}
"""What an exception means; others are failures of infrastructure."""


def record_of_harbor(trial: HarborTrial, attempt: int) -> TrialRecord:
    """Return a trial of a job directory as a record."""
    result = trial.result
    used = result.agent_result
    extra = (used.metadata if used else None) or {}
    own = extra.get("attempt")
    try:
        atif = trial.trajectory()
    except HarborError:
        atif = None  # the result counts nevertheless
    tags = extra.get("tags")
    return TrialRecord(
        task=result.task_name,
        attempt=own if isinstance(own, int) else attempt,
        digest=result.task_checksum,
        config="",
        trajectory=_trajectory(trial, atif),
        tags=tuple(sorted((str(k), str(v)) for k, v in tags.items()))
        if isinstance(tags, dict)
        else (),
        instruction=_instruction(atif),
        moments=_moments(result, atif),
        phases=Phases(
            _seconds(result.environment_setup) + _seconds(result.agent_setup),
            _seconds(result.agent_execution),
            _seconds(result.verifier),
        ),
        usage=_usage(used),
        started=result.started_at or "",
        finished=result.finished_at or "",
        rewards=tuple(sorted((k, v) for k, v in result.rewards.items() if k != "reward")),
    )


def _usage(used: AgentResult | None) -> Usage:
    if used is None:
        return Usage()
    return Usage(
        input_tokens=used.n_input_tokens or 0,
        cached_tokens=used.n_cache_tokens or 0,
        output_tokens=used.n_output_tokens or 0,
        cost=used.cost_usd,
    )


def _reward(result: TrialResult) -> float | None:
    rewards = dict(result.rewards)
    if not rewards:
        return None
    return rewards.get("reward", sum(rewards.values()) / len(rewards))


def _ending(trial: HarborTrial, word: object) -> Ending:
    """Return how a trial ended.

    Args:
        trial: The trial.
        word: What our own trajectory in it says; anything in those of other programs.
    """
    info, reward = trial.result.exception_info, _reward(trial.result)
    if info is not None:
        ending = _ENDINGS.get(info.exception_type, Ending.INFRA_ERROR)
        if reward is None or not ending.blameless or ending in _UNTESTED:
            return ending
        return Ending.AGENT_ERROR  # it was graded although something went wrong
    if reward is None or (reward == 0.0 and _untested(trial)):
        return Ending.UNGRADED
    known = isinstance(word, str) and word in set(Ending) and Ending(word).graded
    return Ending(str(word)) if known else Ending.SUBMITTED


def _untested(trial: HarborTrial) -> bool:
    verifier = trial.directory / "verifier"
    output = verifier / "test-stdout.txt"
    if (verifier / "ctrf.json").exists() or not output.is_file():
        return False
    with output.open("rb") as file:
        text = file.read(4 << 20).decode(errors="replace")
    return bool(_BROKEN.search(text)) and not _TESTED.search(text)


def _instruction(atif: AtifTrajectory | None) -> str:
    messages = (step.message for step in atif.steps if step.source == "user") if atif else ()
    return next(map(plain, messages), "")


def _trajectory(trial: HarborTrial, atif: AtifTrajectory | None) -> Trajectory:
    result = trial.result
    extra = (atif.extra if atif else None) or {}
    parts = extra.get("parts")
    seed = extra.get("seed")
    info = result.exception_info
    ending = _ending(trial, extra.get("ending"))
    return Trajectory(
        task=result.task_name,
        agent=result.agent_info.name,
        seed=seed if isinstance(seed, int) else 0,
        ending=ending,
        reward=None if ending in _UNTESTED else _reward(result),
        steps=tuple(_step(step) for step in _acts(atif)),
        parts=tuple(sorted((str(k), float(v)) for k, v in parts.items()))
        if isinstance(parts, dict)
        else (),
        message=info.exception_message if info else "",
    )


def _acts(atif: AtifTrajectory | None) -> tuple[AtifStep, ...]:
    return tuple(step for step in atif.steps if step.source == "agent") if atif else ()


def _step(step: AtifStep) -> Step:
    calls = step.tool_calls or ()
    extra = step.extra or {}
    code, seconds = extra.get("exit_code"), extra.get("seconds")
    results = step.observation.results if step.observation else ()
    return Step(
        action="\n".join(_command(dict(call.arguments), call.function_name) for call in calls),
        observation="\n".join(plain(result.content or "") for result in results),
        exit_code=code if isinstance(code, int) else None,
        seconds=float(seconds) if isinstance(seconds, int | float) else 0.0,
        reply=plain(step.message),
    )


def _command(arguments: dict[str, object], name: str) -> str:
    for key in ("command", "keystrokes", "cmd"):
        if isinstance(arguments.get(key), str):
            return str(arguments[key])
    return f"{name} {json.dumps(arguments, sort_keys=True, ensure_ascii=False)}"


def _moments(result: TrialResult, atif: AtifTrajectory | None) -> tuple[Moment, ...]:
    times = [step.timestamp for step in _acts(atif)]
    if not result.started_at or not times or None in times:
        return ()
    began = _time(result.started_at)
    at = [round(max(0.0, _time(str(time)) - began), 3) for time in times]
    thought = [(step.extra or {}).get("thinking") for step in _acts(atif)]
    return tuple(
        Moment(replied - (float(spent) if isinstance(spent, int | float) else 0.0), replied)
        for replied, spent in zip(at, thought, strict=True)
    )


def _seconds(timing: Timing | None) -> float:
    if timing is None or not timing.started_at or not timing.finished_at:
        return 0.0
    return round(max(0.0, _time(timing.finished_at) - _time(timing.started_at)), 3)


def _time(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
