"""SYS-22 converge: one idempotent Bash script that brings hosts from any state to the desired one.

The description has at least one point about accounts, one about the environment, and one about
links and directories.  More difficult tasks have more points.  Hidden hosts are drifted, half done
or done.  Files that are right must not be written again.
"""

from __future__ import annotations

import json
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
from tmax_gym.families.products import Edits, Product
from tmax_gym.families.shared.programs import program_text
from tmax_gym.families.system_administration.converge import instruction
from tmax_gym.families.system_administration.converge.facts import PREAMBLE, wishes
from tmax_gym.families.system_administration.converge.host import (
    DONE,
    ENVIRONMENT,
    GROUP,
    PASSWD,
    Tree,
    Wish,
    as_nodes,
    as_tree,
    rest,
)
from tmax_gym.nodes import Node, prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

DRILL = program_text(__package__, "drill.py")

PLAIN = 0.2
"""Level from which on a script also reports whether it changed anything."""
LOUD = 0.6
"""Reward of converged hosts if a second run writes, or a report is untrue."""
HEAD = program_text(__package__, "main.sh")
TWICE = "drifted"
"""The hidden host on which the script runs again."""
FOOT = {
    "": "exit 0",
    "status": "exit $((2 * changed))",
    "word": '[ "$changed" = 1 ] && echo changed || echo unchanged',
}


@dataclass(frozen=True, kw_only=True)
class Fleet(World):
    """The decided facts."""

    script: str
    desired: str
    host: str
    drill: str
    states: str
    wishes: tuple[Wish, ...]
    report: str
    found: Tree
    """The visible host at the start."""
    unseen: tuple[tuple[str, Tree], ...]
    """Hidden hosts."""


class Converge(Family[Fleet]):
    """Compare before writing, replace in place, and leave everything else alone."""

    id = "SYS-22"
    slug = "converge"
    domain = "system_administration"
    skill = "Shell Scripting"
    primitives = (
        "Idempotent configuration scripting",
        "Environment variable and shell profile setup",
        "User account and group administration",
        "Link and directory structure management",
    )
    fixtures = ("text_only",)
    verifiers = ("fuzz_equivalence",)
    languages = ("bash",)
    tools = ("bash", "python3", "awk", "sed", "grep", "find", "cmp")
    followed_by = {  # noqa: RUF012
        "patch-file": ("host", "The owner of the host asks what was changed in its files."),
        "git-commit": ("host", "The files in `etc` are kept under version control."),
    }

    def world(self, ctx: Context) -> Fleet:
        """Return the description, a host, an example, and hidden hosts."""
        rng = ctx.rng.fork("fleet")
        wanted = wishes(ctx, rng.fork("wishes"))
        report = "" if ctx.level < PLAIN else rng.fork("report").choice(("status", "word"))
        script, desired = ctx.path("converge.sh"), ctx.path("DESIRED.md")
        host, drill = ctx.path("host"), ctx.path("drill.py")
        states = ctx.path("hosts.json")
        drifted = _host(rng.fork("found"), wanted, share=100)
        shown = [(TWICE, _host(rng.fork("example"), wanted, share=60))]
        text_ = PREAMBLE + "".join(f"{n}. {w.told()}\n" for n, w in enumerate(wanted, start=1))
        return Fleet(
            nodes=(
                prose(desired, text_),
                text(drill, DRILL, mode=0o755),
                text(states, _states(shown)),
                *as_nodes(drifted, host),
            ),
            outputs=(script,),
            script=script,
            desired=desired,
            host=host,
            drill=drill,
            states=states,
            wishes=wanted,
            report=report,
            found=drifted,
            unseen=(
                (TWICE, _host(rng.fork("drifted"), wanted, share=100, trap=True)),
                ("half", _host(rng.fork("half"), wanted, share=60)),
                (DONE, _host(rng.fork(DONE), wanted, share=0)),
            ),
        )

    def oracle(self, ctx: Context, world: Fleet) -> tuple[str, ...]:
        """Return commands that look around, write the script, try it, and run it on the host."""
        return (
            f"cat {world.desired}; ls -R {world.host}",
            f"head -n 40 {world.host}/etc/*; find {world.host} -type l -printf '%P -> %l\\n'",
            *_written(world, [wish.script() for wish in world.wishes]),
            f"python3 {world.drill} {world.script} < {world.states} | cut -c -400",
            f"bash {world.script} {world.host}",
        )

    def checks(self, ctx: Context, world: Fleet) -> tuple[Check | Gate, ...]:
        """Return a check on hidden hosts, where it runs twice, and one on the visible host."""

        def hosts(evidence: Evidence) -> float:
            reports = _drilled(evidence, ctx.home, world)
            ends = [_tree(host) for host in reports]
            share = _share(world.wishes, [tree for _, tree in world.unseen], ends)
            quiet = all(_is_quiet(world.report, host) for host in reports)
            return share if quiet else LOUD * share

        def here(evidence: Evidence) -> float:
            end = as_tree(evidence.tree(world.host), world.host)
            return _share(world.wishes, [world.found], [end])

        return (
            unchanged("given", world.nodes[:2]),
            Check("hosts", "fuzz_equivalence", hosts, 6.0),
            Check("here", "exact_text", here, 1.0),
        )

    def products(self, ctx: Context, world: Fleet) -> Mapping[str, Product]:
        """Return the files of the visible host that the script edits in place."""
        paths = (PASSWD, GROUP, ENVIRONMENT)
        before = {path: world.found[path][2].encode() for path in paths}
        return {"host": Edits(world.host, before, "host")}

    def say(self, ctx: Context, world: Fleet) -> tuple[Obligation, ...]:
        """Return the script's task; what a host must look like is in the description."""
        return instruction.obligations(
            world.script,
            world.desired,
            world.host,
            drill=world.drill,
            states=world.states,
            report=world.report,
        )

    def mutants(self, ctx: Context, world: Fleet) -> tuple[Attempt, ...]:
        """Return scripts with a typical mistake in one point, and one that always writes."""
        right = [wish.script() for wish in world.wishes]
        run = f"bash {world.script} {world.host}"
        attempts = []
        chosen = ctx.rng.fork("slips").sample(range(len(right)), 3)
        for number in chosen:
            wish = world.wishes[number]
            parts = [wish.slip() if n == number else part for n, part in enumerate(right)]
            name = f"in a hurry: {type(wish).__name__.lower()} {number}"
            attempts.append(Attempt(name, (*_written(world, parts), run)))
        always = HEAD.replace('    cmp -s "$new" "$1" && return\n', "")
        wild = [c.replace(HEAD, always) for c in _written(world, right)]
        foot = {"": "exit 1", "status": "exit $changed", "word": "echo $changed"}[world.report]
        other = _written(world, right, foot=foot)
        return (
            *attempts,
            Attempt("writes always", (*wild, run)),
            *((Attempt("reports otherwise", (*other, run)),) if world.report else ()),
            Attempt("last point left out", (*_written(world, right[:-1]), run)),
        )

    def exploits(self, ctx: Context, world: Fleet) -> tuple[Attempt, ...]:
        """Return a script that starts from scratch, one that does nothing, and a false drill."""
        scratch = (
            'root=$1; rm -rf "$root"/*; mkdir -p "$root/etc"\n'
            f'touch "$root/{PASSWD}" "$root/{GROUP}" "$root/{ENVIRONMENT}"'
        )
        content = "import sys\nprint(sys.stdin.read())\n"
        return (
            Attempt("from scratch", (write_file(world.script, scratch),)),
            Attempt("nothing", (write_file(world.script, "exit 0"),)),
            Attempt(
                "content drill",
                (write_file(world.script, "exit 2"), write_file(world.drill, content)),
            ),
        )


def _written(world: Fleet, parts: Sequence[str], *, foot: str = "") -> tuple[str, ...]:
    """Return the commands that write the script, one command for each part."""
    return (
        write_file(world.script, HEAD),
        *(
            write_file(world.script, f"\n{part}").replace("cat >", "cat >>", 1)
            for part in (*parts, foot or FOOT[world.report])
        ),
    )


def _states(hosts: Sequence[tuple[str, Tree]]) -> str:
    """Return hosts as the drill reads them."""
    rows = [
        {
            "name": name,
            "runs": 2 if name == TWICE else 1,
            "tree": {path: [kind, f"{mode:o}", body] for path, (kind, mode, body) in tree.items()},
        }
        for name, tree in hosts
    ]
    return json.dumps(rows, indent=1) + "\n"


def _drilled(evidence: Evidence, home: str, world: Fleet) -> list[dict[str, object]]:
    """Return what the original drill reports of the script on hidden hosts."""
    evidence.read(world.script)
    case = Case(
        argv=(world.script,),
        stdin=_states(world.unseen).encode(),
        nodes=(Node(world.drill, data=DRILL.encode(), mode=0o755),),
    )
    (outcome,) = evidence.run(Program(world.drill, "python", roots=(home,)), [case], timeout=12.0)
    try:
        reports = [json.loads(line) for line in outcome.stdout.decode().splitlines()]
        for host in reports:
            _tree(host)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadOutput(f"the drill was interfered with: {error!r}") from error
    if len(reports) != len(world.unseen):
        raise BadOutput(f"the drill came back from {len(reports)} of {len(world.unseen)} hosts")
    return reports


def _tree(host: dict[str, object]) -> Tree:
    entries = host["tree"]
    if not isinstance(entries, dict):
        raise BadOutput("the drill has no tree")
    return {
        str(path): (str(kind), 0 if kind == "link" else int(mode, 8), str(body))
        for path, (kind, mode, body) in entries.items()
    }


def _share(points: Sequence[Wish], starts: Sequence[Tree], ends: Sequence[Tree]) -> float:
    """Return the share of points that all hosts meet; 0 if anything else was changed."""
    pairs = list(zip(starts, ends, strict=True))
    intact = sum(rest(start, points) == rest(end, points) for start, end in pairs)
    met = sum(all(wish.holds(end) for end in ends) for wish in points)
    return fraction(met, len(points)) * float(intact == len(pairs))


def _is_quiet(report: str, host: dict[str, object]) -> bool:
    """Return whether runs wrote nothing on a finished host, and every report is true."""
    runs = host["runs"]
    if not isinstance(runs, list) or not runs:
        return False
    for number, run in enumerate(runs):
        changed = number == 0 and host["name"] != DONE
        if run["wrote"] and not changed:
            return False
        reports = {
            "": True,
            "status": run["status"] == (2 if changed else 0),
            "word": run["said"].split() == ["changed" if changed else "unchanged"],
        }
        if not reports[report]:
            return False
    return True


def _host(rng: Rng, points: Sequence[Wish], *, share: int, trap: bool = False) -> Tree:
    """Return a host of which about so many in a hundred points are not yet met.

    With `trap`, each is missed in the way that a script written in a hurry does not see.
    """
    tree: Tree = {"etc": ("dir", 0o755, "")}
    for path, body in (
        (PASSWD, "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/:/usr/sbin/nologin\n"),
        (GROUP, "root:x:0:\ndaemon:x:1:\nbackup:x:34:\n"),
        (ENVIRONMENT, f"LANG=C.UTF-8\n# set up {rng.integer(2019, 2025)}\n"),
    ):
        tree[path] = ("file", rng.choice((0o644, 0o640)), body)
    due = [number for number in range(len(points)) if rng.chance(share / 100)]
    if share and not due:
        due = [rng.integer(0, len(points) - 1)]
    for number, wish in enumerate(points):
        r = rng.fork("wish", number)
        wish.plant(
            tree, r, (wish.hows[0] if trap else r.choice(wish.hows)) if number in due else DONE
        )
    return tree


FAMILY = Converge()
