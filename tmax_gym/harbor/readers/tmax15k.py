"""TMax-15K in its published forms: parquet rows, task directories, `tasks.zip`, RLVR rows.

RLVR rows have a tarball beside them.  The hidden `truth` may hold the answer and is not copied.
The Harbor form is a Harbor dataset and needs no reader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tmax_gym.harbor.readers.drafts import Draft, Made
from tmax_gym.harbor.readers.recipes import files_of, from_definition, pytest_script
from tmax_gym.harbor.readers.rows import (
    Files,
    Row,
    below,
    by_task,
    directory,
    listed,
    members,
    rows,
    text_of,
)

TARBALL = "task-data.tar.gz"
_MARKS = ("task.json",)
_LABEL = re.compile(r"\s*(.*?)\s+task\b", re.IGNORECASE)


def read(path: Path) -> Iterator[Made]:
    """Yield the tasks of any of its forms."""
    if path.suffix == ".zip":
        for name, files in by_task(members(path), marks=_MARKS).items():
            yield _of_files(name, files)
    elif path.is_dir() and (path / "task.json").is_file():
        yield _of_files(path.name, directory(path))
    elif path.is_dir() and any(path.glob("*/task.json")):
        for home in sorted(p.parent for p in path.glob("*/task.json")):
            yield _of_files(home.name, directory(home))
    elif path.is_dir() and (zipped := path / "tasks.zip").is_file():
        yield from read(zipped)
    elif (path if path.is_dir() else path.parent).joinpath(TARBALL).is_file():
        yield from read_rlvr(path)
    else:
        yield from map(_of_row, rows(path))


def read_rlvr(path: Path) -> Iterator[Made]:
    """Yield the tasks of RLVR rows and the tarball beside them; see also R2E-Gym."""
    home = path if path.is_dir() else path.parent
    packed = by_task(members(home / TARBALL), marks=("instruction.md", "tests/test.sh"))
    for row in rows(path):
        config = row.get("env_config") or {}
        config = json.loads(config) if isinstance(config, str) else config
        name = str(config.get("task_id") or row.get("ground_truth") or "")
        if name not in packed:
            yield f"{name or 'a row'}: it is not in {TARBALL}"
        else:
            yield rlvr_draft(name, packed[name], row, image=text_of(config, "image"))


def rlvr_draft(name: str, files: Files, row: Row, *, image: str = "") -> Draft:
    """Return the draft of one RLVR task."""
    text = text_of(files, "instruction.md") or _question(row)
    image = image or text_of(files, "image.txt").strip()
    seeds = below(files, "environment/seeds")
    lines = [f"FROM {image or 'ubuntu:22.04'}"]
    beside: dict[str, bytes] = {}
    if not image and "setup.sh" in files:
        beside["setup.sh"] = files["setup.sh"]
        lines += ["COPY setup.sh /tmp/setup.sh", "RUN bash /tmp/setup.sh && rm /tmp/setup.sh"]
    if seeds:
        beside |= {f"seeds/{n}": data for n, data in seeds.items()}
        lines += ["COPY seeds/ /workspace/", "WORKDIR /workspace"]
    bare = len(lines) == 1 and bool(image)
    return Draft(
        name,
        text,
        dockerfile="" if bare else "\n".join(lines) + "\n",
        image=image if bare else "",
        environment=beside,
        tests=below(files, "tests"),
        metadata={"source": row.get("source") or row.get("dataset")},
    )


def _question(row: Row) -> str:
    """Return the first message of the user in a row."""
    texts = [m.get("content") for m in row.get("messages") or () if m.get("role") == "user"]
    return str(texts[0]) if texts else ""


def _of_row(row: Row) -> Made:
    name = text_of(row, "task_id")
    if not name:
        return "a row: it has no task_id"
    return _draft(name, row, definition=text_of(row, "container_def"), files={})


def _of_files(name: str, files: Files) -> Made:
    try:
        row: Any = json.loads(files["task.json"])
    except (ValueError, KeyError) as error:
        return f"{name}: its task.json cannot be read: {error}"
    if not isinstance(row, dict):
        return f"{name}: its task.json is no object"
    tests = {"test_final_state": text_of(files, "test_final_state.py")}
    definition = text_of(files, "container.def")
    return _draft(name, {**row, **tests}, definition=definition, files=files)


def _draft(name: str, row: Row, *, definition: str, files: Files) -> Made:
    test = text_of(row, "test_final_state")
    if not test:
        return f"{name}: it has no test_final_state"
    if not definition:
        return f"{name}: it has no container definition"
    fixtures = _fixtures(definition, below(files, "fixtures"))
    if files_of(definition) and not fixtures:
        return f"{name}: its fixtures are not here; read tasks.zip instead"
    docker, beside = from_definition(definition, fixtures=bool(fixtures))
    return Draft(
        name,
        text_of(row, "instruction", "description"),
        dockerfile=docker,
        environment={**beside, **fixtures},
        tests={
            "test_final_state.py": test.encode(),
            "test.sh": pytest_script("test_final_state.py"),
        },
        metadata=_labels(row),
    )


def _fixtures(definition: str, files: Files) -> dict[str, bytes]:
    """Return the files of `%files` at the places below `_fixtures/` where they go to."""
    placed: dict[str, bytes] = {}
    for source, target in files_of(definition):
        inner = source.partition("fixtures/")[2].rstrip("/")
        for name, data in files.items():
            if name == inner:
                placed[f"_fixtures/{target.lstrip('/')}"] = data
            elif not inner or name.startswith(f"{inner}/"):
                rest = name.removeprefix(f"{inner}/") if inner else name
                placed[f"_fixtures/{target.strip('/')}/{rest}"] = data
    return placed


def _labels(row: Row) -> dict[str, object]:
    labels: dict[str, object] = {
        key: str(row[key])
        for key in ("domain", "skill_type", "scenario", "language", "verifier_kind",
                    "fixture_kind", "corpus_kind", "base_image")
        if row.get(key)
    }  # fmt: skip
    for key in ("task_complexity", "command_complexity"):
        if text := text_of(row, key):
            label = _LABEL.match(text)
            labels[key] = label[1].lower() if label else text[:60]
    if "task_complexity" in labels:
        labels["difficulty"] = labels["task_complexity"]
    if "domain" in labels:
        labels["category"] = labels["domain"]
    if skills := listed(row.get("primitive_skills")):
        labels["primitive_skills"] = list(skills)
    return labels
