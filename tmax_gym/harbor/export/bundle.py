"""The verifier of an exported task as one file: a zip that Python runs.

It holds the modules of this package that a task's checks need, by their imports; the same modules
give the same bytes.  The task itself lies beside it, as the spec's JSON.
"""

from __future__ import annotations

import ast
import io
import zipfile
from functools import cache
from pathlib import Path

from tmax_gym import families
from tmax_gym.errors import HarborError
from tmax_gym.tasks.compose import Task

_PACKAGE = Path(__file__).parents[2]
_ENTRY = "tmax_gym.harbor.export.grade"
_FAMILIES = "tmax_gym.families."
_HEAD = '"""Graded tasks: what a verifier needs."""\n'
_MAIN = '''\
"""Unpacks itself where only root looks, and grades."""

import pathlib
import sys
import tempfile
import zipfile

with tempfile.TemporaryDirectory(prefix=".verifier-") as place:
    with zipfile.ZipFile(pathlib.Path(sys.argv[0])) as bundle:
        bundle.extractall(place)
    sys.path.insert(0, place)
    from tmax_gym.harbor.export.grade import main

    status = main(sys.argv[1:])
sys.exit(status)
'''
_OF_TRIALS = ("bootstrap", "editor")
"""Drivers that no verifier of ours runs."""
_LAZY = ("tmax_gym.texts.personas", "tmax_gym.texts.skins")
"""Modules whose imports inside functions are needed as well."""


def bundle(task: Task) -> bytes:
    """Return the verifier of a task as a zip.

    Raises:
        HarborError: The task is of no family: nothing could make it anew.
    """
    slugs = tuple(sorted({stage.family for stage in task.spec.plan}))
    known = {*families.slugs(), *families.follow_up_slugs()}
    if unknown := sorted(set(slugs) - known):
        raise HarborError(
            f"task {task.name} cannot be exported: its stages {', '.join(unknown)} are no families"
        )
    return _zipped(slugs)


@cache
def _zipped(slugs: tuple[str, ...]) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as out:
        for name, text in sorted(_sources(slugs).items()):
            # A fixed time stamp, the first that a zip can hold.
            member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            out.writestr(member, text, zipfile.ZIP_DEFLATED, compresslevel=9)
    return raw.getvalue()


def _sources(slugs: tuple[str, ...]) -> dict[str, str]:
    sources: dict[str, str] = {"__main__.py": _MAIN, "tmax_gym/__init__.py": _HEAD}
    wanted = [_ENTRY, *(type(families.part(slug)).__module__ for slug in slugs)]
    # Run inside a sandbox, found by name: no import leads to them.
    scripts = sorted(p.stem for p in (_PACKAGE / "grading" / "drivers").glob("[a-z]*.py"))
    wanted += [f"tmax_gym.grading.drivers.{name}" for name in scripts if name not in _OF_TRIALS]
    while wanted:
        module = wanted.pop()
        if (file := _file(module)) is None or (name := _name(file)) in sources:
            continue
        sources[name] = file.read_text(encoding="utf-8")
        wanted += [module.rpartition(".")[0], *_imports(module, sources[name])]
        # Programs of a family are read, not imported.
        programs = file.parent.glob("programs/[!_]*") if module.startswith(_FAMILIES) else ()
        sources |= {_name(program): program.read_text(encoding="utf-8") for program in programs}
    return sources


def _name(file: Path) -> str:
    return f"tmax_gym/{file.relative_to(_PACKAGE).as_posix()}"


def _file(module: str) -> Path | None:
    """Return the source of a module of this package, None for another's."""
    parts = module.split(".")
    if parts[0] != "tmax_gym" or len(parts) == 1:
        return None
    place = _PACKAGE.joinpath(*parts[1:])
    for file in (place.with_suffix(".py"), place / "__init__.py"):
        if file.is_file():
            return file
    return None


def _imports(module: str, source: str) -> list[str]:
    """Return what a module imports when it is imported itself, types left out."""
    tree = ast.parse(source)
    if module in _LAZY:
        nodes = list(ast.walk(tree))
    else:
        nodes = [inner for top in tree.body if not _is_for_types(top) for inner in _plain(top)]
    names = []
    for node in nodes:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


def _is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _plain(node: ast.stmt) -> list[ast.AST]:
    """Return a statement that runs at import."""
    return [] if isinstance(node, ast.FunctionDef | ast.ClassDef) else [node]
