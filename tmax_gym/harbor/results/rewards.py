"""What a Harbor verifier leaves behind: `reward.json`, else `reward.txt`, as `Rewards`.

Covers one number or several by name, and everything else that a broken or hostile verifier may
write: each is an error, never a zero.  Does not cover running the verifier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.errors import HarborError
from tmax_gym.harbor.tasks.config import RewardStrategy
from tmax_gym.harbor.tasks.fields import number, read_json
from tmax_gym.validation import shown

KEY = "reward"
"""The name of the reward where there is only one."""
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
        found = dict(self.values)
        if KEY in found:
            return found[KEY]
        return self.values[0][1] if len(self.values) == 1 else None

    def score(self) -> float:
        """Return the reward as an environment gives it: a number in [0, 1].

        Raises:
            HarborError: Several numbers and none is called `reward`, or it is out of range.
        """
        found = self.reward
        if found is None:
            names = ", ".join(name for name, _ in self.values[:5])
            raise HarborError(f"the verifier wrote several rewards ({names}) and none is {KEY!r}")
        if not 0.0 <= found <= 1.0:
            raise HarborError(f"the verifier wrote the reward {found:g}, which is not in [0, 1]")
        return found

    def meets(self, least: Sequence[tuple[str, float]]) -> bool:
        """Return whether every one of these numbers is reached; an absent one is not."""
        found = dict(self.values)
        return all(key in found and found[key] >= bound for key, bound in least)


def rewards(values: Mapping[str, float]) -> Rewards:
    """Return rewards from numbers by name."""
    if not values:
        raise HarborError("the verifier wrote no number")
    return Rewards(tuple(sorted(values.items())))


def read_rewards(reward_json: bytes | None, reward_txt: bytes | None) -> Rewards:
    """Return what the verifier wrote; `reward.json` wins, also where it cannot be read.

    Args:
        reward_json: Content of `/logs/verifier/reward.json`; None where it is absent.
        reward_txt: Content of `/logs/verifier/reward.txt`; None where it is absent.

    Raises:
        HarborError: Neither is there, or the one that counts is no finite number.
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
    found = read_json(data, "reward.json")
    if not isinstance(found, dict):
        raise HarborError(f"reward.json is {shown(found)}, not an object of numbers")
    if not found or len(found) > MOST_KEYS:
        raise HarborError(f"reward.json has {len(found)} numbers")
    return rewards({key: _finite(value, f"reward.json: {key}") for key, value in found.items()})


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
        steps: What each step's verifier wrote, in order; None where it wrote nothing.
        strategy: `final` takes the last step's; `mean` the mean by name over the steps that
            have rewards, where an absent name counts 0.
    """
    if strategy == "final":
        return steps[-1] if steps else None
    graded = [dict(step.values) for step in steps if step is not None]
    if not graded:
        return None
    names = sorted({name for found in graded for name in found})
    return rewards({n: sum(found.get(n, 0.0) for found in graded) / len(graded) for n in names})
