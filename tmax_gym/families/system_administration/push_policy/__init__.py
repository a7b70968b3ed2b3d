"""SYS-14 push policy: hooks of a bare git repository that refuse bad pushes and build good ones.

A policy of numbered rules says what is refused and which pipeline follows an accepted push.  More
difficult tasks have more rules, and more steps in the pipeline.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tmax_gym.checks.check import (
    BadOutput,
    Case,
    Check,
    Evidence,
    Gate,
    Program,
    fraction,
    unchanged,
)
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.system_administration.push_policy import hooks as hooks_
from tmax_gym.families.system_administration.push_policy import instruction
from tmax_gym.families.system_administration.push_policy import policy as policy_
from tmax_gym.families.system_administration.push_policy import rules as rules_
from tmax_gym.families.system_administration.push_policy.depot import (
    Depot,
    Pipeline,
    Push,
    history,
    pushes,
)
from tmax_gym.families.system_administration.push_policy.series import series
from tmax_gym.nodes import Node, directory, prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

DRILL = program_text(__package__, "drill.py")

SENDER = "/tmp/sender.git"
"""Where the verifier puts the objects that it pushes."""
_OF_COMMITS = {"message", "email", "size", "paths", "modes"}
QUIET = "[receive]\n\tautogc = false\n"


@dataclass(frozen=True, kw_only=True)
class Agreed(World):
    """The decided facts."""

    depot: str
    policy: str
    drill: str
    sender: str
    plan: str
    rules: tuple[str, ...]
    facts: rules_.Facts
    pipeline: Pipeline
    refs: Mapping[str, str]
    tried: tuple[Push, ...]
    series: tuple[Push, ...]
    objects: tuple[Node, ...]
    """A repository with everything that is pushed."""


class PushPolicy(Family[Agreed]):
    """Refuse pushes by their names, messages, sizes and so on; build and publish the others."""

    id = "SYS-14"
    slug = "push-policy"
    domain = "system_administration"
    skill = "Deployment"
    primitives = (
        "Git server and hook configuration",
        "CI/CD pipeline construction",
        "Robust script writing with error handling",
    )
    fixtures = ("vendored_package",)
    verifiers = ("adversarial_corpus",)
    languages = ("any", "bash")
    tools = ("bash", "git", "grep", "awk", "tar", "python3")

    def world(self, ctx: Context) -> Agreed:
        """Return a depot without hooks, its policy, and the pushes that try it."""
        rng = ctx.rng.fork("depot")
        facts = rules_.facts(ctx, rng.fork("facts"))
        rules = _chosen(ctx, rng.fork("rules"))
        flow = _pipeline(ctx, rng.fork("pipeline"))
        work = Depot(ctx, rng.fork("history"), facts, flow)
        history(work)
        depot, policy, drill = ctx.path("depot.git"), ctx.path("POLICY.md"), ctx.path("drill.py")
        sender, plan = ctx.path("sender.git"), ctx.path("plan.json")
        held = work.repository.nodes(depot, bare=True, config=QUIET)
        shown = [push for push in pushes(work, ("names",)) if push.name in ("main-old", "topic")]
        shown.append(series(work)[0])
        sent = work.repository.nodes(sender, bare=True)
        policy_text = policy_.document(
            [rules_.told(r, facts, "tags" in rules) for r in rules], flow
        )
        refs = dict(work.refs)
        tried, last = pushes(work, rules), series(work)
        return Agreed(
            nodes=(
                prose(policy, policy_text),
                text(drill, DRILL, mode=0o755),
                text(plan, _plan(refs, shown)),
                directory(f"{depot}/hooks"),
                *held,
                *sent,
            ),
            outputs=(f"{depot}/hooks",),
            depot=depot,
            policy=policy,
            drill=drill,
            sender=sender,
            plan=plan,
            rules=rules,
            facts=facts,
            pipeline=flow,
            refs=refs,
            tried=tried,
            series=last,
            objects=work.repository.nodes(SENDER, bare=True),
        )

    def oracle(self, ctx: Context, world: Agreed) -> tuple[str, ...]:
        """Return a look around, the hooks with a file for each rule, and a trial."""
        return (
            f"cat {world.policy}; git -C {world.depot} log --oneline --graph --all; "
            f"git -C {world.depot} show main:{world.pipeline.steps}",
            *_hooks(world, _scripts(world)),
            f"{world.drill} {world.depot} {world.sender} < {world.plan}",
        )

    def checks(self, ctx: Context, world: Agreed) -> tuple[Check | Gate, ...]:
        """Return checks of hidden pushes, good and bad, and of the site after a series of them."""
        numbers = {rule: n for n, rule in enumerate(world.rules, start=1)}
        kept = {f"{world.depot}/{name}": f"{target}\n" for name, target in world.refs.items()}
        refs = [text(path, body) for path, body in kept.items()]

        def refused(evidence: Evidence) -> float:
            _demand(evidence, world, ("pre-receive", "update"))
            reports = _pushed(evidence, ctx.home, world, asked=world.tried)
            good = [_is_right(p, t, numbers) for p, t in zip(world.tried, reports, strict=True)]
            pairs = list(zip(world.tried, good, strict=True))
            # A rule counts as a whole, good pushes count thrice: refusing by chance shall not pay.
            kept = [all(g for p, g in pairs if p.rule == rule) for rule in world.rules]
            passed = [g for p, g in pairs if not p.rule]
            wronged = fraction(passed.count(False), len(passed))
            return max(0.0, fraction(sum(kept), len(kept)) - 3.0 * wronged)

        def published(evidence: Evidence) -> float:
            _demand(evidence, world, ("post-receive", "post-update"))
            reports = _pushed(evidence, ctx.home, world, asked=world.series)
            right = [_has(t, p.site or {}) for p, t in zip(world.series, reports, strict=True)]
            return fraction(sum(right), len(right))

        return (
            unchanged("given", (*world.nodes[:2], *refs)),
            Check("refused", "adversarial_corpus", refused, 3.0),
            Check("published", "exact_text", published, 2.0),
        )

    def say(self, ctx: Context, world: Agreed) -> tuple[Obligation, ...]:
        """Return where hooks go and how they are tried; the rules are in the policy."""
        return instruction.obligations(
            world.depot, world.policy, drill=world.drill, sender=world.sender, plan=world.plan
        )

    def mutants(self, ctx: Context, world: Agreed) -> tuple[Attempt, ...]:
        """Return hooks with a typical mistake: in a rule, in what is judged, or in the pipeline."""
        right = _scripts(world)
        attempts = []
        for rule in ctx.rng.fork("slips").sample(world.rules, min(3, len(world.rules))):
            parts = {**right, rule: rules_.slip(rule, right[rule], world.facts)}
            attempts.append(Attempt(f"in a hurry: {rule}", _hooks(world, parts)))
        hooks = _hooks(world, right)
        edits = {
            "failures published": ('[ "$verdict" = ok ]', "true"),
            "absolute path": ('"$PWD/../site"', f"{ctx.home}/site"),
            "failures not logged": ('verdict="failed $step"; break', "continue 2"),
        }
        if _OF_COMMITS & set(world.rules):  # others say nothing of what was there before
            edits["whole history"] = (' "$new" --not --all', ' "$new"')
        for name, (old, new) in edits.items():
            attempts.append(Attempt(name, tuple(c.replace(old, new) for c in hooks)))
        plain = (f"chmod 644 {world.depot}/hooks/pre-receive",)
        return (*attempts, Attempt("not executable", (*hooks, *plain)))

    def exploits(self, ctx: Context, world: Agreed) -> tuple[Attempt, ...]:
        """Return hooks without any rule, and a drill that accepts everything."""
        hook = f"{world.depot}/hooks/pre-receive"
        every = " ".join(str(n) for n in range(1, len(world.rules) + 1))
        all_ = f"#!/bin/bash\nfor n in {every}; do echo policy $n >&2; done\nexit 1\n"
        some = "#!/bin/bash\nread -r old new ref\n[[ $new < 8 ]] && exit 0\necho policy 1\nexit 1\n"
        return (
            Attempt("accepts", (write_file(hook, "#!/bin/bash\nexit 0\n", mode="755"),)),
            Attempt("refuses", (write_file(hook, all_, mode="755"),)),
            Attempt("by the id", (write_file(hook, some, mode="755"),)),
            Attempt("content drill", (f"echo 'print(1)' > {world.drill}",)),
        )


def _chosen(ctx: Context, rng: Rng) -> tuple[str, ...]:
    """Return the rules of a policy, in its order."""
    others = [rule for rule in rules_.RULES if rule != rules_.ALWAYS]
    drawn = rng.sample(others, ctx.knob(1, 5))
    return (rules_.ALWAYS, *drawn)


def _pipeline(ctx: Context, rng: Rng) -> Pipeline:
    return Pipeline(
        steps=rng.choice(("ci/steps", ".pipeline", "build/steps.txt", "STEPS")),
        out=rng.choice(("dist", "out", "public", "result")),
        live=rng.choice(("live", "current", "latest", "main")),
        digits=rng.integer(7, 12),
        releases=ctx.level >= 0.3,
        pruned=ctx.level >= 0.5 and rng.chance(0.7),
        told=ctx.level >= 0.3 and rng.chance(0.6),
    )


def _scripts(world: Agreed) -> dict[str, str]:
    """Return the part of the hook for each rule."""
    tags = "tags" in world.rules
    return {
        rule: rules_.script(rule, world.facts, number, tags=tags)
        for number, rule in enumerate(world.rules, start=1)
    }


def _hooks(world: Agreed, scripts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the commands that write both hooks and a file for each rule."""
    hooks = f"{world.depot}/hooks"
    return (
        f"mkdir -p {hooks}/policy.d",
        write_file(f"{hooks}/pre-receive", hooks_.PRE_RECEIVE, mode="755"),
        *(
            write_file(f"{hooks}/policy.d/{number:02d}-{rule}.sh", script)
            for number, (rule, script) in enumerate(scripts.items(), start=1)
        ),
        write_file(f"{hooks}/post-receive", hooks_.post_receive(world.pipeline), mode="755"),
    )


def _demand(evidence: Evidence, world: Agreed, names: Sequence[str]) -> None:
    """Raise `BadOutput` if there is no such hook: then nothing needs to be pushed."""
    hooks = [f"{world.depot}/hooks/{name}" for name in names]
    if not any(evidence.tree(hook) for hook in hooks):
        raise BadOutput(f"{world.depot} has no hook called {' or '.join(names)}")


def _plan(refs: Mapping[str, str], asked: Sequence[Push]) -> str:
    """Return pushes as the drill reads them."""
    rows = [{"name": p.name, "refspecs": p.refspecs, "keep": p.keep} for p in asked]
    return json.dumps({"refs": dict(refs), "pushes": rows}, indent=1) + "\n"


def _pushed(
    evidence: Evidence, home: str, world: Agreed, *, asked: Sequence[Push]
) -> list[dict[str, object]]:
    """Return what the original drill reports of pushes into the depot."""
    drill = Node(world.drill, data=DRILL.encode(), mode=0o755)
    case = Case(
        argv=(world.depot, SENDER),
        stdin=_plan(world.refs, asked).encode(),
        nodes=(drill, *world.objects),
    )
    (outcome,) = evidence.run(Program(world.drill, "python", roots=(home,)), [case], timeout=20.0)
    try:
        reports = [json.loads(line) for line in outcome.stdout.decode().splitlines()]
        answers = [
            {"ok": bool(t["accepted"]), "moved": bool(t["moved"]), "said": str(t["said"]),
             "site": {str(path): tuple(entry) for path, entry in t["site"].items()}}
            for t in reports
        ]  # fmt: skip
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadOutput(f"the drill was interfered with: {error!r}") from error
    if len(answers) != len(asked):
        raise BadOutput(f"the drill came back from {len(answers)} of {len(asked)} pushes")
    return answers


def _is_right(push: Push, report: Mapping[str, object], numbers: Mapping[str, int]) -> bool:
    """Return whether a push was rightly accepted, or refused for the right reason only."""
    if not push.rule:
        return bool(report["ok"] and report["moved"])
    named = set(re.findall(r"policy (\d+)", str(report["said"])))
    return not report["ok"] and not report["moved"] and named == {str(numbers[push.rule])}


def _has(report: Mapping[str, object], site: Mapping[str, tuple[str, str]]) -> bool:
    """Return whether the site holds these links, builds and log lines."""
    entries = report["site"]
    if not isinstance(entries, dict):
        return False
    seen = {
        path: entry
        for path, entry in entries.items()
        if path == "log" or path.startswith("builds/") or entry[0] == "link"
    }
    return seen == dict(site)


FAMILY = PushPolicy()
