"""Rows and archives: parquet, JSON lines, zip, tar, and directories of tasks, read alike.

They lie on this machine or come from a hub.  Members of archives that lead out of them are left
out.  Parquet needs pyarrow, a hub huggingface_hub; both are imported when first needed.
"""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from tmax_gym.errors import HarborError

Row = Mapping[str, Any]
Files = Mapping[str, bytes]
"""Contents by relative path."""
MOST_BYTES = 64 << 20
"""Largest member of an archive that is read."""
DIRECTORIES = ("environment", "tests", "solution", "fixtures", "steps")


def rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a parquet or JSONL file, or of all such files of a directory.

    Raises:
        HarborError: There are none, or pyarrow is missing.
    """
    if path.is_dir():
        files = sorted(p for p in path.rglob("*") if p.suffix in (".parquet", ".jsonl"))
        if not files:
            raise HarborError(f"{path} holds neither parquet nor JSONL files")
        for file in files:
            yield from rows(file)
    elif path.suffix == ".parquet":
        try:
            from pyarrow import parquet
        except ImportError as error:
            raise HarborError(
                f"{path.name} needs pyarrow, which is not here: pip install pyarrow"
            ) from error
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=64):
                yield from batch.to_pylist()
    else:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    yield json.loads(line)


def archive(data: Path | bytes) -> Files:
    """Return the files of a zip or of a tar, compressed or not."""
    return dict(members(data))


def members(data: Path | bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the regular files of an archive, by name; links and devices are left out.

    Raises:
        HarborError: It is no archive.
    """
    opened = data.open("rb") if isinstance(data, Path) else io.BytesIO(data)
    with opened as stream:
        try:
            if zipfile.is_zipfile(stream):
                with zipfile.ZipFile(stream) as packed:
                    for info in packed.infolist():
                        fits = not info.is_dir() and info.file_size <= MOST_BYTES
                        if fits and (name := _plain(info.filename)):
                            yield name, packed.read(info)
                return
            stream.seek(0)
            with tarfile.open(fileobj=stream, mode="r:*") as tar:
                for member in tar:
                    inside = tar.extractfile(member) if member.isreg() else None
                    if inside and member.size <= MOST_BYTES and (name := _plain(member.name)):
                        yield name, inside.read()
        except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
            name = data.name if isinstance(data, Path) else "the archive"
            raise HarborError(f"{name} cannot be unpacked: {error}") from error


def _plain(name: str) -> str:
    """Return a member's name without a leading `./`; "" where it leads out."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        return ""
    return path.as_posix()


def by_task(files: Iterator[tuple[str, bytes]], *, marks: tuple[str, ...]) -> dict[str, Files]:
    """Return the files of every task of an archive: a directory that holds one of `marks`."""
    contents = dict(files)
    homes = sorted(
        {n[: -len(m)].rstrip("/") for n in contents for m in marks if f"/{n}".endswith(f"/{m}")}
    )
    out: dict[str, dict[str, bytes]] = {home: {} for home in homes}
    for name, data in contents.items():
        for home in homes:
            if name.startswith(f"{home}/"):
                out[home][name.removeprefix(f"{home}/")] = data
    return {home.rpartition("/")[2]: files for home, files in out.items() if home}


def directory(path: Path) -> Files:
    """Return the files of a task's directory; links and what is too large are left out."""
    return {
        file.relative_to(path).as_posix(): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file() and not file.is_symlink() and file.stat().st_size <= MOST_BYTES
    }


def snapshot(repository: str, *, patterns: tuple[str, ...] = ()) -> Path:
    """Return a dataset of a hub as a directory of this machine.

    Raises:
        HarborError: huggingface_hub is missing, or the hub cannot be reached.
    """
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ImportError as error:
        raise HarborError(
            f"{repository} lies on a hub, and huggingface_hub is not here: "
            "pip install huggingface_hub"
        ) from error
    try:
        directory = snapshot_download(
            repository, repo_type="dataset", allow_patterns=list(patterns) or None
        )
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise HarborError(
            f"{repository} cannot be fetched: {error}\n"
            "Fetch it where there is a network, and give the directory instead."
        ) from error
    return Path(directory)


def below(files: Files, directory_name: str) -> dict[str, bytes]:
    """Return the files of one directory, by their names in it.

    >>> below({"tests/a.py": b"1", "x": b"2"}, "tests")
    {'a.py': b'1'}
    """
    head = f"{directory_name}/"
    return {n.removeprefix(head): data for n, data in files.items() if n.startswith(head)}


def text_of(row: Row, *keys: str) -> str:
    """Return the first of some fields, or files, that is not empty as text; "" for none."""
    value = next((row[key] for key in keys if row.get(key)), "")
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def listed(value: object) -> tuple[str, ...]:
    """Return a list that may be JSON text.

    >>> listed('["a"]'), listed(["b"]), listed(None)
    (('a',), ('b',), ())
    """
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return (str(value),) if value else ()
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()
