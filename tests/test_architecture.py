"""The shape of the code: who imports whom, what starts processes, how large things are.

Read from the syntax trees, so that imports inside functions count as well.
"""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import LONGEST

ROOT = Path(__file__).parent.parent
PACKAGES = ("tmax_gym", "tmax_trainers")
FAMILIES = ROOT / "tmax_gym" / "families"


def listed(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# A room (a module or a package below the top one) imports only rooms on its left.
ORDER = {
    "tmax_gym": listed("""
    errors validation axes nodes rng later trajectory journal sandboxes shell texts world checks
    families grading episodes tasks envs agents harbor adapters reports fleet bench proofs analysis
    authoring cli
    """),
    "tmax_trainers": listed("engines rollout capture policies dppo recipes trl cli"),
}

# Within that order, what must not know of each other: (rooms or modules, what they never import).
APART = (
    ("errors axes nodes rng trajectory texts world checks families tasks",
     "shell envs grading agents"),
    ("texts world checks families", "sandboxes trajectory"),
    ("sandboxes shell", "trajectory checks world texts families episodes tasks envs"),
    ("axes nodes rng later trajectory", "errors"),
    ("envs.registration",
     "tasks.spec tasks.planner tasks.compose tasks.build grading sandboxes shell families texts "
     "world"),
)  # fmt: skip

PROCESS_MODULES = {"subprocess", "pty", "multiprocessing"}
STARTS_NONE = {"multiprocessing.connection"}
PROCESS_CALLS = {
    f"os.{name}"
    for name in listed("""
    fork forkpty system popen posix_spawn posix_spawnp execv execve execvp execvpe execl execlp
    spawnv spawnvp
    """)
}
HEAVY = {"torch", "transformers", "trl", "datasets", "accelerate", "tmax_trainers"}
CATCHERS = (
    "agents.rollout", "proofs.validate", "bench", "cli", "fleet.nodes.worker", "grading.verifier"
)  # fmt: skip
ALONE = {
    # Runs in a process of its own: what goes wrong there travels back as a reply.
    "tmax_gym/sandboxes/native/zygote.py",
}
STARTERS = {
    "tmax_gym/fleet/nodes/door.py": "it wants an error of `multiprocessing` alone",
    "tmax_gym/fleet/nodes/local.py": "nodes of a fleet are no sandboxes, they have some",
    "tmax_gym/fleet/nodes/slurm.py": "sbatch is no sandbox",
    "tmax_trainers/engines/vllm/launch.py": "a server that samples is no sandbox",
    "tmax_trainers/rollout/process/handle.py": "what plays the episodes is no sandbox, it has some",
}
"""Modules that start processes outside `sandboxes/`, with the reason."""
PARSERS = {"json.loads", "json.load", "csv.reader", "csv.DictReader"}
READERS = {
    "tmax_gym/families/system_administration/converge/__init__.py": "what its drill prints",
    "tmax_gym/families/system_administration/push_policy/__init__.py": "what its drill prints",
}
"""Families that parse something themselves, with the reason: it is nothing that was handed in."""
VAGUE = {"util", "utils", "helper", "helpers", "manager", "managers", "base", "core", "common",
         "misc"}  # fmt: skip

MODULE_LINES = 300
FOLDER_MODULES = 12
FUNCTION_LINES = 40
POSITIONAL = 3
PROSE = re.compile(r"""[rf]?(["']).*\1,?""")
"""A line that holds one string: what an instruction says is data, however many ways it has."""
MORE = {
    "compute_loss": "its signature is TRL's",
    "yields": "what families call most reads as a sentence: port, kind, value, phrase",
}
"""Functions that take more by position, with the reason."""
EXEMPT: dict[str, str] = {}
"""Modules that may be longer, with the reason (tables of words, say)."""


@cache
def modules() -> tuple[Path, ...]:
    paths = (p for package in PACKAGES for p in (ROOT / package).rglob("*.py"))
    return tuple(sorted(p for p in paths if "env_specs" not in p.parts and not is_program(p)))


def is_program(path: Path) -> bool:
    """Return whether a file is a program for an agent's machine, which nothing here imports."""
    return path.is_relative_to(FAMILIES) and path.parent.name == "programs"


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def within(name: str, *places: str) -> bool:
    """Return whether a module of the gym is one of these rooms or modules, or inside one."""
    return any(f"{name}.".startswith(f"tmax_gym.{place}.") for place in places)


@cache
def known() -> frozenset[str]:
    return frozenset(dotted(p) for p in modules())


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(path)))


@cache
def imports(path: Path) -> tuple[tuple[str, int], ...]:
    """Return every imported module by its absolute name, with the line."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, int]]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            for alias in node.names:
                deeper = f"{node.module}.{alias.name}"
                yield (deeper if deeper in known() else str(node.module)), node.lineno


def gym() -> list[Path]:
    return [p for p in modules() if dotted(p).startswith("tmax_gym")]


def report(problems: list[str]) -> None:
    assert not problems, "\n" + "\n".join(problems)


def test_every_room_has_its_place_in_the_order() -> None:
    for package, order in ORDER.items():
        rooms = {room(dotted(p)) for p in modules() if dotted(p).split(".")[0] == package} - {""}
        assert rooms == set(order)


def test_a_module_imports_only_from_its_left() -> None:
    problems = []
    for path in modules():
        order = ORDER[dotted(path).split(".")[0]]
        own = room(dotted(path))
        for name, line in imports(path):
            other = room(name) if name.split(".")[0] == dotted(path).split(".")[0] else ""
            if own in order and other in order and order.index(other) > order.index(own):
                problems.append(f"{path.relative_to(ROOT)}:{line}: {own} imports {other}")
    report(problems)


@pytest.mark.parametrize(("places", "others"), APART)
def test_what_is_kept_apart_stays_apart(places: str, others: str) -> None:
    report([
        f"{path.relative_to(ROOT)}:{line}: {dotted(path)} imports {name}"
        for path in gym()
        if within(dotted(path), *places.split())
        for name, line in imports(path)
        if within(name, *others.split()) and room(name) != room(dotted(path))
    ])  # fmt: skip


def test_a_family_imports_no_other_family() -> None:
    problems = []
    for path in gym():
        own = dotted(path).split(".")
        for name, line in imports(path):
            other = name.split(".")
            both = own[:2] == other[:2] == ["tmax_gym", "families"] and len(own) > 3 < len(other)
            if both and other[2] != "shared" and other[:4] != own[:4]:
                problems.append(f"{path.relative_to(ROOT)}:{line}: imports {name}")
    report(problems)


def test_families_read_deliverables_by_the_one_tolerance() -> None:
    report([
        f"{path.relative_to(ROOT)}:{node.lineno}: {spelt(node)}; see tmax_gym/checks/tolerance.py"
        for path in gym()
        if within(dotted(path), "families", "checks")
        and not within(dotted(path), "checks.tolerance")
        and str(path.relative_to(ROOT)) not in READERS
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and spelt(node) in PARSERS
    ])  # fmt: skip


def test_modules_import_each_other_without_cycles() -> None:
    edges = {dotted(p): {n for n, _ in imports(p) if n in known()} - {dotted(p)} for p in modules()}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail[trail.index(name) :], name))
        if name not in done:
            for other in sorted(edges[name]):
                visit(other, (*trail, name))
            done.add(name)

    # A package's lazy choice of its own members is no cycle at import time.
    for name in sorted(edges):
        edges[name] = {n for n in edges[name] if not n.startswith(f"{name}.")}
    for name in sorted(edges):
        visit(name, ())


def test_the_gym_never_imports_a_trainer() -> None:
    report([
        f"{path.relative_to(ROOT)}:{line}: imports {name}"
        for path in gym()
        for name, line in imports(path)
        if name.split(".")[0] in HEAVY
    ])  # fmt: skip


def spelt(node: ast.Attribute) -> str:
    """Return `module.name` where a name is all that stands before the dot, else nothing."""
    return f"{node.value.id}.{node.attr}" if isinstance(node.value, ast.Name) else ""


def test_only_sandboxes_start_processes() -> None:
    problems = []
    for path in modules():
        # Drivers run inside a sandbox; nothing here imports them.
        where = path.relative_to(ROOT)
        if within(dotted(path), "sandboxes", "grading.drivers") or str(where) in STARTERS:
            continue
        problems += [f"{where}:{line}: imports {name}" for name, line in imports(path)
                  if name.split(".")[0] in PROCESS_MODULES and name not in STARTS_NONE]  # fmt: skip
        for node in nodes(path):
            if isinstance(node, ast.Attribute) and spelt(node) in PROCESS_CALLS:
                problems.append(f"{where}:{node.lineno}: {spelt(node)}")
    report(problems)


def test_only_the_shell_speaks_pexpect() -> None:
    report([
        f"{path.relative_to(ROOT)}:{line}: imports {name}"
        for path in modules()
        for name, line in imports(path)
        if name.split(".")[0] in ("pexpect", "ptyprocess") and not within(dotted(path), "shell")
    ])  # fmt: skip


def caught(handler: ast.ExceptHandler) -> set[str]:
    if handler.type is None:
        return {"BaseException"}
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {k.attr if isinstance(k, ast.Attribute) else getattr(k, "id", "?") for k in kinds}


def test_failures_become_data_only_at_the_boundary() -> None:
    problems = []
    for path in gym():
        alone = str(path.relative_to(ROOT)) in ALONE
        if alone or within(dotted(path), *CATCHERS, "grading.drivers"):
            continue
        for node in nodes(path):
            if not isinstance(node, ast.ExceptHandler):
                continue
            wide = caught(node) & {"TmaxError", "Exception", "BaseException"}
            again = isinstance(node.body[-1], ast.Raise)
            if wide and not again:
                problems.append(f"{path.relative_to(ROOT)}:{node.lineno}: except {sorted(wide)}")
    report(problems)


def statement_lines(node: ast.FunctionDef | ast.AsyncFunctionDef, source: list[str]) -> int:
    """Count the lines of a body without its docstring and without lines that are only prose."""
    body = node.body[1:] if ast.get_docstring(node) else node.body
    if not body:
        return 0
    lines = source[body[0].lineno - 1 : node.end_lineno]
    return sum(not PROSE.fullmatch(line.strip()) for line in lines)


def test_modules_and_functions_keep_their_size() -> None:
    problems = []
    for path in modules():
        where = path.relative_to(ROOT)
        source = path.read_text(encoding="utf-8").splitlines()
        size = sum(not PROSE.fullmatch(line.strip()) for line in source)
        if size > MODULE_LINES and str(where) not in EXEMPT:
            problems.append(f"{where}: {size} lines; split it, or give a reason in EXEMPT")
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                long = statement_lines(node, source)
                if long > FUNCTION_LINES:
                    problems.append(f"{where}:{node.lineno}: {node.name} has {long} lines")
    report(problems)


def test_public_functions_take_few_arguments_by_position() -> None:
    problems = []
    for path in modules():
        for node in nodes(path):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
            own = [n for n in names if n not in ("self", "cls")]
            private = node.name.startswith("_") or node.name in MORE
            private |= within(dotted(path), "grading.drivers")  # scripts that nothing imports
            if len(own) > POSITIONAL and not private:
                problems.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}{own}")
    report(problems)


def test_every_module_says_what_it_is() -> None:
    report([str(p.relative_to(ROOT)) for p in modules() if not ast.get_docstring(tree(p))])


def test_no_folder_holds_more_than_a_dozen_modules() -> None:
    count = Counter(p.parent.relative_to(ROOT) for p in modules() if p.name != "__init__.py")
    report([
        f"{folder}: {number} modules"
        for folder, number in sorted(count.items())
        if number > FOLDER_MODULES
    ])  # fmt: skip


def test_no_name_is_vague() -> None:
    report([str(p.relative_to(ROOT)) for p in modules() if set(p.parts) & VAGUE or p.stem in VAGUE])


def test_importing_the_gym_loads_nothing_heavy() -> None:
    probe = (
        "import sys, tmax_gym\n"
        "print(*sorted(sys.modules.keys() & "
        "{'torch', 'transformers', 'trl', 'docker', 'httpx', 'typer', 'rich', 'tmax_trainers'}))"
    )
    ended = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout.strip()) == (0, ""), ended.stderr


def test_the_files_that_are_tested_first_exist() -> None:
    assert [name for name in LONGEST if not (ROOT / "tests" / name).is_file()] == []
