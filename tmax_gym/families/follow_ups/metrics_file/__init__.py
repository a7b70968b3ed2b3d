"""Follow-up: the agent writes a record where figures are kept: as metrics, or in a history."""

from __future__ import annotations

from tmax_gym.checks.check import Check, Gate
from tmax_gym.families.contract import Attempt, Following, FollowUp
from tmax_gym.families.follow_ups.metrics_file import exposition, history
from tmax_gym.families.follow_ups.metrics_file.exposition import Exposition
from tmax_gym.families.follow_ups.metrics_file.history import History
from tmax_gym.families.products import Record
from tmax_gym.families.shared.records import numbers, times
from tmax_gym.texts.obligations import Obligation

BARE = frozenset(' \\",;\n\r\t')
"""Characters of which a value may have none but the blank, because they need quotes or escapes."""


class MetricsFile(FollowUp[Record, Exposition | History]):
    """Metrics in the Prometheus text format, or a line in a history of figures."""

    slug = "metrics-file"
    tools = ("awk", "bash", "jq", "python3", "sed")
    works_on = Record

    def suits(self, product: Record) -> bool:
        """Return whether there are two fields, and no value needs quotes."""
        values = [str(value) for value in product.fields.values()]
        plain = all(value.strip() and not set(value) & (BARE - {" "}) for value in values)
        return len(values) >= 2 and plain

    def world(self, ctx: Following[Record]) -> Exposition | History:
        """Return metrics or a history, each with what is there already."""
        figures = numbers(ctx.product) + times(ctx.product)
        if ctx.rng.fork("kind").chance(0.5 if figures else 0.25):
            return exposition.drawn(ctx)
        return history.drawn(ctx)

    def oracle(self, ctx: Following[Record], world: Exposition | History) -> tuple[str, ...]:
        """Return a program for metrics, or commands that put a line together."""
        if isinstance(world, History):
            return history.oracle(world)
        return exposition.oracle(world)

    def checks(
        self, ctx: Following[Record], world: Exposition | History
    ) -> tuple[Check | Gate, ...]:
        """Return a check of what is new, worth less if something else has changed."""
        if isinstance(world, History):
            return history.checks(world)
        return exposition.checks(world)

    def say(self, ctx: Following[Record], world: Exposition | History) -> tuple[Obligation, ...]:
        """Return the names, the values and what stays as it is."""
        if isinstance(world, History):
            return history.say(world, ctx.product.noun)
        return exposition.say(world, ctx.product.noun)

    def mutants(self, ctx: Following[Record], world: Exposition | History) -> tuple[Attempt, ...]:
        """Return metrics or lines with a wrong name, value or place."""
        if isinstance(world, History):
            return history.mutants(world)
        return exposition.mutants(world)

    def exploits(self, ctx: Following[Record], world: Exposition | History) -> tuple[Attempt, ...]:
        """Return what can be written without the record."""
        if isinstance(world, History):
            return history.exploits(world)
        return exposition.exploits(world)


FOLLOW_UP = MetricsFile()
