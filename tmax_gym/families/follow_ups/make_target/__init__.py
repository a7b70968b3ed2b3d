"""Follow-up: the agent writes a make file that runs a program on all inputs that are new."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.checks.check import Check, Gate, unchanged
from tmax_gym.families.contract import Attempt, Following, FollowUp, write_file
from tmax_gym.families.follow_ups.make_target import instruction, trials
from tmax_gym.families.follow_ups.make_target.plan import Plant, drawn_plant
from tmax_gym.families.products import Program
from tmax_gym.families.shared import program_runs
from tmax_gym.texts.obligations import Obligation


class MakeTarget(FollowUp[Program, Plant]):
    """A make file from inputs to outputs, and the outputs themselves."""

    slug = "make-target"
    tools = ("bash", "make")
    works_on = Program

    def world(self, ctx: Following[Program]) -> Plant:
        """Return the first inputs, and what the make file has to do."""
        return drawn_plant(ctx)

    def oracle(self, ctx: Following[Program], world: Plant) -> tuple[str, ...]:
        """Return a make file with one pattern rule, which is used once."""
        return _solution(world, _rules(ctx, world))

    def checks(self, ctx: Following[Program], world: Plant) -> tuple[Check | Gate, ...]:
        """Return a check of what make has left, and one of what it does with other inputs."""
        source = ctx.product.source
        return (
            unchanged("inputs", world.nodes),
            Check("outputs", "exact_text", lambda e: trials.standing(e, world), weight=0.3),
            Check(
                "make", "fuzz_equivalence", lambda e: trials.renewed(e, world, source), weight=0.7
            ),
        )

    def say(self, ctx: Following[Program], world: Plant) -> tuple[Obligation, ...]:
        """Return what make produces, when, and what it removes."""
        return tuple(instruction.say(ctx.product, world))

    def mutants(self, ctx: Following[Program], world: Plant) -> tuple[Attempt, ...]:
        """Return make files that miss a change or a new input, make too much or do not clean."""
        rules = _rules(ctx, world)
        names = " ".join(f"{world.source}/{one.name}.{world.ending}" for one in world.standing)
        watched = world.binary or ctx.product.source
        needs = f"{world.source}/%.{world.ending} {watched}"
        wrong = {
            "program not watched": {
                needs: needs.replace(watched, f"| {world.binary}".rstrip("| "))
            },
            "inputs by name": {f"$(sort $(wildcard {world.source}/*.{world.ending}))": names},
            "always": {needs: f"{needs} always", ".PHONY: all": ".PHONY: always all"},
            "never clean": {"\trm -rf ": "\t@echo "},
        }
        return tuple(
            Attempt(name, _solution(world, _changed(rules, changes)))
            for name, changes in wrong.items()
        )

    def exploits(self, ctx: Following[Program], world: Plant) -> tuple[Attempt, ...]:
        """Return make files that copy inputs, make empty outputs or do nothing."""
        recipes = {"copies": "cp $< $@", "nothing": "touch $@", "one answer": "echo 0 > $@"}
        idle = write_file(world.makefile, "all:\n\t@true\nclean:\n\t@true")
        return (
            Attempt("idle", (idle, f"cp -r {world.home}/{world.source} {world.outputs[1]}")),
            *(
                Attempt(name, _solution(world, _rules(ctx, world, recipe)))
                for name, recipe in recipes.items()
            ),
        )


def _rules(ctx: Following[Program], world: Plant, recipe: str = "") -> str:
    """Return the make file; with a `recipe`, its outputs are not made by the program."""
    program = ctx.product
    run = program_runs.command(program, world.binary)
    compiled = world.binary and not recipe
    recipe = recipe or f"{run} < $< > $@" + (" || true" if world.failing else "")
    sources, results = f"{world.source}/%.{world.ending}", f"{world.target}/%.{world.result}"
    needs = f"{sources} {world.binary if compiled else program.source}"
    removed = [
        world.target,
        *([world.binary] if compiled else []),
        *([world.joined] * bool(world.joined)),
    ]
    blocks = [
        f"INPUTS := $(sort $(wildcard {world.source}/*.{world.ending}))\n"
        f"OUTPUTS := $(INPUTS:{sources}={results})",
        ".PHONY: all clean",
        f"all: $(OUTPUTS) {world.joined}".rstrip(),
        f"{results}: {needs}\n\t@mkdir -p $(@D)\n\t{recipe}",
    ]
    if world.joined:
        blocks.append(f"{world.joined}: $(OUTPUTS)\n\tcat $^ > $@")
    if compiled:
        (build,) = program_runs.built(program, "$@")
        blocks.append(f"{world.binary}: {program.source}\n\t@mkdir -p $(@D)\n\t{build}")
    blocks.append(f"clean:\n\trm -rf {' '.join(removed)}")
    return "\n\n".join(blocks)


def _changed(rules: str, changes: Mapping[str, str]) -> str:
    for old, new in changes.items():
        if old not in rules:
            raise ValueError(f"the make file has no {old!r}")
        rules = rules.replace(old, new)
    return rules


def _solution(world: Plant, rules: str) -> tuple[str, ...]:
    return (
        write_file(world.makefile, rules),
        f"make -C {world.home}",
        f"ls -l {world.home}/{world.source} {world.home}/{world.target}",
    )


FOLLOW_UP = MakeTarget()
