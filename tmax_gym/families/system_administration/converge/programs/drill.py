#!/usr/bin/env python3
"""Tries a provisioning script: drill.py SCRIPT < STATES.json

STATES.json is a list of hosts: {"name", "runs", "tree": {path: [kind, mode, content]}}, where the
content of a link is its target.  Each is laid out in a directory of its own, and the script runs
on it `runs` times: bash SCRIPT DIRECTORY.  Prints one JSON object a host: exit status and output
of every run, the files and links that it wrote, and the tree after the first run.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

PAST = 1_600_000_000


def lay_out(root, tree):
    for path in sorted(tree):
        kind, mode, body = tree[path]
        full = os.path.join(root, path)
        if kind == "dir":
            os.makedirs(full, exist_ok=True)
        elif kind == "link":
            os.symlink(body, full)
        else:
            with open(full, "w") as file:
                file.write(body)
        if kind != "link":
            os.chmod(full, int(mode, 8))


def content(path):
    try:
        with open(path, errors="replace") as file:
            return file.read(100_000)
    except OSError:
        return ""


def look(root, *, age=False):
    """Return what is there, and how to tell that it was written again."""
    tree, stamps = {}, {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            full = os.path.join(folder, name)
            path = os.path.relpath(full, root)
            if age:
                os.utime(full, (PAST, PAST), follow_symlinks=False)
            info = os.lstat(full)
            mode = oct(info.st_mode & 0o7777)[2:]
            if os.path.islink(full):
                tree[path] = ["link", "0", os.readlink(full)]
            elif os.path.isdir(full):
                tree[path] = ["dir", mode, ""]
            else:
                tree[path] = ["file", mode, content(full)]
            stamp = None if tree[path][0] == "dir" else (info.st_ino, info.st_mtime_ns)
            stamps[path] = (tree[path], stamp)
    return tree, stamps


def attempt(script, root):
    """Run the script once; return what it said and wrote, and the tree."""
    _, before = look(root, age=True)
    try:
        ended = subprocess.run(
            ["bash", script, root], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, timeout=4, errors="replace",
        )
        status, said = ended.returncode, ended.stdout
    except subprocess.TimeoutExpired:
        status, said = 124, ""
    tree, after = look(root)
    wrote = sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p))
    return {"status": status, "said": said[:1000], "wrote": wrote}, tree


def main():
    for host in json.load(sys.stdin):
        root = tempfile.mkdtemp(prefix="host-")
        lay_out(root, host["tree"])
        told = [attempt(sys.argv[1], root) for _ in range(host["runs"])]
        shown = {"name": host["name"], "runs": [t[0] for t in told], "tree": told[0][1]}
        print(json.dumps(shown), flush=True)
        shutil.rmtree(root, ignore_errors=True)


main()
