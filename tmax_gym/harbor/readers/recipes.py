"""Pieces that several readers share: Dockerfiles from Apptainer definitions, and test scripts.

`From` (a Docker image), `%post`, `%environment` and `%files` of a definition are read.  Test
scripts write a Harbor reward from pytest's outcome.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

POST = "post_install.sh"
_SECTION = re.compile(r"^%(\w+)[^\n]*\n(.*?)(?=^%\w+|\Z)", re.MULTILINE | re.DOTALL)
_FROM = re.compile(r"^From:\s*(\S+)", re.MULTILINE | re.IGNORECASE)
_EXPORT = re.compile(r"^\s*export\s+(\w+)=(.*)$", re.MULTILINE)


def from_definition(text: str, *, fixtures: bool = False) -> tuple[str, Mapping[str, bytes]]:
    """Return a Dockerfile and the files beside it for an Apptainer definition.

    Args:
        text: The definition.
        fixtures: Whether the files of `%files` lie in `_fixtures/` beside the Dockerfile.
    """
    sections = {name.lower(): body for name, body in _SECTION.findall(text)}
    base = _FROM.search(text)
    lines = [f"FROM {base[1] if base else 'ubuntu:22.04'}", "ENV DEBIAN_FRONTEND=noninteractive"]
    if fixtures:
        lines.append("COPY _fixtures/ /")
    beside: dict[str, bytes] = {}
    if post := sections.get("post", "").strip():
        beside[POST] = f"#!/bin/bash\nset -e\n{post}\n".encode()
        lines += [f"COPY {POST} /tmp/{POST}", f"RUN bash /tmp/{POST} && rm /tmp/{POST}"]
    for name, value in _EXPORT.findall(sections.get("environment", "")):
        lines.append(f"ENV {name}={value.strip()}")
    lines.append("WORKDIR /home/user")
    return "\n".join(lines) + "\n", beside


def files_of(definition: str) -> tuple[tuple[str, str], ...]:
    """Return (source, target) of `%files`."""
    section = re.search(r"^%files[^\n]*\n(.*?)(?=^%\w+|\Z)", definition, re.MULTILINE | re.DOTALL)
    pairs = [line.split() for line in (section[1] if section else "").splitlines() if line.strip()]
    return tuple((words[0], words[-1]) for words in pairs)


def pytest_script(file: str) -> bytes:
    """Return a test.sh that runs one file and writes 1 or 0."""
    return (
        "#!/bin/bash\n"
        "python3 -m pytest --version >/dev/null 2>&1 || pip3 install pytest\n"
        f"if python3 -m pytest -x --tb=short /tests/{file}; then reward=1; else reward=0; fi\n"
        "echo $reward > /logs/verifier/reward.txt\n"
    ).encode()


def outcome_script(command: str) -> bytes:
    """Return a test.sh that runs a script whose output ends with pytest's summary.

    Without a summary nothing is written: the trial is ungraded.
    """
    return (
        "#!/bin/bash\n"
        "export TEST_DIR=/tests\n"
        f"{command} 2>&1 | tee /tmp/outcome.txt\n"
        "grep -qE '[0-9]+ (passed|failed|errors?)' /tmp/outcome.txt || exit 1\n"
        "if grep -qE '[0-9]+ (failed|errors?)' /tmp/outcome.txt; then reward=0; else reward=1; fi\n"
        "echo $reward > /logs/verifier/reward.txt\n"
    ).encode()


LISTED = '''\
"""Runs the listed tests and writes what share of them passed."""

import json
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).parent
wanted = json.loads((here / "expected.json").read_text())
names = wanted["fail_to_pass"] + wanted["pass_to_pass"]
ran = subprocess.run(
    [sys.executable, "-m", "pytest", "-rA", "--tb=no", *sorted({n.split("::")[0] for n in names})],
    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
)
print(ran.stdout)
if not re.search(r"[0-9]+ (passed|failed|errors?)", ran.stdout):
    sys.exit("no test ran")
passed = set(re.findall(r"^PASSED (\\S+)", ran.stdout, re.MULTILINE))
shares = {
    part: sum(n in passed for n in wanted[part]) / len(wanted[part]) if wanted[part] else 1.0
    for part in ("fail_to_pass", "pass_to_pass")
}
shares["reward"] = float(all(share == 1.0 for share in shares.values()))
pathlib.Path("/logs/verifier/reward.json").write_text(json.dumps(shares))
'''
"""The verifier of tasks that list which tests must pass."""
