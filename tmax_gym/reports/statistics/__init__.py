"""Statistics over the trials of a run: pure functions of rewards by task.

Tasks are the sample and trials of one task are not independent, so every error is clustered by
task.  An ungraded trial is never zero: it is left out, counted, and bounded from both sides.
"""

from __future__ import annotations

from tmax_gym.reports.statistics.comparison import Comparison, Rule, by_tag, compare
from tmax_gym.reports.statistics.intervals import Interval, mean_interval
from tmax_gym.reports.statistics.means import mean
from tmax_gym.reports.statistics.pairs import differences, paired
from tmax_gym.reports.statistics.passes import flaky, pass_at_k, passing
from tmax_gym.reports.statistics.power import attempts_needed, paired_components, plan
from tmax_gym.reports.statistics.summary import RunSummary, breakdown, summarise
from tmax_gym.reports.statistics.trials import Run, Trial, read_run, to_json, write_run

__all__ = [
    "Comparison",
    "Interval",
    "Rule",
    "Run",
    "RunSummary",
    "Trial",
    "attempts_needed",
    "breakdown",
    "by_tag",
    "compare",
    "differences",
    "flaky",
    "mean",
    "mean_interval",
    "paired",
    "paired_components",
    "pass_at_k",
    "passing",
    "plan",
    "read_run",
    "summarise",
    "to_json",
    "write_run",
]
