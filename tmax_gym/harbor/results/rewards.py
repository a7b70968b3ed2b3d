"""Read the rewards that a Harbor verifier has written: `reward.json`, or else `reward.txt`.

Anything but finite numbers by name is an error, never a zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.errors import HarborError
from tmax_gym.harbor.tasks.config import RewardStrategy
from tmax_gym.harbor.tasks.fields import number, read_json
from tmax_gym.validation import shown

KEY = "reward"
"""The name of a single reward."""
MOST_BYTES = 1 << 20
MOST_KEYS = 10_000


@dataclass(frozen=True, slots=True)
class Rewards:
    """Finite numbers by name."""

    values: tuple[tuple[str, float], ...]
    """Sorted by name, at least one."""

    @property
    def reward(self) -> float | None:
        """Return the number called `reward`, or the only one; None for several others."""
        only = self.values[0][1] if len(self.values) == 1 else None
        return dict(self.values).get(KEY, only)

    def score(self) -> float:
        """Return the reward as an environment gives it: a number in [0, 1].

        Raises:
            HarborError: Several numbers and none is called `reward`, or it is out of range.
        """
        reward = self.reward
        if reward is None:
            names = ", ".join(name for name, _ in self.values[:5])
            raise HarborError(f"the verifier wrote several rewards ({names}) and none is {KEY!r}")
        if not 0.0 <= reward <= 1.0:
            raise HarborError(f"the verifier wrote the reward {reward:g}, which is not in [0, 1]")
        return reward

    def meets(self, least: Sequence[tuple[str, float]]) -> bool:
        """Return whether every number reaches its bound; an absent one does not."""
        values = dict(self.values)
        return all(key in values and values[key] >= bound for key, bound in least)


def rewards(values: Mapping[str, float]) -> Rewards:
    """Return rewards from numbers by name."""
    if not values:
        raise HarborError("the verifier wrote no number")
    return Rewards(tuple(sorted(values.items())))


def read_rewards(reward_json: bytes | None, reward_txt: bytes | None) -> Rewards:
    """Return the rewards; if `reward.json` is there, it counts even if it cannot be read.

    Args:
        reward_json: Content of `/logs/verifier/reward.json`; None if it is absent.
        reward_txt: Content of `/logs/verifier/reward.txt`; None if it is absent.

    Raises:
        HarborError: Both are absent, or the one that counts has other values than finite numbers.
    """
    if reward_json is not None:
        return _from_json(_sized(reward_json, "reward.json"))
    if reward_txt is not None:
        return _from_text(_sized(reward_txt, "reward.txt"))
    raise HarborError("the verifier wrote neither reward.json nor reward.txt")


def _sized(data: bytes, name: str) -> bytes:
    if not data.strip():
        raise HarborError(f"{name} is empty")
    if len(data) > MOST_BYTES:
        raise HarborError(f"{name} has {len(data)} bytes, more than {MOST_BYTES}")
    return data


def _from_json(data: bytes) -> Rewards:
    values = read_json(data, "reward.json")
    if not isinstance(values, dict):
        raise HarborError(f"reward.json is {shown(values)}, not an object of numbers")
    if not values or len(values) > MOST_KEYS:
        raise HarborError(f"reward.json has {len(values)} numbers")
    return rewards({key: _finite(value, f"reward.json: {key}") for key, value in values.items()})


def _finite(value: object, where: str) -> float:
    # Harbor takes true for 1 and refuses texts.
    if not isinstance(value, int | float):
        raise HarborError(f"{where} is {shown(value)}, not a number")
    return number(int(value) if isinstance(value, bool) else value, where)


def _from_text(data: bytes) -> Rewards:
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise HarborError(f"reward.txt is {shown(data)}, not a number") from None
    return rewards({KEY: number(text, "reward.txt")})


def combine(steps: Sequence[Rewards | None], strategy: RewardStrategy) -> Rewards | None:
    """Return the rewards of a task with several steps.

    Args:
        steps: The rewards of each step, in order; None if its verifier wrote nothing.
        strategy: `final` takes those of the last step; `mean` takes the mean by name over the
            steps with rewards, in which an absent name counts 0.
    """
    if strategy == "final":
        return steps[-1] if steps else None
    graded = [dict(step.values) for step in steps if step is not None]
    if not graded:
        return None
    names = sorted({name for step in graded for name in step})
    return rewards({n: sum(step.get(n, 0.0) for step in graded) / len(graded) for n in names})
