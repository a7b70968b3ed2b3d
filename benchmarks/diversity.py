"""Measure how diverse and how hard the catalogue is, against its goals.

The measures are those of `tmax analyze`: balance, wording, structure, difficulty, contamination.
`--play N` adds the rewards of an agent that leaves out commands of the reference solution, on N
tasks of every complexity.  Takes one core, and a few minutes for the whole catalogue.

    python benchmarks/diversity.py [--expand N] [--play N] [--seed 0] [--json]
"""

from __future__ import annotations

import os

# Before NumPy is loaded: the figures are for one core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys

from benchmarks.script import finish, parser
from tmax_gym.analysis import pages, play, tables
from tmax_gym.analysis.findings import goals
from tmax_gym.analysis.survey import survey
from tmax_gym.reports.markdown import to_markdown
from tmax_gym.sandboxes import backend
from tmax_gym.tasks import catalogue


def main() -> int:
    """Measure, write the results, return 1 if a target is missed."""
    arguments = parser(__doc__, play=(0, "tasks of every complexity"), seed=0)
    arguments.add_argument("--expand", type=int, help="tasks to expand, evenly; all if not given")
    options = arguments.parse_args()
    specs = catalogue.select()
    dropped = ()
    if options.play:
        chosen = play.chosen(specs, options.play, seed=options.seed)
        dropped = play.play(chosen, backend("native"), seed=options.seed)
    result = survey(specs, expand=options.expand, dropped=dropped)
    reached = goals(result)
    numbers = {name: value for name, value in pages.numbers(result).items() if name != "targets"}
    lines = to_markdown(tables.goal_table(reached)).splitlines()
    return finish("diversity", numbers, reached, options, lines)


if __name__ == "__main__":
    sys.exit(main())
