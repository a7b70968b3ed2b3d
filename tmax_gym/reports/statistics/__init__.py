"""Statistics over the trials of a run: pure functions of rewards by task.

Tasks are the sample and trials of one task are not independent, so every error is clustered by
task.  An ungraded trial is never zero: it is left out, counted, and bounded from both sides.
Covers means, pass@k, paired comparisons, breakdowns and power.
"""

from __future__ import annotations

from tmax_gym.reports.statistics.comparison import Comparison, Rule, by_tag, compare
from tmax_gym.reports.statistics.intervals import Interval, mean_interval, wilson
from tmax_gym.reports.statistics.means import Bounds, Mean, bounds, mean, task_means
from tmax_gym.reports.statistics.pairs import Paired, differences, paired, sign_flip
from tmax_gym.reports.statistics.passes import (
    Flaky,
    Passing,
    flaky,
    pass_at_k,
    pass_hat_k,
    passing,
    solve_rate,
    successes,
)
from tmax_gym.reports.statistics.power import (
    Components,
    attempts_needed,
    chance,
    components,
    detectable,
    paired_components,
    plan,
    repeated,
    tasks_needed,
)
from tmax_gym.reports.statistics.summary import RunSummary, breakdown, summarise
from tmax_gym.reports.statistics.trials import (
    Rewards,
    Run,
    Status,
    Trial,
    from_json,
    read_run,
    to_json,
    write_run,
)

__all__ = [
    "Bounds",
    "Comparison",
    "Components",
    "Flaky",
    "Interval",
    "Mean",
    "Paired",
    "Passing",
    "Rewards",
    "Rule",
    "Run",
    "RunSummary",
    "Status",
    "Trial",
    "attempts_needed",
    "bounds",
    "breakdown",
    "by_tag",
    "chance",
    "compare",
    "components",
    "detectable",
    "differences",
    "flaky",
    "from_json",
    "mean",
    "mean_interval",
    "paired",
    "paired_components",
    "pass_at_k",
    "pass_hat_k",
    "passing",
    "plan",
    "read_run",
    "repeated",
    "sign_flip",
    "solve_rate",
    "successes",
    "summarise",
    "task_means",
    "tasks_needed",
    "to_json",
    "wilson",
    "write_run",
]
