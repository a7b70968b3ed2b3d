"""How diverse and how hard the catalogue is, against its goals.

Everything of `tmax analyze`: balance, wording, structure, difficulty, contamination; with
`--play N` also what an agent earns that drops commands of the reference solution, on N tasks
of every complexity.  One core, a few minutes for the whole catalogue.

    python benchmarks/diversity.py [--expand N] [--play N] [--seed 0] [--json]
"""

from __future__ import annotations

import os

# Before NumPy is loaded: the figures are for one core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.outcome import Target, last_line, store
from tmax_gym.analysis import pages, play, tables
from tmax_gym.analysis.findings import goals
from tmax_gym.analysis.survey import survey
from tmax_gym.reports.markdown import to_markdown
from tmax_gym.sandboxes import backend
from tmax_gym.tasks import catalogue


def main() -> int:
    """Measure, print, store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--expand", type=int, help="tasks to expand, evenly; all if not given")
    parser.add_argument("--play", type=int, default=0, help="tasks of every complexity")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print only the last line")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    specs = catalogue.select()
    dropped = ()
    if options.play:
        chosen = play.chosen(specs, options.play, seed=options.seed)
        dropped = play.play(chosen, backend("native"), seed=options.seed)
    found = survey(specs, expand=options.expand, dropped=dropped)
    reached = goals(found)
    targets = {
        name: Target(goal.value, goal.goal, at_most=goal.at_most) for name, goal in reached.items()
    }
    seen = {name: value for name, value in pages.numbers(found).items() if name != "targets"}
    store("diversity", seen, targets, load=load)
    if not options.json:
        print(to_markdown(tables.goal_table(reached)), end="")
    print(last_line(targets))
    return 0 if all(target.met for target in targets.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
