"""Which Dockerfiles our own sandboxes can follow, and which only BuildKit can build.

`docs/dockerfiles.md` has the same as a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tmax_gym.errors import HarborError
from tmax_gym.harbor.run.build.dockerfile.instructions import Dockerfile, parse
from tmax_gym.harbor.run.build.dockerfile.scope import Step, steps, target

_NEW_FLAGS = {
    "RUN": ("mount", "network", "security", "device"),
    "COPY": ("chmod", "link", "parents", "exclude"),
    "ADD": ("chmod", "link", "exclude", "checksum", "keep-git-dir", "unpack"),
}
"""Flags that Docker's first builder does not know, or understands differently."""
_NEW_FORMS = re.compile(r"(?<!\\)\$\{\w+(?:[#%/]|:?\?|[-+])")
"""Substitutions that some versions of it do not know."""
_FRONTEND = re.compile(r"(docker\.io/)?docker/dockerfile(:.*)?")
_ROOT = ("root", "0")
_OCTAL = re.compile(r"0?[0-7]{3,4}")
_UNFILLED = ("CMD", "ENTRYPOINT", "HEALTHCHECK", "ONBUILD", "RUN", "SHELL")
_GIT = re.compile(r"^git@|\.git(#.*)?$")


def ours(reference: str) -> str:
    """Return the image of ours that a reference means, "" for none.

    >>> ours("localhost/tmax/poly:latest"), ours("debian:12")
    ('poly', '')
    """
    name = reference.partition(":")[0].removeprefix("localhost/")
    return name.removeprefix("tmax/") if name in ("tmax/core", "tmax/poly") else ""


def obstacle(text: str) -> str:
    """Return why only a container engine can build a Dockerfile, "" if we can follow it."""
    try:
        file = parse(text)
        all_steps = list(steps(file))
    except HarborError as error:
        return f"its Dockerfile cannot be read: {str(error).removeprefix('Dockerfile: ')}"
    if _has_own_frontend(file):
        return f"its Dockerfile is in the syntax {file.directives['syntax']}"
    roots = [step for step in all_steps if step.word == "FROM"]
    if len(roots) != 1:
        return "its Dockerfile has several stages"
    if not ours(roots[0].args[0]):
        return f"its image is {roots[0].args[0]}, not ours (tmax/core)"
    return next((reason for step in all_steps if (reason := _refusal(step))), "")


def _refusal(step: Step) -> str:
    """Return why an instruction cannot be followed, "" if it can."""
    check = {
        "FROM": _from,
        "RUN": _run,
        "COPY": _copy,
        "ADD": _copy,
        "USER": _user,
        "HEALTHCHECK": _healthcheck,
    }.get(step.word)
    return check(step) if check else ""


def _from(step: Step) -> str:
    wanted = step.flags.get("platform", "")
    if set(step.flags) - {"platform"} or wanted not in ("", target()["TARGETPLATFORM"]):
        return f"its image is for the platform {wanted}"
    return ""


def _user(step: Step) -> str:
    user = step.args[0]
    return "" if user in ("root", "0", "0:0", "root:root") else f"it works as the user {user}"


def _healthcheck(step: Step) -> str:
    none = step.instruction.rest.strip().upper() == "NONE"
    return "" if none else "its Dockerfile has a HEALTHCHECK, which an engine runs"


def _run(step: Step) -> str:
    allowed = {"network": ("default", "none"), "security": ("sandbox",)}
    for name, value in step.instruction.flags:
        if value not in allowed.get(name, ()):
            return f"its Dockerfile has RUN --{name}, which needs BuildKit"
    if step.heredocs and is_script(step) and step.heredocs[0].content.startswith("#!"):
        return "its Dockerfile runs a here-document with an interpreter of its own (#!)"
    return ""


def _copy(step: Step) -> str:
    word = step.word
    for name in sorted(step.flags.keys() - {"chown", "chmod"}):
        return f"its Dockerfile has {word} --{name}, which needs BuildKit or another stage"
    if (mode := step.flags.get("chmod")) is not None and not _OCTAL.fullmatch(mode):
        return f"its Dockerfile has {word} --chmod={mode}: use an octal mode"
    *sources, _ = step.args
    if word == "ADD" and any("://" in one or _GIT.search(one) for one in sources):
        return "its Dockerfile downloads"
    if any(".." in one.split("/") for one in sources):
        return f"its Dockerfile has a {word} from outside its directory"
    return ""


def is_script(step: Step) -> bool:
    """Return whether a RUN is one here-document, whose text is the script."""
    return bool(len(step.heredocs) == 1 and re.fullmatch(r"<<-?\S+", step.instruction.rest))


def run_text(step: Step) -> str:
    """Return the shell script of a RUN in the shell form."""
    if not step.heredocs:
        return step.instruction.rest
    if is_script(step):
        return step.heredocs[0].text
    return "\n".join([step.instruction.rest, *(one.content + one.name for one in step.heredocs)])


def buildkit_reason(text: str) -> str:
    """Return what only BuildKit can build in a Dockerfile, "" if any builder can.

    Raises:
        HarborError: The Dockerfile cannot be read.
    """
    return next(_buildkit(parse(text)), "")


def _buildkit(file: Dockerfile) -> Iterator[str]:
    if _has_own_frontend(file):
        yield f"the syntax {file.directives['syntax']}"
    volumes: list[str] = []
    user = "root"
    for step in steps(file):
        one = step.instruction
        user = {"FROM": "root", "USER": step.rest}.get(one.word, user)
        if one.word == "WORKDIR" and step.rest != "/" and user.partition(":")[0] not in _ROOT:
            yield "a WORKDIR after USER, which other builders give to root"
        if one.heredocs:
            yield "here-documents"
        for name, _ in one.flags:
            if name in _NEW_FLAGS.get(one.word, ()):
                yield f"{one.word} --{name}"
        if one.word == "ADD" and any(_GIT.search(source) for source in step.args[:-1]):
            yield "ADD of a repository"
        form = None if one.word in _UNFILLED else _NEW_FORMS.search(one.rest)
        if form:
            yield f"the substitution {form[0]}…}}"
        volumes = [] if one.word == "FROM" else volumes
        if one.word in ("RUN", "COPY", "ADD") and any(v in one.rest for v in volumes):
            yield "a change of a VOLUME after its declaration, which other builders discard"
        volumes += step.args if one.word == "VOLUME" else ()


def _has_own_frontend(file: Dockerfile) -> bool:
    syntax = file.directives.get("syntax", "")
    return bool(syntax) and not _FRONTEND.fullmatch(syntax)


def platform_args(text: str) -> dict[str, str]:
    """Return the predefined arguments that a Dockerfile declares, for builders without them.

    Raises:
        HarborError: The Dockerfile cannot be read.
    """
    declared = {one.rest.strip() for one in parse(text).instructions if one.word == "ARG"}
    return {name: value for name, value in target().items() if name in declared}
