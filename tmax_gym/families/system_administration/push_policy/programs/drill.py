#!/usr/bin/env python3
"""Pushes into a copy of a depot: drill.py DEPOT SENDER < PLAN.json

PLAN.json holds {"refs": {name: id}, "pushes": [{"name", "refspecs", "keep"}]}.  The depot is copied
with its hooks, and its refs are set to those of the plan: before every push, unless "keep" says to
go on from where the last one left.  SENDER has the objects.  Prints one JSON object a push:
whether it was accepted, whether refs changed, what was said, and what then is in "site", the
directory beside the depot.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

ENVIRONMENT = {
    "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": "/tmp", "LANG": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
}


def set_refs(depot, refs):
    """Give the depot these refs and no others."""
    shutil.rmtree(os.path.join(depot, "refs"))
    for name in ("refs/heads", "refs/tags"):
        os.makedirs(os.path.join(depot, name))
    if os.path.exists(os.path.join(depot, "packed-refs")):
        os.unlink(os.path.join(depot, "packed-refs"))
    for name, target in refs.items():
        path = os.path.join(depot, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            print(target, file=file)


def refs_of(depot):
    """Return the refs of the depot."""
    found = {}
    for folder, _, names in os.walk(os.path.join(depot, "refs")):
        for name in names:
            path = os.path.join(folder, name)
            with open(path) as file:
                found[os.path.relpath(path, depot)] = file.read().strip()
    return found


def look(site):
    """Return files with their content and links with their targets."""
    found = {}
    for folder, folders, names in os.walk(site):
        for name in folders + names:
            full = os.path.join(folder, name)
            path = os.path.relpath(full, site)
            if os.path.islink(full):
                found[path] = ["link", os.readlink(full)]
            elif os.path.isfile(full):
                with open(full, errors="replace") as file:
                    found[path] = ["file", file.read(20_000)]
    return found


def push(sender, depot, refspecs):
    """Push; return whether git was content, and what it said."""
    command = ["git", "--git-dir", sender, "push", "-q", depot, *refspecs]
    try:
        ended = subprocess.run(
            command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, timeout=10, errors="replace",
        )
    except subprocess.TimeoutExpired:
        return False, "too slow"
    return ended.returncode == 0, ended.stderr[:2000]


def main():
    plan = json.load(sys.stdin)
    top = tempfile.mkdtemp(prefix="depot-")
    depot, site = os.path.join(top, "depot.git"), os.path.join(top, "site")
    shutil.copytree(sys.argv[1], depot, symlinks=True)
    for one in plan["pushes"]:
        if not one["keep"]:
            set_refs(depot, plan["refs"])
            shutil.rmtree(site, ignore_errors=True)
        before = refs_of(depot)
        accepted, said = push(sys.argv[2], depot, one["refspecs"])
        moved = refs_of(depot) != before
        shown = {"name": one["name"], "accepted": accepted, "moved": moved, "said": said}
        print(json.dumps({**shown, "site": look(site)}), flush=True)
    shutil.rmtree(top, ignore_errors=True)


main()
