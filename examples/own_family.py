"""A task family from zero: log lines of one level must be counted for each day."""

from dataclasses import dataclass

from tmax_gym import families
from tmax_gym.checks import exact
from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World
from tmax_gym.nodes import text
from tmax_gym.proofs.validate import Depth, prove
from tmax_gym.sandboxes import backend
from tmax_gym.tasks import planner
from tmax_gym.tasks.compose import compose
from tmax_gym.texts.obligations import Obligation

LEVELS = ("INFO", "WARN", "ERROR")


@dataclass(frozen=True, kw_only=True)
class Log(World):
    """What was decided: the level that counts, and the right answer."""

    path: str
    answer: str
    level: str
    lines: tuple[str, ...]


class DailyCount(Family[Log]):
    """Count the lines of one level for each day."""

    id = "FIL-99"
    slug = "daily-count"
    domain = "file_operations"
    skill = "Data Parsing"
    primitives = (
        "Multi-line log record parsing",
        "Structured format parsing (JSON, XML, CSV)",
        "Text transformation with sed/awk/vim",
    )
    fixtures = ("text_only",)
    verifiers = ("exact_text",)
    languages = ("any",)
    tools = ("bash", "awk")

    def world(self, ctx: Context) -> Log:
        """Return a log whose size grows with the level of difficulty."""
        lines, count = [], ctx.knob(20, 400)
        for number in range(count):
            rng = ctx.rng.fork("line", number)
            day = f"2025-03-{1 + 9 * number // count:02d}"
            lines.append(f"{day} {rng.choice(LEVELS)} {ctx.skin.event(rng)}")
        wanted = ctx.rng.fork("wanted").choice(LEVELS)
        path, answer = ctx.path("app.log"), ctx.path("counts.csv")
        nodes = (text(path, "".join(f"{line}\n" for line in lines)),)
        return Log(nodes=nodes, outputs=(answer,), path=path, answer=answer, level=wanted,
                   lines=tuple(lines))  # fmt: skip

    def oracle(self, ctx: Context, world: Log) -> tuple[str, ...]:
        """Return what an agent could type, from what it can see."""
        return (_count(world, world.level),)

    def checks(self, ctx: Context, world: Log) -> tuple[Check | Gate, ...]:
        """Return what is graded: every line of the answer; and the log must stay as it was."""
        days = sorted({line[:10] for line in world.lines})
        count = {day: 0 for day in days}
        for line in world.lines:
            count[line[:10]] += line.split()[1] == world.level
        rows = [f"{day},{number}" for day, number in count.items() if number]
        return (exact.lines("counts", world.answer, rows), unchanged("log", world.nodes))

    def say(self, ctx: Context, world: Log) -> tuple[Obligation, ...]:
        """Return what the instruction must say, a plain sentence each."""
        return (
            Obligation(
                "goal",
                f"Count the `{world.level}` lines of `{world.path}` for each day and write the "
                f"numbers to `{world.answer}`.",
                "goal",
            ),
            Obligation(
                "form",
                "Each line has the form `2025-01-31,7`, the earliest day first; leave out days "
                "without such lines.",
                "format",
            ),
        )

    def mutants(self, ctx: Context, world: Log) -> tuple[Attempt, ...]:
        """Return plausible mistakes: each must earn less than 1."""
        other = next(level for level in LEVELS if level != world.level)
        right = _count(world, world.level)
        return (
            Attempt("another level", (_count(world, other),)),
            Attempt("every level", (_count(world, "."),)),
            Attempt("last day first", (f"{right}; sort -r -o {world.answer} {world.answer}",)),
        )

    def exploits(self, ctx: Context, world: Log) -> tuple[Attempt, ...]:
        """Return what a cheat would try: each must earn nothing."""
        return (
            Attempt("the log as the answer", (f"cp {world.path} {world.answer}",)),
            Attempt("an empty log", (f": > {world.path}; {_count(world, '.')}",)),
        )


def _count(world: Log, level: str) -> str:
    """Return the command that counts the lines with a level, given as a regular expression."""
    program = f'$2 ~ "{level}" {{ n[$1]++ }} END {{ for (day in n) print day "," n[day] }}'
    return f"awk '{program}' {world.path} | sort > {world.answer}"


FAMILY = DailyCount()

if __name__ == "__main__":
    families.register(FAMILY)
    for seed in (1, 2, 3):
        spec = planner.single("daily-count", seed=seed, level=0.3 * seed)
        task = compose(spec)
        print(f"# {task.name}\n{task.instruction}\n")
        proof = prove(task, backend(), image=None, depth=Depth(cheats=True))
        print("reference solution:", proof.oracle, "nothing done:", proof.noop)
        print("mistakes and cheats:", len(proof.attempts), "problems:", proof.problems, "\n")
