"""FIL-18 drop folder: a service that takes files in and asks another one where they belong.

Below `SHORT` the agent serves a folder as it is.  Above, a file describes the interface, one rule
on each line; harder tasks add refusals, removal, a listing and size limits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tmax_gym.checks import tolerance
from tmax_gym.checks.check import Check, Exchange, Gate, Reply, Turn, unchanged
from tmax_gym.families.contract import Attempt, Context, Family, World, write_file
from tmax_gym.families.file_operations.drop_folder.service import (
    CATALOG,
    FRAME,
    PARTS,
    START,
    described,
)
from tmax_gym.families.shared.marks import conversation
from tmax_gym.nodes import prose, text
from tmax_gym.rng import Rng
from tmax_gym.texts.obligations import Obligation

SHORT = 0.2
OPTIONAL = ("20_kind", "70_delete", "40_twice", "30_size", "80_list", "10_name")
SUFFIXES = ("csv", "txt", "log", "dat", "xml")


@dataclass(frozen=True, kw_only=True)
class Drop(World):
    """The decided facts."""

    start: str
    port: int
    folder: str = ""
    catalog: int = 0
    interface: str = ""
    parts: tuple[str, ...] = ()
    groups: tuple[tuple[Turn, ...], ...] = ()


class DropFolder(Family[Drop]):
    """Write a service that stores files where another service says."""

    id = "FIL-18"
    slug = "drop-folder"
    domain = "file_operations"
    skill = "File I/O"
    primitives = (
        "Atomic writes and temp file management",
        "Text and binary file reading/writing",
        "File locking and concurrent access",
        "Configuration file interpretation",
        "Structured format parsing (JSON, XML, CSV)",
    )
    fixtures = ("multi_service_compose",)
    verifiers = ("multi_protocol",)
    languages = ("any", "python")
    tools = ("bash", "python3")

    def world(self, ctx: Context) -> Drop:
        """Return a folder to serve, or a catalogue and an interface."""
        return _static(ctx) if ctx.level < SHORT else _service(ctx)

    def oracle(self, ctx: Context, world: Drop) -> tuple[str, ...]:
        """Return a one-line service, or a frame and one file for each rule."""
        if ctx.level < SHORT:
            return (
                f"ls {world.folder}",
                f"echo '{_server(world.port, world.folder)}' > {world.start}",
                f"chmod 755 {world.start}",
            )
        return (
            f"cat {world.interface} {ctx.path('catalog')}/*",
            *self._built(ctx, world, skip=""),
            f"cat {world.start}; ls {ctx.path('drop.d')}",
        )

    def checks(self, ctx: Context, world: Drop) -> tuple[Check | Gate, ...]:
        """Return the conversation, group by group; the catalogue must not change."""
        return (
            unchanged("given", world.nodes),
            conversation("service", world.start, world.groups, roots=(ctx.home,)),
        )

    def say(self, ctx: Context, world: Drop) -> tuple[Obligation, ...]:
        """Return ports, the start script and where the interface is written."""
        if ctx.level < SHORT:
            return _say_static(world)
        catalog = ctx.path("catalog", "catalog.py")
        return (
            Obligation(
                "goal",
                f"Our partners will send us files over HTTP. `{world.interface}` describes the "
                f"service that takes them in. Write this service; it listens on port {world.port} "
                f"of 127.0.0.1.",
                "goal",
            ),
            Obligation(
                "catalog",
                f"The catalogue `{catalog}` knows which folder takes which kind of file. It is a "
                f"TCP service on port {world.catalog} of 127.0.0.1: it answers each line "
                f"`WHERE <suffix>` with the line `<folder> <bytes>`, where the number is the "
                f"largest size allowed, or with `none` if it does not know the suffix. Your "
                f"service must ask it.",
                "input",
            ),
            Obligation(
                "start",
                f"Write `{world.start}`, a Bash script that starts both the catalogue and your "
                f"service. It must work for an unprivileged user.",
                "output",
            ),
            Obligation(
                "lasting",
                f"Keep the stored files below `{ctx.home}`. They must still be there after both "
                f"services have been stopped and started again.",
                "limit",
            ),
            Obligation(
                "keep",
                f"Do not change `{world.interface}` or anything in `{ctx.path('catalog')}`.",
                "limit",
            ),
            Obligation(
                "judged",
                f"We will run `{world.start}`, send requests to your service, restart everything "
                f"once, and compare the answers with the interface.",
                "grading",
            ),
        )

    def mutants(self, ctx: Context, world: Drop) -> tuple[Attempt, ...]:
        """Return a wrong port or folder, or a rule left out."""
        if ctx.level < SHORT:
            wrong = {
                "port": _server(world.port + 1, world.folder),
                "folder": _server(world.port, ctx.home),
                "typo": _server(world.port, world.folder + "x"),
            }
            return tuple(
                Attempt(name, (f"echo '{line}' > {world.start}",)) for name, line in wrong.items()
            )
        attempts = [
            Attempt(f"without {part}", self._built(ctx, world, skip=part))
            for part in (world.parts[-1], "60_get", "50_put")
        ]
        full = self._built(ctx, world, skip="")
        moved = tuple(c.replace(f", {world.port}))", f", {world.port + 1}))") for c in full)
        alone = (*full, f"sed -i /catalog.py/d {world.start}; sed -i /until/d {world.start}")
        return (*attempts, Attempt("other port", moved), Attempt("no catalogue", alone))

    def exploits(self, ctx: Context, world: Drop) -> tuple[Attempt, ...]:
        """Return services that say the same to everybody."""
        loop = (
            'import socket\ns = socket.create_server(("127.0.0.1", @port))\n'
            "while True:\n    c = s.accept()[0]; c.recv(9999); "
            'c.sendall(b"HTTP/1.1 @code -\\r\\nContent-Length: 0\\r\\n\\r\\n"); c.close()\n'
        ).replace("@port", str(world.port))
        script = f"{ctx.home}/x.py"
        return tuple(
            Attempt(
                f"always {code}",
                (
                    write_file(script, loop.replace("@code", code)),
                    f"echo 'exec python3 {script}' > {world.start}",
                ),
            )
            for code in ("200", "201", "404")
        )

    def _built(self, ctx: Context, world: Drop, *, skip: str) -> tuple[str, ...]:
        """Return the commands that write the service without one of its parts."""
        ports = {"@catalog": str(world.catalog), "@listen": str(world.port)}

        def filled(body: str) -> str:
            for name, port in ports.items():
                body = body.replace(name, port)
            return body

        folder = ctx.path("drop.d")
        order = ("50_put", "60_get", *world.parts)
        return (
            f"mkdir -p {folder}",
            write_file(ctx.path("drop.py"), filled(FRAME)),
            write_file(world.start, filled(START), mode="755"),
            *(write_file(f"{folder}/{p}.py", PARTS[p]) for p in order if p != skip),
        )


def _server(port: int, folder: str) -> str:
    return f"exec python3 -m http.server {port} --bind 127.0.0.1 --directory {folder}"


def _say_static(world: Drop) -> tuple[Obligation, ...]:
    return (
        Obligation(
            "goal",
            f"We want to fetch the files in `{world.folder}` over HTTP. Write a Bash script "
            f"`{world.start}` that starts a web server on port {world.port} of 127.0.0.1 with "
            f"this folder as its root, so that `GET /<name>` returns the file of that name and "
            f"404 if there is none.",
            "goal",
        ),
        Obligation(
            "keep",
            f"The script must work for an unprivileged user. Do not change the files in "
            f"`{world.folder}`.",
            "limit",
        ),
    )


def _static(ctx: Context) -> Drop:
    rng = ctx.rng.fork("static")
    folder, port = ctx.path(ctx.skin.directory(rng)), rng.integer(8000, 8900)
    stems = rng.sample(sorted(set(ctx.skin.stems)), 4)
    bodies = {f"{s}.{rng.choice(SUFFIXES)}": f"{ctx.skin.code(rng)}\n" * 3 for s in stems}
    nodes = tuple(text(f"{folder}/{name}", body) for name, body in bodies.items())
    groups = tuple(
        (
            _turn(port, f"get {name}", target=f"/{name}", expect=_is(200, body.encode())),
            _turn(port, f"none {name}", target=f"/{name}.old", expect=_is(404)),
        )
        for name, body in bodies.items()
    )
    start = ctx.path("start.sh")
    return Drop(nodes=nodes, outputs=(start,), start=start, port=port, folder=folder, groups=groups)


def _service(ctx: Context) -> Drop:
    rng = ctx.rng.fork("service")
    port, catalog = rng.integer(8000, 8400), rng.integer(8500, 8900)
    parts = OPTIONAL[: ctx.knob(1, len(OPTIONAL))]
    suffixes = rng.sample(SUFFIXES, 4)
    folders = rng.sample(sorted(set(ctx.skin.directories)), 3)
    kinds = [(s, f, rng.integer(40, 400)) for s, f in zip(suffixes[:3], folders, strict=True)]
    interface, start = ctx.path("INTERFACE.md"), ctx.path("start.sh")
    nodes = (
        text(ctx.path("catalog/catalog.py"), CATALOG.replace("@catalog", str(catalog))),
        text(ctx.path("catalog/kinds.txt"), "".join(f"{s} {f} {n}\n" for s, f, n in kinds)),
        prose(interface, described(sorted(parts))),
    )
    return Drop(
        nodes=nodes,
        outputs=(start,),
        start=start,
        port=port,
        catalog=catalog,
        interface=interface,
        parts=parts,
        groups=tuple(_groups(ctx, rng.fork("talk"), port, parts, kinds, suffixes[3])),
    )


def _groups(
    ctx: Context,
    rng: Rng,
    port: int,
    parts: Sequence[str],
    kinds: Sequence[tuple[str, str, int]],
    strange: str,
) -> list[tuple[Turn, ...]]:
    """Return one group of turns for each rule; each stores and reads a file."""
    shelf: dict[str, list[str]] = {}

    def name(suffix: str) -> str:
        return f"{ctx.skin.stem(rng)}_{rng.secret(5)}.{suffix}"

    def stored(kind: tuple[str, str, int]) -> tuple[str, bytes, list[Turn]]:
        target, body = name(kind[0]), rng.hex(rng.integer(8, min(kind[2], 60))).encode()
        shelf.setdefault(kind[1], []).append(target)
        return (
            target,
            body,
            [
                _turn(
                    port, f"put {target}", "PUT", target=f"/{target}", send=body, expect=_is(201)
                ),
                _turn(port, f"get {target}", target=f"/{target}", expect=_is(200, body)),
            ],
        )

    groups = [tuple(stored(kind)[2]) for kind in kinds]
    target, body, turns = stored(kinds[0])
    groups.append((*turns, _turn(port, "none", target=f"/{name(kinds[1][0])}", expect=_is(404))))
    for part in sorted(parts):
        kind = rng.choice(kinds)
        target, body, turns = stored(kind)
        if part == "70_delete":
            shelf[kind[1]].remove(target)
            turns += _removed(port, target)
        elif part == "80_list":
            wanted = {folder: sorted(names) for folder, names in shelf.items() if names}
            turns.append(_turn(port, "list", target="/", expect=_lists(wanted)))
        else:
            other = name(strange if part == "20_kind" else kind[0])
            turns += _refused(port, part, target=target, other=other, size=kind[2], body=body)
        groups.append(tuple(turns))
    target, body, turns = stored(kinds[1])
    after = _turn(port, "after", target=f"/{target}", expect=_is(200, body))
    groups.append((*turns, Turn(Exchange("restart", "restart")), after))
    return groups


def _removed(port: int, target: str) -> list[Turn]:
    return [
        _turn(port, "del", "DELETE", target=f"/{target}", expect=_is(204)),
        _turn(port, "gone", target=f"/{target}", expect=_is(404)),
        _turn(port, "again", "DELETE", target=f"/{target}", expect=_is(404)),
    ]


def _refused(
    port: int, part: str, *, target: str, other: str, size: int, body: bytes
) -> list[Turn]:
    """Return a request that a rule refuses, and the file that must still be there."""
    bad, sent, status = {
        "10_name": (f"a/{target}", body, 400),
        "20_kind": (other, body, 415),
        "30_size": (other, b"x" * (size + 1), 413),
        "40_twice": (target, b"other", 409),
    }[part]
    return [
        _turn(port, part, "PUT", target=f"/{bad}", send=sent, expect=_is(status)),
        _turn(port, "kept", target=f"/{target}", expect=_is(200, body)),
    ]


def _turn(
    port: int,
    id_: str,
    method: str = "GET",
    *,
    target: str,
    send: bytes = b"",
    expect: Callable[[Reply], bool],
) -> Turn:
    return Turn(Exchange(id_, "http", port=port, method=method, target=target, send=send), expect)


def _is(status: int, body: bytes | None = None) -> Callable[[Reply], bool]:
    return lambda reply: reply.status == status and body in (None, reply.body)


def _lists(wanted: dict[str, list[str]]) -> Callable[[Reply], bool]:
    def expect(reply: Reply) -> bool:
        return reply.status == 200 and tolerance.says(reply.body, wanted)

    return expect


FAMILY = DropFolder()
