"""Plans of the analysis desk: prescribed methods, drawn by level, and their likely misreadings.

Covers choices and their numbers.  Does not cover what they mean: see `evaluator`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from tmax_gym.rng import Rng

ANALYSES = ("density", "gap", "test", "interval", "posterior")
GENERATORS = ((1_664_525, 1_013_904_223), (22_695_477, 1), (1_103_515_245, 12_345), (0, 0))
"""Multiplier and increment of well-known generators modulo 2^32; zeros for a shift register."""
GROUPS = (
    ("before", "after"),
    ("old", "new"),
    ("control", "trial"),
    ("day", "night"),
    ("upstream", "downstream"),
    ("manual", "automatic"),
)
Edge = Literal["drop", "clamp", "mirror"]
Distance = Literal["variation", "kolmogorov", "wasserstein", "cramer", "ruzicka"]
Loss = Literal["absolute", "square", "capped", "tilted", "huber"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The method that a task prescribes."""

    groups: tuple[str, str]
    """The second one is the one that is asked about; their first letters differ."""
    lcg: tuple[int, int]
    """Multiplier and increment modulo 2^32; zeros for a shift register."""
    scaled: bool
    """Whether a number below n is r * n >> 16, not r % n."""
    width: int
    cells: int
    kernel: Literal["box", "triangle", "parabola"]
    reach: int
    edge: Edge
    distance: Distance
    statistic: Literal["mean", "median", "ecdf", "pairs"]
    signed: bool
    """Whether only a larger second group counts."""
    upward: bool
    """Whether the shuffle runs from the first place to the last."""
    fresh: bool
    """Whether every shuffle starts from the original order."""
    share: Literal["plus", "plain", "mid"]
    estimate: Literal["mean", "median", "quartile", "trimmed"]
    swapped: bool
    """Whether the second group is resampled first."""
    turned: bool
    """Whether the interval is mirrored at the observed value."""
    tail: int
    """Per mille left out at each end."""
    loss: Loss
    bend: int
    """Where a capped or Huber loss changes; the price above of a tilted one."""
    prior: Literal["flat", "linear", "square", "band"]
    pull: int
    proposal: Literal["span", "walk", "jump"]
    stride: int
    wall: Literal["reflect", "wrap", "stay"]
    scale: int
    """Energy of one step of the ladder of acceptance."""
    ladder: tuple[int, ...]
    """Thresholds by step; empty for halves."""
    always: bool
    """Whether a number is drawn even where the energy does not rise."""
    start: Literal["first", "middle", "centre"]
    burn: int
    thin: int

    @property
    def top(self) -> int:
        """Return the largest reading, and the largest value of the parameter."""
        return self.width * self.cells - 1


def drawn(rng: Rng, level: float) -> Plan:
    """Return a plan; the higher the level, the more of its choices are unusual ones."""
    some, most = level >= 0.3, level >= 0.6
    losses: tuple[Loss, ...] = ("absolute", "square", "capped", "tilted", "huber")
    loss = rng.choice(losses if some else losses[:2])
    return Plan(
        groups=rng.choice(GROUPS),
        lcg=rng.choice(GENERATORS),
        scaled=rng.chance(0.5),
        width=rng.integer(3, 5),
        cells=rng.integer(7, 10),
        kernel=rng.choice(("triangle", "parabola", "box") if some else ("triangle", "box")),
        reach=rng.integer(1, 2) + most,
        edge=rng.choice(("drop", "clamp", "mirror")),
        distance=rng.choice(("variation", "kolmogorov", "wasserstein", "cramer", "ruzicka")),
        statistic=rng.choice(("pairs", "ecdf", "median") if some else ("mean", "median")),
        signed=rng.chance(0.5),
        upward=rng.chance(0.5),
        fresh=not some or rng.chance(0.5),
        share=rng.choice(("plus", "plain", "mid") if some else ("plus", "plain")),
        estimate=rng.choice(("trimmed", "quartile", "mean") if some else ("mean", "median")),
        swapped=rng.chance(0.5),
        turned=some and rng.chance(0.6),
        tail=rng.choice((25, 50, 100)),
        loss=loss,
        bend=rng.integer(2, 4) if loss in ("huber", "tilted") else rng.integer(6, 9),
        prior=rng.choice(("linear", "square", "band") if some else ("flat", "linear")),
        pull=rng.integer(1, 3),
        proposal=rng.choice(("walk", "jump", "span") if most else ("span", "walk")),
        stride=rng.integer(2, 4),
        wall=rng.choice(("reflect", "wrap", "stay")),
        scale=rng.integer(12, 20) if loss in ("square", "huber") else rng.integer(2, 4),
        ladder=_ladder(rng.fork("ladder")) if rng.chance(0.5) else (),
        always=rng.chance(0.5),
        start=rng.choice(("first", "middle", "centre")),
        burn=rng.integer(4, 12),
        thin=rng.integer(2, 3) if most else 1,
    )


def _ladder(rng: Rng) -> tuple[int, ...]:
    """Return thresholds that fall by about a constant factor, as a lab tabled them."""
    share, marks = rng.integer(60, 80), [65_536]
    while marks[-1] > 300:
        marks.append(marks[-1] * share // 100)
    return tuple(marks)


def mistakes(plan: Plan) -> Iterator[tuple[str, str, Plan]]:
    """Yield what a hasty reader would build, and the analysis in which it shows."""
    other: Edge = "clamp" if plan.edge != "clamp" else "mirror"
    yield "edge", "density", replace(plan, edge=other)
    yield "shares", "test", replace(plan, share="plain" if plan.share != "plain" else "plus")
    yield "bounds", "interval", replace(plan, turned=not plan.turned)
    yield "wall", "posterior", replace(plan, wall="stay" if plan.wall != "stay" else "reflect")
    yield "draws", "posterior", replace(plan, always=not plan.always)
    yield "bound of a draw", "test", replace(plan, scaled=not plan.scaled)
    usual: Distance = "variation" if plan.distance != "variation" else "kolmogorov"
    yield "distance", "gap", replace(plan, distance=usual)
