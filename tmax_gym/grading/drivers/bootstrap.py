"""Stand-ins for `curl`, `uv`, `pip` and `apt-get`, for verifiers that install without a network.

They handle the calls of verifiers of Harbor's tasks: the installer of uv, `uvx`,
`uv init|venv|add|sync`, `uv run`, `uv pip install`, `uv tool run|install`, `pip install`, and
`apt-get update|install` of programs that exist.  Packages come from a directory of wheels; if it
lacks the exact version, another one is used, with a message.  Other calls go to the real program.
Conflicts between versions are not resolved.
"""

import glob
import os
import re
import sys
import zipfile

HOME = os.path.dirname(os.path.abspath(__file__))
WHEELS = os.path.join(HOME, "wheels")
SITE = os.path.join(HOME, "site")
INSTALL = re.compile(r"/uv/([\w.]+/)?install\.sh")
INSTALLER = """mkdir -p "$HOME/.local/bin"
printf 'export PATH="%s:$PATH"\\n' "{home}/bin" > "$HOME/.local/bin/env"
ln -sf {home}/bin/uv {home}/bin/uvx "$HOME/.local/bin/"
"""


def say(text: str) -> None:
    """Print a message on standard error."""
    print(f"bootstrap: {text}", file=sys.stderr)


def plain(name: str) -> str:
    """Return the normalised name of a package."""
    return re.sub(r"[-_.]+", "-", name).lower()


def wheels() -> dict[str, dict[str, str]]:
    """Return the wheels that this Python can use: name -> {version: file}."""
    files: dict[str, dict[str, str]] = {}
    for path in sorted(glob.glob(os.path.join(WHEELS, "*.whl"))):
        parts = os.path.basename(path)[:-4].split("-")
        tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
        if parts[-1] == "any" or tag in parts[-3] or "abi3" in parts[-2]:
            files.setdefault(plain(parts[0]), {})[parts[1]] = path
    return files


def key(version: str) -> list[int]:
    """Return the sort key of a version."""
    return [int(n) for n in re.findall(r"\d+", version)]


def chosen(requirement: str, have: dict[str, dict[str, str]]) -> str:
    """Return the wheel for a requirement; exit if there is none."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement.strip())
    versions = have.get(plain(name[0])) if name else None
    if not name or not versions:
        say(f"{requirement!r} is not among the wheels; add it to the wheel cache of tmax-gym")
        sys.exit(1)
    exact = re.search(r"==\s*([^,;\s]+)", requirement)
    if exact and exact[1] in versions:
        return versions[exact[1]]
    best = max(versions, key=key)
    if exact:
        say(f"{name[0]} {best} stands in for {exact[1]}")
    return versions[best]


def wanted(marker: str) -> bool:
    """Return whether a dependency is needed here: not for extras or other systems."""
    if "extra" in marker:
        return False
    if re.search(r"(sys_platform|platform_system|os_name)\s*==\s*['\"](win|Win|nt)", marker):
        return False
    older = re.search(r"python_version\s*<=?\s*['\"](\d+)\.(\d+)", marker)
    return not older or sys.version_info[:2] < (int(older[1]), int(older[2]))


def install(requirements: list[str], site: str = SITE) -> None:
    """Unpack wheels and their dependencies."""
    have, todo = wheels(), [r for r in requirements if r.strip()]
    done: set[str] = set()
    while todo:
        path = chosen(todo.pop(), have)
        if path in done:
            continue
        done.add(path)
        with zipfile.ZipFile(path) as wheel:
            if not os.path.isdir(os.path.join(site, os.path.basename(path))):
                wheel.extractall(site)
                os.makedirs(os.path.join(site, os.path.basename(path)))
            meta = next(n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
            for line in wheel.read(meta).decode("utf-8", "replace").split("\n\n")[0].splitlines():
                if line.startswith("Requires-Dist:"):
                    name, _, marker = line[14:].partition(";")
                    if wanted(marker):
                        todo.append(name)


def entry(program: str) -> str:
    """Return the code of an installed console script, "" if there is none of this name."""
    for path in glob.glob(os.path.join(SITE, "*.dist-info", "entry_points.txt")):
        with open(path, encoding="utf-8") as file:
            section = ""
            for line in file:
                line = line.strip()
                if line.startswith("["):
                    section = line
                name, _, target = (part.strip() for part in line.partition("="))
                if section == "[console_scripts]" and name == program:
                    module, _, function = target.partition(":")
                    return (
                        f"import sys; sys.argv[0] = {program!r}; import {module} as m; "
                        f"sys.exit(m.{function.split()[0]}())"
                    )
    return ""


def run(words: list[str]) -> None:
    """Replace this process by a program that can import the packages."""
    env = {**os.environ}
    env["PYTHONPATH"] = os.pathsep.join(p for p in (SITE, env.get("PYTHONPATH")) if p)
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    # In an environment of uv, its interpreter comes first on the path, as `python`.
    place = os.path.join(HOME, "run")
    os.makedirs(place, exist_ok=True)
    if not os.path.lexists(os.path.join(place, "python")):
        os.symlink(sys.executable, os.path.join(place, "python"))
    env["PATH"] = f"{place}:{env.get('PATH', os.defpath)}"
    if not words:
        sys.exit(0)
    code = entry(words[0])
    if code:
        words = [sys.executable, "-c", code, *words[1:]]
    elif re.fullmatch(r"python[0-9.]*", words[0]):
        words = [sys.executable, *words[1:]]
    try:
        os.execvpe(words[0], words, env)
    except OSError as error:
        say(f"{words[0]}: {error}")
        sys.exit(127)


VALUES = {"-p", "--python", "-w", "--with", "--from", "-i", "--index-url", "--default-index",
          "--extra-index-url", "--project", "--directory", "--cache-dir", "--with-requirements",
          "-r", "--requirement", "--group", "--extra"}  # fmt: skip


def options(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the packages that options name, and the arguments from the program on."""
    packages, rest = [], list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word == "--":
            break
        name, given, value = word.partition("=")
        if name in VALUES and not given:
            value = rest.pop(0) if rest else ""
        if name in ("-w", "--with", "--from"):
            packages += value.split(",")
        if name in ("-r", "--requirement", "--with-requirements"):
            packages += listed(value)
    return packages, rest


def listed(file: str) -> list[str]:
    """Return the requirements in a file."""
    with open(file, encoding="utf-8") as lines:
        return [s for line in lines if (s := line.split("#")[0].strip()) and s[0] != "-"]


def uvx(words: list[str]) -> None:
    """Run a program of a package."""
    packages, rest = options(words)
    if rest:
        program, _, version = rest[0].partition("@")
        if "--from" not in words and plain(program) in wheels():
            packages.append(f"{program}=={version}" if version else program)
        rest[0] = program
    install(packages)
    run(rest)


def added(words: list[str]) -> None:
    """Install the packages among the arguments."""
    packages, rest = options(words)
    while rest:
        packages.append(rest.pop(0))
        more, rest = options(rest)
        packages += more
    install(packages)


def uv(words: list[str]) -> None:
    """Stand in for uv."""
    while words and words[0] in ("--quiet", "-q", "--offline", "--no-cache", "--native-tls"):
        words = words[1:]
    verb, rest = (words[0], words[1:]) if words else ("--version", [])
    if verb in ("--version", "version", "-V"):
        print("uv 0.9.5 (stand-in without a network)")
    elif verb == "venv":
        place = next((w for w in rest if not w.startswith("-")), ".venv")
        os.makedirs(os.path.join(place, "bin"), exist_ok=True)
        with open(os.path.join(place, "bin", "activate"), "w", encoding="utf-8") as file:
            file.write(f'export PYTHONPATH="{SITE}${{PYTHONPATH:+:$PYTHONPATH}}"\n')
            file.write(f'export PATH="{HOME}/bin:$PATH"\n')
    elif verb in ("init", "sync", "lock", "python", "cache", "self"):
        pass
    elif verb == "add":
        added(rest)
    elif verb == "run":
        packages, rest = options(rest)
        install(packages)
        run(rest)
    elif verb == "pip" and rest[:1] == ["install"]:
        added(rest[1:])
    elif verb == "tool" and rest[:1] == ["run"]:
        uvx(rest[1:])
    elif verb == "tool" and rest[:1] == ["install"]:
        added(rest[1:])
    else:
        say(f"uv {verb} is not covered without a network")
        sys.exit(2)


def pip(words: list[str]) -> None:
    """Stand in for `pip install`; leave the rest to the real pip."""
    if words[:1] == ["install"]:
        added([w for w in words[1:] if not w.startswith("--") or "requirement" in w])
    else:
        real("pip3", words)


def curl(words: list[str]) -> None:
    """Stand in for the download of uv's installer; leave the rest to the real curl."""
    if any(INSTALL.search(word) for word in words):
        target = [words[i + 1] for i, w in enumerate(words[:-1]) if w in ("-o", "--output")]
        text = INSTALLER.format(home=HOME)
        if target:
            with open(target[0], "w", encoding="utf-8") as file:
                file.write(text)
        else:
            print(text)
    else:
        real("curl", words)


def apt_get(words: list[str]) -> None:
    """Stand in for updates, and for installing programs that exist already."""
    verbs = [w for w in words if not w.startswith("-")]
    needed = {"curl": "curl", "python3": "python3", "python3-pip": "pip", "ca-certificates": "sh"}
    missing = [w for w in verbs[1:] if w not in needed and not there(w)]
    if verbs[:1] == ["update"] or (verbs[:1] == ["install"] and not missing):
        return
    real("apt-get", words)


def there(program: str) -> bool:
    """Return whether a program is on the path."""
    return any(os.access(os.path.join(d, program), os.X_OK) for d in os.get_exec_path())


def real(program: str, words: list[str]) -> None:
    """Replace this process by the real program."""
    for place in os.get_exec_path():
        path = os.path.join(place, program)
        if os.path.realpath(place) != os.path.join(HOME, "bin") and os.access(path, os.X_OK):
            os.execv(path, [program, *words])
    say(f"this machine has no {program}")
    sys.exit(127)


if __name__ == "__main__":
    name = sys.argv[1]
    {
        "curl": curl,
        "uv": uv,
        "uvx": uvx,
        "pip": pip,
        "pip3": pip,
        "apt-get": apt_get,
        "apt": apt_get,
    }[name](sys.argv[2:])
