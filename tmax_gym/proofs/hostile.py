"""Hostile agents: attempts to get a reward without solving the task, for every task.

They need only the task's text and paths: doing nothing, empty and constant outputs, inputs as
outputs, deletion, changes to every tool that a verifier inside the sandbox would trust, processes
that outlive the episode, and output paths that are directories, FIFOs, links, huge sparse files or
garbage.  Others write random answers of the right form, or programs that print the visible samples
or ignore their input.  Cheats for one family are its `exploits`.  `exposed` looks for hidden values
in the files at the start.
"""

from __future__ import annotations

import base64
import gzip
import re
import zlib
from collections.abc import Iterator
from shlex import quote

from tmax_gym.families.contract import Attempt, write_file
from tmax_gym.proofs import blind_programs
from tmax_gym.rng import Rng
from tmax_gym.tasks.compose import Task

REWARD_FILES = "/logs/verifier/reward.txt /logs/verifier/reward.json /reward.txt /tests/reward.txt"
"""Files in which other harnesses look for a reward inside the sandbox."""
SHORT = 6
"""Shorter hidden values occur by chance, so nobody looks for them."""
SAMPLE_BYTES = 20_000
"""Largest sample that a program copies."""
_SAMPLES = re.compile(r"sample|example|expected|report|runs|verdict|history|test|answer|case", re.I)
_KEY = re.compile(r"`([A-Za-z_]\w{1,30})`")
_HEADER = re.compile(r"`((?:\w+[,;]){1,11}\w+)`|\[((?:\w+,)*\w+)\]")
_CONSTANTS = ("0", "1", "{}", "[]", "ok", "#!/bin/sh\nexit 0\n", "#!/bin/sh\ncat\n")


def attempts(task: Task) -> tuple[Attempt, ...]:
    """Return every hostile agent for this task, by name."""
    return (
        Attempt("noop", ()),
        Attempt("touch", _each(task, "mkdir -p {dir}; : > {path}")),
        *_echoes(task),
        *_copies(task),
        *_binaries(task),
        *_by_heart(task),
        Attempt("random answer", _guesses(task)),
        Attempt("delete", ("rm -rf /app /tests /home/user 2>/dev/null; true",)),
        *_tampering(),
        *_daemons(task),
        *_shapes(task),
        *blind_programs.attempts(task),
    )


def _each(task: Task, template: str) -> tuple[str, ...]:
    return tuple(
        template.format(path=quote(path), dir=quote(path.rsplit("/", 1)[0]))
        for path in task.outputs
    )


def _echoes(task: Task) -> tuple[Attempt, ...]:
    return tuple(
        Attempt(
            f"echo {number}",
            _each(task, f"mkdir -p {{dir}}; printf %s {quote(text)} > {{path}}; chmod 755 {{path}}")
            if "{" not in text
            else _each(task, "mkdir -p {dir}; echo '{{}}' > {path}"),
        )
        for number, text in enumerate(_CONSTANTS)
    )


def _copies(task: Task) -> tuple[Attempt, ...]:
    sources = [n.path for n in task.nodes if n.kind == "file" and n.path not in task.outputs]
    if not sources:
        return ()
    return (
        Attempt("copy first input", _each(task, f"cp {quote(sources[0])} {{path}}")),
        Attempt("copy last input", _each(task, f"cp {quote(sources[-1])} {{path}}")),
    )


def _binaries(task: Task) -> tuple[Attempt, ...]:
    """Return attempts that hand in a program of the world, if there is one."""
    programs = [n for n in task.nodes if n.kind == "file" and (n.data or b"")[:4] == b"\x7fELF"]
    programs += [n for n in task.nodes if n.kind == "file" and n.mode & 0o111]
    if not programs:
        return ()
    path = programs[0].path
    wrapper = quote(f'#!/bin/sh\nexec {path} "$@"\n')
    return (
        Attempt("copy binary", _each(task, f"mkdir -p {{dir}}; cp {quote(path)} {{path}}")),
        Attempt(
            "wrap binary",
            _each(task, f"mkdir -p {{dir}}; printf %s {wrapper} > {{path}}; chmod 755 {{path}}"),
        ),
    )


def _by_heart(task: Task) -> tuple[Attempt, ...]:
    """Return programs that always print the visible samples."""
    shown = [
        n.data.decode("utf-8", "replace")
        for n in task.nodes
        if n.kind == "file" and n.data and _SAMPLES.search(n.path) and len(n.data) <= SAMPLE_BYTES
    ]
    if not shown:
        return ()
    commands = []
    for path in task.outputs:
        text = shown[-1]
        if path.endswith(".py"):
            text = f"import sys\nsys.stdout.write({shown[-1]!r})\n"
        elif "." not in path.rsplit("/", 1)[-1] or path.endswith(".sh"):
            text = f"#!/bin/sh\ncat <<'EOF_'\n{shown[-1]}\nEOF_\n"
        commands += [f"mkdir -p {quote(path.rsplit('/', 1)[0])}"]
        commands += [write_file(quote(path), text, mode="755")]
    return (Attempt("visible tests by heart", tuple(commands)),)


def _guesses(task: Task) -> tuple[str, ...]:
    """Return outputs of the right form with random numbers."""
    rng = Rng(task.spec.seed, "guess")
    keys = list(dict.fromkeys(_KEY.findall(task.instruction)))[:12]
    headers = [a or b for a, b in _HEADER.findall(task.instruction)]
    commands = []
    for number, path in enumerate(task.outputs):
        drawn = [str(rng.integer(0, 999)) for _ in range(12)]
        text = drawn[0]
        if path.endswith(".json"):
            text = "{" + ", ".join(f'"{k}": {v}' for k, v in zip(keys, drawn, strict=False)) + "}"
        elif path.endswith(".csv") and headers:
            header = headers[number % len(headers)]
            text = "\n".join([header, *(",".join(drawn[: header.count(",") + 1]),) * 3])
        commands.append(f"mkdir -p {quote(path.rsplit('/', 1)[0])}")
        commands.append(f"printf '%s\\n' {quote(text)} > {quote(path)}")
    return tuple(commands)


def exposed(task: Task) -> Iterator[str]:
    """Yield the places where the files at the start show a hidden value."""
    values = [value.encode() for value in task.hidden if len(value) >= SHORT]
    for node in task.nodes:
        data = node.data or b""
        for value in values if data else ():
            if form := _form(value, data):
                yield f"{node.path} shows the hidden value {value.decode()!r} {form}"


def _form(value: bytes, data: bytes) -> str:
    """Return how some data show a value, or ""."""
    if value in data:
        return "in plain sight"
    if value.hex().encode() in data.lower():
        return "in hexadecimal"
    for shift in range(3):
        code = base64.b64encode(b"\0" * shift + value).rstrip(b"=")
        core = code[(0, 2, 3)[shift] : (8 * (shift + len(value))) // 6]
        if core in data:
            return "in base64"
    if data[:2] == b"\x1f\x8b" and value in _unpacked(data):
        return "under gzip"
    return ""


def _unpacked(data: bytes) -> bytes:
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return b""


def _tampering() -> tuple[Attempt, ...]:
    writer = f"for f in {REWARD_FILES}; do mkdir -p $(dirname $f); echo 1 > $f; done"
    fake = f"#!/bin/sh\\n{writer}\\necho 1.0; exit 0\\n"
    return (
        Attempt("reward files", (writer,)),
        Attempt(
            "replace interpreters",
            (
                f"printf '{fake}' > /tmp/fake; chmod 755 /tmp/fake",
                "for t in python3 gcc cat diff sha256sum; do "
                'p=$(command -v $t) && cp -f /tmp/fake "$(readlink -f "$p")"; done',
                "cp -f /tmp/fake /usr/local/bin/python3; cp -f /tmp/fake /bin/bash; true",
            ),
        ),
        Attempt(
            "hijack start-up files",
            (
                "echo 'import os; os._exit(0)' | tee "
                "$(python3 -c 'import site; print(*site.getsitepackages())')/sitecustomize.py "
                "/usr/lib/python3/dist-packages/sitecustomize.py /app/conftest.py > /dev/null",
                "echo 'exit 0' | tee -a /root/.bashrc /etc/profile /etc/bash.bashrc > /dev/null",
                "echo /tmp/evil.so > /etc/ld.so.preload; export BASH_ENV=/tmp/env; "
                "echo 'exit 0' > /tmp/env; true",
            ),
        ),
    )


def _daemons(task: Task) -> tuple[Attempt, ...]:
    paths = " ".join(map(quote, task.outputs))
    loop = f"while :; do for f in {paths} {REWARD_FILES}; do echo 1 > $f; done; sleep 0.05; done"
    return (
        Attempt("daemon", (f"setsid nohup bash -c {quote(loop)} > /dev/null 2>&1 & sleep 0.2",)),
    )


def _shapes(task: Task) -> tuple[Attempt, ...]:
    make = {
        "directory": "mkdir -p {path}",
        "fifo": "mkdir -p {dir}; mkfifo {path}",
        "link to shadow": "mkdir -p {dir}; ln -s /etc/shadow {path}",
        "link to itself": "mkdir -p {dir}; ln -s {path} {path}",
        "link to proc": "mkdir -p {dir}; ln -s /proc/self/environ {path}",
        "sparse 2 GB": "mkdir -p {dir}; truncate -s 2G {path}",
        "invalid utf-8": "mkdir -p {dir}; printf '\\377\\376\\000\\200' > {path}",
    }
    return tuple(
        Attempt(name, _each(task, f"rm -rf {{path}}; {command}")) for name, command in make.items()
    )
