"""SWE-16 shard balance: spread tests over build machines so that the slowest one ends early.

Past runs say how long a test takes.  From the middle levels on there are tests without a run,
tests that belong together, and tests that must not share a machine.  The score says how much faster
the slowest shard is: from dealing the tests out in turn (0) to longest-first (1).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.checks import exact
from tmax_gym.checks.check import BadOutput, Check, Evidence, Gate, metric_threshold, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.products import Product, Record
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.software_engineering.shard_balance import past_runs
from tmax_gym.nodes import text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

DRAWS = 40
"""Most draws until dealing out in turn is clearly worse than longest-first."""
WORST = 1.25
"""Smallest ratio between the two."""
MEDIANS = """tail -n +2 {timings} | sort -t, -k1,1 -k3,3n | awk -F, '
  $1 != f {{ flush() }} {{ f = $1; t[n++] = $3 }} END {{ flush() }}
  function flush() {{ if (n) print f, t[int(n / 2)]; n = 0 }}' > /tmp/medians.txt"""
PLAN = program_text(__package__, "plan.py")


@dataclass(frozen=True, kw_only=True)
class Suite(World):
    """The decided facts."""

    timings: str
    suite: str
    rules: str
    """"" below the level from which on there are rules."""
    plan: str
    summary: str
    """"" below the level from which on it is asked for."""
    shards: int
    default: int
    """Milliseconds of a test without a run."""
    cost: dict[str, int]
    together: tuple[tuple[str, ...], ...]
    apart: tuple[str, ...]
    fresh: tuple[str, ...]
    base: int
    best: int


class ShardBalance(Family[Suite]):
    """Assign the longest tests first; keep groups together, and conflicting tests apart."""

    id = "SWE-16"
    slug = "shard-balance"
    domain = "software_engineering"
    skill = "Systems"
    primitives = (
        "CI/CD pipeline setup",
        "Constraint satisfaction",
        "Performance benchmarking",
        "End-to-end test orchestration",
    )
    fixtures = ("text_only",)
    verifiers = ("metric_threshold",)
    languages = ("any", "bash")
    tools = ("bash", "awk", "jq", "python3")
    followed_by = {  # noqa: RUF012
        "metrics-file": (
            "summary",
            "We want to see on our dashboard how the duration of the tests grows.",
        ),
        "fill-notice": ("summary", "The developers should read how long their tests take."),
        "apply-setting": ("summary", "The settings of the build still have the old figures."),
    }

    def world(self, ctx: Context) -> Suite:
        """Return timings, the suite and the rules."""
        for attempt in range(DRAWS):
            suite = _drawn(ctx, ctx.rng.fork("suite", attempt))
            if suite.base >= WORST * suite.best:
                return suite
        raise ValueError(f"no suite with a ratio of {WORST} in {DRAWS} draws")

    def oracle(self, ctx: Context, world: Suite) -> tuple[str, ...]:
        """Compute the time of each test and the figures, then make a longest-first plan."""
        known = (
            "awk 'NR == FNR { t[$1] = $2; next } { print $1, ($1 in t) ? t[$1] : d }' "
            f"d={world.default} /tmp/medians.txt {world.suite} > /tmp/known.txt"
        )
        names = {"RULES": world.rules, "COUNT": world.shards, "PLAN": world.plan}
        head = "".join(f"{name} = {value!r}\n" for name, value in names.items())
        steps = [
            f"nproc; head -n 4 {world.timings}; wc -l {world.suite}",
            MEDIANS.format(timings=world.timings),
            known,
        ]
        if world.summary:
            steps += [
                "total=$(awk '{ n += $2 } END { print n }' /tmp/known.txt)",
                f"fresh=$(grep -vcxF -f <(cut -d' ' -f1 /tmp/medians.txt) {world.suite})",
                "longest=$(sort -k2,2nr -k1,1 /tmp/known.txt | head -n 1 | cut -d' ' -f1)",
                f"jq -n --argjson t $total '{{total_ms: $t}}' > {world.summary}",
                f"jq --argjson n $fresh '.fresh = $n' {world.summary} > /tmp/s.json; "
                f"mv /tmp/s.json {world.summary}",
                f"jq --arg l $longest '.longest = $l' {world.summary} > /tmp/s.json; "
                f"mv /tmp/s.json {world.summary}",
            ]
        return (
            *steps,
            write_file("/tmp/plan.py", head + PLAN),
            "python3 /tmp/plan.py",
            f"jq -c '.shards | map(length)' {world.plan}; "
            "rm /tmp/plan.py /tmp/known.txt /tmp/medians.txt",
        )

    def checks(self, ctx: Context, world: Suite) -> tuple[Check | Gate, ...]:
        """Return checks of the slowest shard and of the figures."""
        checks: list[Check | Gate] = [
            unchanged("suite", world.nodes),
            metric_threshold(
                "slowest",
                lambda evidence: _slowest(evidence, world),
                base=float(world.base),
                threshold=float(world.best),
                weight=3.0,
            ),
        ]
        if world.summary:
            checks.append(exact.fields("summary", world.summary, _figures(world)))
        return tuple(checks)

    def products(self, ctx: Context, world: Suite) -> Mapping[str, Product]:
        """Return the summary, where one is asked for; many plans are equally good."""
        if not world.summary:
            return {}
        longest = min(world.cost, key=lambda name: (-world.cost[name], name))
        fields: dict[str, str | int] = {
            "total_ms": sum(world.cost.values()),
            "fresh": len(world.fresh),
            "longest": longest,
        }
        return {"summary": Record(world.summary, fields, "test suite")}

    def say(self, ctx: Context, world: Suite) -> tuple[Obligation, ...]:
        """Return the inputs, the plan, how a test's time is known, and the rules."""
        obligations = [
            Obligation(
                "goal",
                f"Our build runs the tests in `{world.suite}` on {world.shards} machines at the "
                "same time, and we always wait for the slowest machine. Spread the tests over the "
                "machines so that the slowest one finishes as early as possible, and write the "
                f"plan to `{world.plan}`.",
                "goal",
            ),
            Obligation(
                "times",
                f"A test takes the median of the milliseconds of its runs in `{world.timings}`. "
                f"Count {world.default} milliseconds for a test that has no run there.",
            ),
        ]
        keep = [world.suite, world.timings]
        if world.rules:
            keep.append(world.rules)
            obligations.append(
                Obligation(
                    "rules",
                    f"The plan must keep the rules in `{world.rules}`: all tests of one list under "
                    "`together` run on the same machine, and no two tests of the list `apart` run "
                    "on the same machine.",
                )
            )
        obligations.append(
            Obligation(
                "plan",
                f"`{world.plan}` is a JSON object of the form "
                '`{"shards": [["test_a.py", ...], ...]}` with one list of tests per machine, at '
                f"most {world.shards} lists. Every test of `{world.suite}` appears exactly once.",
                "format",
            )
        )
        if world.summary:
            obligations.append(
                Obligation(
                    "summary",
                    f"Also write `{world.summary}`, a JSON object with `total_ms` (the "
                    "milliseconds of all tests together), `fresh` (the number of tests that have "
                    "no run) and `longest` (the name of the test that takes longest, and the first "
                    "one in byte order if several take equally long).",
                    "output",
                )
            )
        *most, last = (f"`{path}`" for path in keep)
        return (
            *obligations,
            Obligation("keep", f"Do not change {', '.join(most)} or {last}.", "limit"),
            Obligation(
                "judged",
                "The plan is judged by the total time of its slowest machine. It need not be the "
                "best plan that there is: it gets full marks if it is as good as the plan of a "
                "common heuristic for such schedules.",
                "grading",
                ("slowest", "heuristic", "longest machine"),
            ),
        )

    def mutants(self, ctx: Context, world: Suite) -> tuple[Attempt, ...]:
        """Return plans in blocks, with a machine idle, and with a test left out."""
        names = sorted(world.cost)
        size = -(-len(names) // world.shards)
        blocks = [names[i * size : (i + 1) * size] for i in range(world.shards)]
        right = _longest_first(world.cost, world.together, world.apart, world.shards)[1]
        fewer = _longest_first(world.cost, world.together, (), world.shards - 1)[1]
        wrong = {
            "blocks": blocks,
            "idle machine": [*fewer, []],
            "one left out": [right[0][1:], *right[1:]],
        }
        return tuple(
            Attempt(name, (write_file(world.plan, json.dumps({"shards": shards})),))
            for name, shards in wrong.items()
        )

    def exploits(self, ctx: Context, world: Suite) -> tuple[Attempt, ...]:
        """Return tests dealt out in turn, none at all, and all of them everywhere."""
        names = sorted(world.cost)
        turns = [names[i :: world.shards] for i in range(world.shards)]
        plans = {
            "in turn": turns,
            "nothing": [[] for _ in turns],
            "everything everywhere": [names for _ in turns],
        }
        return tuple(
            Attempt(name, (write_file(world.plan, json.dumps({"shards": shards})),))
            for name, shards in plans.items()
        )


def _drawn(ctx: Context, rng: Rng) -> Suite:
    count, shards, runs = ctx.knob(8, 80), ctx.knob(2, 7), (1, 3, 5)[round(2 * ctx.level)]
    stems, parts = sorted(set(ctx.skin.stems)), ("api", "cli", "core", "db", "io", "jobs", "ui")
    every = [f"test_{s}_{p}.py" for s in stems for p in parts]
    names = rng.sample(every, min(count, len(every)))
    fresh = tuple(rng.sample(names, len(names) // 9)) if ctx.level >= 0.4 else ()
    default = rng.integer(8, 30) * 100
    cost, rows = past_runs.measured(rng, names, {name: default for name in fresh}, runs=runs)
    ruled = ctx.level >= 0.55
    loose = rng.shuffled([n for n in names if n not in fresh])
    together = tuple(tuple(sorted(loose[3 * i : 3 * i + 3])) for i in range(ctx.knob(1, 4) * ruled))
    apart = tuple(sorted(loose[-ctx.knob(2, shards) :])) if ruled else ()
    best, _ = _longest_first(cost, together, apart, shards)
    ordered = sorted(names)
    base = max(sum(cost[n] for n in ordered[i::shards]) for i in range(shards))
    table = "".join(f"{n},{run},{t}\n" for n, run, t in rng.shuffled(rows))
    timings, suite, rules, plan, summary = past_runs.places(ctx, rng.fork("files"))
    nodes = [text(timings, f"test,run,milliseconds\n{table}"), text(suite, _lines(ordered))]
    if ruled:
        nodes.append(text(rules, _ruled(together, apart)))
    figures = ctx.level >= 0.4
    return Suite(
        nodes=tuple(nodes),
        outputs=(plan, summary) if figures else (plan,),
        timings=timings,
        suite=suite,
        rules=rules if ruled else "",
        plan=plan,
        summary=summary if figures else "",
        shards=shards,
        default=default,
        cost=cost,
        together=together,
        apart=apart,
        fresh=fresh,
        base=base,
        best=best,
    )


def _lines(names: Sequence[str]) -> str:
    return "".join(f"{name}\n" for name in names)


def _ruled(together: Sequence[Sequence[str]], apart: Sequence[str]) -> str:
    return json.dumps({"together": together, "apart": apart}, indent=1) + "\n"


def _longest_first(
    cost: dict[str, int], together: Sequence[Sequence[str]], apart: Sequence[str], shards: int
) -> tuple[int, list[list[str]]]:
    """Return the slowest shard of the longest-first plan, and the plan."""
    grouped = {name for group in together for name in group}
    units = [list(group) for group in together] + [[n] for n in sorted(cost) if n not in grouped]
    loads, plan, taken = [0] * shards, [list[str]() for _ in range(shards)], [False] * shards
    for unit in sorted(units, key=lambda u: (-sum(cost[n] for n in u), u)):
        alone = any(name in apart for name in unit)
        free = [i for i in range(shards) if not (alone and taken[i])]
        best = min(free, key=lambda i: (loads[i], i))
        loads[best] += sum(cost[n] for n in unit)
        plan[best] += unit
        taken[best] |= alone
    return max(loads), plan


def _slowest(evidence: Evidence, world: Suite) -> float:
    """Return the milliseconds of the slowest shard of a plan that keeps the rules."""
    plan = exact.read_json(evidence, world.plan)
    shards = plan.get("shards") if isinstance(plan, dict) else None
    if not isinstance(shards, list) or not all(isinstance(one, list) for one in shards):
        raise BadOutput(f'{world.plan} is no object with a list of lists "shards"')
    if len(shards) > world.shards:
        raise BadOutput(f"{world.plan} has {len(shards)} shards, there are {world.shards} machines")
    names = [name for shard in shards for name in shard]
    if not all(isinstance(n, str) for n in names) or sorted(names) != sorted(world.cost):
        raise BadOutput(f"{world.plan} does not name every test once")
    where = {name: i for i, shard in enumerate(shards) for name in shard}
    if any(len({where[name] for name in group}) > 1 for group in world.together):
        raise BadOutput(f"{world.plan} splits tests that belong together")
    if len({where[name] for name in world.apart}) < len(world.apart):
        raise BadOutput(f"{world.plan} puts tests together that must be apart")
    return float(max(sum(world.cost[name] for name in shard) for shard in shards))


def _figures(world: Suite) -> dict[str, object]:
    longest = min(world.cost, key=lambda name: (-world.cost[name], name))
    total = sum(world.cost.values())
    return {"total_ms": total, "fresh": len(world.fresh), "longest": longest}


FAMILY = ShardBalance()
