"""Follow-up: the agent writes a command with options around a program."""

from __future__ import annotations

from tmax_gym.checks.check import Check, Gate
from tmax_gym.families.contract import Attempt, Following, FollowUp, write_file
from tmax_gym.families.follow_ups.command_wrapper import instruction, trials
from tmax_gym.families.follow_ups.command_wrapper.plan import Command, drawn_command
from tmax_gym.families.products import Program
from tmax_gym.families.shared import program_runs
from tmax_gym.families.shared.programs import program_text
from tmax_gym.texts.obligations import Obligation

SCRIPT = program_text(__package__, "wrapper.sh")


class CommandWrapper(FollowUp[Program, Command]):
    """A bash script with options and exit statuses of its own."""

    slug = "command-wrapper"
    works_on = Program

    def world(self, ctx: Following[Program]) -> Command:
        """Return the options and statuses; there are no files to begin with."""
        return drawn_command(ctx)

    def oracle(self, ctx: Following[Program], world: Command) -> tuple[str, ...]:
        """Return the script, and try it with a mistake."""
        return (*_solution(ctx, world), f"{world.script} /nowhere || echo $?")

    def checks(self, ctx: Following[Program], world: Command) -> tuple[Check | Gate, ...]:
        """Return a check of all that the script does."""
        return (Check("command", "fuzz_equivalence", lambda e: trials.score(e, world)),)

    def say(self, ctx: Following[Program], world: Command) -> tuple[Obligation, ...]:
        """Return how the script is called, what its options do, and how it fails."""
        return tuple(instruction.say(ctx.product, world, ctx.home))

    def mutants(self, ctx: Following[Program], world: Command) -> tuple[Attempt, ...]:
        """Return scripts that split paths, mix up statuses, misplace messages or the directory."""
        mixed = SCRIPT.replace('fail "$usage"', 'fail "$missing"')
        wrong = {
            "paths split at blanks": SCRIPT.replace('[ -f "$1" ]', "[ -f $1 ]"),
            "statuses mixed up": mixed,
            "messages printed": SCRIPT.replace(" >&2", ""),
            "other directory": SCRIPT.replace("fail() {", 'cd "${0%/*}"\n\nfail() {'),
        }
        return tuple(Attempt(name, _solution(ctx, world, text)) for name, text in wrong.items())

    def exploits(self, ctx: Following[Program], world: Command) -> tuple[Attempt, ...]:
        """Return scripts that only fail, do nothing, copy the input or always print the same."""
        only_fails = f'echo "$1" >&2\nexit {world.missing}'
        return (
            Attempt("only fails", _delivered(world, f"#!/bin/bash\n{only_fails}")),
            Attempt("does nothing", _delivered(world, "#!/bin/bash")),
            Attempt("copies", _solution(ctx, world, program="cat")),
            Attempt("one answer", _solution(ctx, world, program="echo 0")),
        )


def _delivered(world: Command, text: str) -> tuple[str, ...]:
    folder = world.script.rpartition("/")[0]
    return (f"mkdir -p {folder}", write_file(world.script, text, mode="755"))


def _solution(
    ctx: Following[Program], world: Command, text: str = SCRIPT, *, program: str = ""
) -> tuple[str, ...]:
    """Return the commands that deliver the script, with another program in it if one is given."""
    binary = ctx.path(f".{world.name}.bin")
    build = () if program else program_runs.built(ctx.product, binary)
    run = program or program_runs.command(ctx.product, binary)
    change = f"{world.letter}:" if world.counted else world.letter
    output = f"{world.output}:" if world.output else ""
    settings = (
        f"program=({run})",
        f"letters={output}{world.quiet}{change} output_letter={world.output} "
        f"quiet_letter={world.quiet} change_letter={world.letter} change={world.change}",
        f"dash={'-' if world.dash else ''} missing={world.missing} usage={world.usage} "
        f"exists={world.exists}",
    )
    script = "#!/bin/bash\n" + text.replace("@settings", "\n".join(settings))
    return (*_delivered(world, script), *build)


FOLLOW_UP = CommandWrapper()
