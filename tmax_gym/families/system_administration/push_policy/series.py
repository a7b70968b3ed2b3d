"""The series of the push-policy family: pushes on which the pipeline is tried.

Covers what the site holds after each of them.  Does not cover the rules.
"""

from __future__ import annotations

from tmax_gym.families.system_administration.push_policy.depot import BASE, Depot, Push


def series(depot: Depot) -> tuple[Push, ...]:
    """Return the pushes on which the pipeline is tried, with what the site holds after each."""
    flow, tips = depot.pipeline, depot.tips
    first = depot.commit([tips["m3"]], depot.note())
    bad = depot.commit([first], {"src/todo.txt": "FIXME later\n"})
    topic = depot.commit([first], {"src/topic.txt": "topic\n"})
    release = depot.commit([tips["r1"]], {**depot.note(), "VERSION": f"{BASE}.1\n"})
    last = depot.commit([bad], {"src/todo.txt": None, "src/done.txt": "done\n"})
    work = f"{depot.facts.prefixes[1]}/topic"
    order = [("main", first), ("main", bad), (work, topic), (f"release/{BASE}", release)]
    order = [*order, ("main", last)] if flow.releases else [order[0], order[1], ("main", last)]
    pushes, log = [], ""
    builds: dict[str, dict[str, str]] = {}
    links: dict[str, str] = {}
    for number, (branch, commit) in enumerate(order):
        if branch != work:
            short = commit[: flow.digits]
            fails = commit == bad
            log += f"{branch} {short} {'failed lint' if fails else 'ok'}\n"
            if not fails:
                builds[short] = _built(depot, branch, commit)
                links[flow.live if branch == "main" else BASE] = f"builds/{short}"
        if flow.pruned:
            builds = {s: files for s, files in builds.items() if f"builds/{s}" in links.values()}
        site = {name: ("link", target) for name, target in links.items()}
        site["log"] = ("file", log)
        for short, files in builds.items():
            site |= {f"builds/{short}/{p}": ("file", body) for p, body in files.items()}
        refspec = f"{commit}:refs/heads/{branch}"
        pushes.append(Push(f"series {number}", (refspec,), keep=number > 0, site=site))
    return tuple(pushes)


def _built(depot: Depot, branch: str, commit: str) -> dict[str, str]:
    """Return the files that the steps make of a tree."""
    files = depot.repository.snapshots[commit]
    stem = f"{depot.stem}.txt"
    source = files[f"src/{stem}"].data.decode()
    names = sorted(p.removeprefix("src/") for p in files if p.startswith("src/"))
    outputs = {
        stem: "".join(f"- {line}\n" for line in source.splitlines()),
        "list.txt": "".join(f"{name}\n" for name in names),
    }
    if depot.pipeline.told:
        outputs["revision"] = f"{branch} {commit}\n"
    return outputs
