"""Variables of a Dockerfile: the values that ARG and ENV set for each instruction of a stage.

As in the Dockerfile reference, an ARG before the first FROM is visible only to FROM until a stage
declares it again, ENV overrides ARG, all words of one instruction see the same values, and RUN
gets both as its environment.  The platform is predefined; proxies are not.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tmax_gym.errors import HarborError
from tmax_gym.harbor.run.build.dockerfile.instructions import Dockerfile, Instruction, pairs, parse
from tmax_gym.harbor.run.build.dockerfile.lines import Heredoc
from tmax_gym.harbor.run.build.dockerfile.words import Words

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""PATH of an image that sets none, as engines have it."""
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
_WHOLE = ("MAINTAINER", "STOPSIGNAL", "USER", "WORKDIR")
_LISTED = ("ADD", "COPY", "EXPOSE", "FROM", "VOLUME")


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction with its variables filled in."""

    word: str
    args: tuple[str, ...]
    """Its words; for RUN, CMD and ENTRYPOINT a program with arguments, or the text of a shell."""
    instruction: Instruction
    env: Mapping[str, str]
    """The environment of a program that is started here, with ARG."""
    kept: Mapping[str, str]
    """The environment of the image, without ARG."""
    flags: Mapping[str, str]
    heredocs: tuple[Heredoc, ...] = ()

    @property
    def rest(self) -> str:
        """Return its words as one text."""
        return " ".join(self.args)


def target() -> Mapping[str, str]:
    """Return the arguments for the platform, which BuildKit predefines."""
    machine = _MACHINES.get(platform.machine(), platform.machine())
    values = {"PLATFORM": f"linux/{machine}", "OS": "linux", "ARCH": machine, "VARIANT": ""}
    return {side + name: values[name] for side in ("TARGET", "BUILD") for name in values}


def steps(file: Dockerfile, *, env: Mapping[str, str] | None = None) -> Iterator[Step]:
    """Yield the instructions with their variables filled in.

    Args:
        file: A Dockerfile of any number of stages.
        env: The environment of the base image, for every stage.

    Raises:
        HarborError: A substitution is wrong.
    """
    above: dict[str, str] = dict(target())
    scope = _Scope(file, above, {})
    for instruction in file.instructions:
        if instruction.word == "FROM":
            yield _Scope(file, above, {}).step(instruction, above)
            scope = _Scope(file, above, {"PATH": PATH, **(env or {})}, stage=True)
        else:
            yield scope.step(instruction)
        if not scope.stage:
            above |= scope.args


def read(text: str) -> tuple[Step, ...]:
    """Return the instructions of a Dockerfile with their variables filled in.

    Raises:
        HarborError: It cannot be read.
    """
    return tuple(steps(parse(text)))


def bases(text: str) -> tuple[str, ...]:
    """Return the base images of a Dockerfile, without its own stages.

    Raises:
        HarborError: The Dockerfile cannot be read.
    """
    stages: set[str] = set()
    images = []
    for step in read(text):
        if step.word != "FROM":
            continue
        image, *name = step.args
        if image.lower() not in stages and image != "scratch":
            images.append(image)
        if len(name) > 1 and name[0].upper() == "AS":
            stages.add(name[1].lower())
    return tuple(images)


def substituted(text: str, images: Mapping[str, str]) -> str:
    """Return a Dockerfile with other base images; everything else stays as it is written.

    Raises:
        HarborError: The Dockerfile cannot be read.
    """
    lines = text.split("\n")
    for step in reversed(read(text)):
        if step.word != "FROM":
            continue
        image, *name = step.args
        other = images.get(image) or images.get(image.removesuffix(":latest"))
        if other is not None:
            flags = [f"--{key}={value}" for key, value in step.flags.items()]
            one = step.instruction
            lines[one.first : one.end] = [" ".join(["FROM", *flags, other, *name])]
    return "\n".join(lines)


class _Scope:
    def __init__(
        self,
        file: Dockerfile,
        above: Mapping[str, str],
        env: Mapping[str, str],
        *,
        stage: bool = False,
    ) -> None:
        self.args: dict[str, str] = {}
        self.stage = stage
        self._file = file
        self._above = above
        self._env = dict(env)

    def step(self, instruction: Instruction, values: Mapping[str, str] | None = None) -> Step:
        """Return an instruction with the present values, and keep the values that it sets."""
        known = {**self.args, **self._env} if values is None else values
        if not self.stage and values is None:
            known = self._above
        words = Words(known, escape=self._file.escape)
        flags = dict(instruction.flags)
        if instruction.word in ("ADD", "COPY", "FROM"):
            flags = {name: words.fill(value) for name, value in flags.items()}
        args = self._args(instruction, words)
        env = {**self.args, **self._env}
        return Step(
            instruction.word, args, instruction, env, dict(self._env), flags, instruction.heredocs
        )

    def _args(self, instruction: Instruction, words: Words) -> tuple[str, ...]:
        word = instruction.word
        if word in ("ENV", "LABEL", "ARG"):
            filled = [
                (words.fill(name), None if value is None else words.fill(value))
                for name, value in pairs(instruction, self._file)
            ]
            for name, value in filled:
                self._set(word, name, value)
            return tuple(name for name, _ in filled)
        if word in _WHOLE:
            return (words.fill(instruction.rest),)
        if word in _LISTED:
            listed = instruction.listed
            pieces = instruction.rest.split() if listed is None else listed
            args = tuple(map(words.fill, pieces))
            if word == "FROM" and not (args and args[0]):
                raise HarborError(f"Dockerfile: FROM {instruction.rest} names no image")
            return args
        return instruction.listed or (instruction.rest,)

    def _set(self, word: str, name: str, value: str | None) -> None:
        if word == "ENV":
            self._env[name] = value or ""
        elif word == "ARG":
            value = self._above.get(name) if value is None else value
            if value is not None:
                self.args[name] = value
