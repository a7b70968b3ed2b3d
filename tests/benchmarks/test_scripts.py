"""What benchmark scripts import is there; read from syntax trees, because running them is slow."""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("benchmarks", "examples")
    for path in (ROOT / folder).rglob("*.py")
)
PACKAGES = ("benchmarks", "tests", "tmax_gym", "tmax_trainers")


@cache
def names_in(module: str) -> frozenset[str]:
    """Return the names that a module or package of this repository binds."""
    path = ROOT / module.replace(".", "/")
    if not path.is_dir():
        path = path.with_suffix(".py")
        assert path.exists(), f"no module {module}"
    inner = [file.stem for file in path.glob("*")] if path.is_dir() else []
    file = path / "__init__.py" if path.is_dir() else path
    names = set(inner)
    for node in ast.walk(ast.parse(file.read_text("utf-8"))) if file.exists() else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
    return frozenset(names)


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_imports_names_that_exist(script: str) -> None:
    for node in ast.walk(ast.parse((ROOT / script).read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] in PACKAGES:
            absent = {alias.name for alias in node.names} - names_in(str(node.module))
            assert not absent, f"{script}:{node.lineno}: {node.module} has no {sorted(absent)}"
