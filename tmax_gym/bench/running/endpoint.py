"""The endpoint of a run's model: connection, context window, prices, usage of a trial."""

from __future__ import annotations

from dataclasses import dataclass, field

from tmax_gym.agents.client.client import Client, Connection, Spent, Surroundings
from tmax_gym.agents.client.parameters import Learnt
from tmax_gym.agents.harnesses.window import Window
from tmax_gym.bench.records import Usage
from tmax_gym.errors import BenchError


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices in dollars for a million tokens."""

    input: float
    output: float
    cached: float | None = None
    """Input from a cache; None for the price of other input."""

    def cost(self, spent: Spent) -> float:
        """Return the cost in dollars.

        >>> Prices(1.0, 2.0, cached=0.5).cost(Spent(1, 300_000, 100_000, 50_000))
        0.35
        """
        cheap = self.input if self.cached is None else self.cached
        fresh = spent.input_tokens - spent.cached_tokens
        paid = fresh * self.input + spent.cached_tokens * cheap + spent.output_tokens * self.output
        return paid / 1e6


def read_prices(text: str) -> Prices | None:
    """Return prices given as "INPUT,OUTPUT[,CACHED]"; None for an empty text.

    Raises `BenchError` for another form.
    """
    try:
        return Prices(*map(float, text.split(","))) if text else None
    except (TypeError, ValueError) as error:
        raise BenchError(f"--prices is {text!r}, but should be like 0.5,1.5[,0.1]") from error


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The endpoint of a model and its options."""

    connection: Connection
    window: Window = field(default_factory=Window)
    prices: Prices | None = None
    learnt: Learnt = field(default_factory=Learnt, compare=False)
    """Parameters that it refuses, as all trials together have learnt."""

    def client(self, around: Surroundings | None = None) -> Client:
        """Return a client for one trial."""
        return Client(self.connection, learnt=self.learnt, around=around)

    def usage(self, spent: Spent) -> Usage:
        """Return the usage of a trial, with its cost."""
        return Usage(
            calls=spent.calls,
            input_tokens=spent.input_tokens,
            cached_tokens=spent.cached_tokens,
            output_tokens=spent.output_tokens,
            cost=None if self.prices is None else self.prices.cost(spent),
            waited=spent.waited,
        )
