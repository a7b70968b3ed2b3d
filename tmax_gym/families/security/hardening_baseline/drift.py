"""How a host drifts from its baseline: one deviation after the other, each with its repair.

Covers sshd, authorized keys, modes and service units.  Does not cover files that no rule is
about; those only show in the comparison with the manifest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tmax_gym.families.contract import Context
from tmax_gym.families.security.hardening_baseline import host
from tmax_gym.families.security.hardening_baseline.facts import SSHD, UNITS
from tmax_gym.families.security.hardening_baseline.host import DIRECTIVES, SETTINGS, Host, Rules
from tmax_gym.rng import Rng

FORGOTTEN = ("old-laptop", "contractor", "ci-runner", "jump", "tmp", "vendor")


@dataclass(frozen=True, slots=True)
class Drift:
    """One deviation."""

    area: str
    repair: str
    """A command to be run in the host's root."""
    careless: str = ""
    """A command that looks like a repair but is none, or breaks something."""


@dataclass(slots=True)
class Scene:
    """The hosts and rules that deviations change."""

    rng: Rng
    host: Host
    goal: Host
    """The same host after all repairs."""
    rules: Rules
    dropin: str
    """Name of a drop-in of sshd, "" where it includes none."""


def drifted(ctx: Context, goal: Host, rules: Rules, *, rng: Rng) -> tuple[Host, tuple[Drift, ...]]:
    """Return a host with deviations of all four kinds; some exceptions turn out to be over."""
    count = ctx.knob(1, 4)
    dropin = rng.choice(("10-site", "40-support", "50-cloud", "60-vendor", "99-local"))
    drifted_host, included = goal.copy(), host.DROPINS in goal.modes
    scene = Scene(
        rng.fork("scene"), drifted_host, goal, rules, f"{dropin}.conf" if included else ""
    )
    return drifted_host, (
        *_ssh(ctx, scene, count),
        *_keys(scene, count),
        *_modes(ctx, scene, count + 1),
        *_units(ctx, scene, count),
    )


def _ssh(ctx: Context, scene: Scene, count: int) -> list[Drift]:
    ways: list[Callable[[Scene, str], Drift]] = [_changed, _first, _gone, _matched]
    if scene.dropin:
        ways += [_included]
    if ctx.level >= host.INCLUDES:
        ways += [_over]
    inner = sorted(set(scene.rules.settings) - host.EVERYWHERE - scene.rules.exempt)
    words = scene.rng.sample(inner, min(count, len(inner)))
    chosen = scene.rng.sample(ways, len(words))
    if _over in chosen and words[chosen.index(_over)] in host.ROOTED:
        chosen[chosen.index(_over)] = _first
    return [way(scene, word) for way, word in zip(chosen, words, strict=True)]


def _pair(scene: Scene, word: str) -> tuple[str, str]:
    """Return the line that is right and one that is wrong."""
    return f"{word} {scene.rules.settings[word]}", f"{word} {SETTINGS[word][1]}"


def _changed(scene: Scene, word: str) -> Drift:
    good, bad = _pair(scene, word)
    lines = scene.host.lines[SSHD]
    lines[lines.index(good)] = bad
    return Drift("ssh", f"sed -i 's/^{word} .*/{good}/' {SSHD}", f"echo '{good}' >> {SSHD}")


def _first(scene: Scene, word: str) -> Drift:
    """Put the wrong value where it is read first; the right one is still there."""
    good, bad = _pair(scene, word)
    lines = scene.host.lines[SSHD]
    lines.insert(lines.index("Port 22") + 1, bad)
    return Drift("ssh", f"sed -i '/^{bad}$/d' {SSHD}", f"echo '{good}' >> {SSHD}")


def _gone(scene: Scene, word: str) -> Drift:
    good, _ = _pair(scene, word)
    lines = scene.host.lines[SSHD]
    lines[lines.index(good)] = f"#{good}"
    return Drift("ssh", f"sed -i 's/^#{word} /{word} /' {SSHD}", f"echo '{good}' >> {SSHD}")


def _matched(scene: Scene, word: str) -> Drift:
    """Put the wrong value into a Match block that is there for another reason."""
    _, bad = _pair(scene, word)
    lines = scene.host.lines[SSHD]
    place = next(n for n, line in enumerate(lines) if line.startswith("Match "))
    lines.insert(place + scene.rng.integer(1, 2), f"    {bad}")
    return Drift("ssh", f"sed -i '/^    {bad}$/d' {SSHD}", f"sed -i '/^Match/,$d' {SSHD}")


def _included(scene: Scene, word: str) -> Drift:
    _, bad = _pair(scene, word)
    path = f"{host.DROPINS}/{scene.dropin}"
    rest = [f"ClientAliveInterval {30 * scene.rng.integer(2, 10)}", "PrintMotd no"]
    scene.goal.add(path, rest)
    scene.host.add(path, ["# kept by hand", *scene.rng.shuffled([bad, *rest])])
    return Drift("ssh", f"sed -i '/^{bad}$/d' {path}", f"rm {path}")


def _over(scene: Scene, word: str) -> Drift:
    """Leave a Match block whose exception is over."""
    good, bad = _pair(scene, word)
    user = scene.rng.choice(("audit", "migration", "fieldtest", "oldscanner", "handover"))
    scene.host.lines[SSHD] += [f"Match User {user}", f"    {bad}"]
    scene.rules.visitors.append((user, host.OUTSIDE))
    day = host.later(scene.rng, scene.rules.today, -1)
    scene.rules.exceptions.append((day, f"sshd Match User {user}", bad, "until they are done"))
    return Drift("ssh", f"sed -i '/^Match User {user}$/,+1d' {SSHD}", f"echo '{good}' >> {SSHD}")


def _keys(scene: Scene, count: int) -> list[Drift]:
    kinds = scene.rng.sample(("unknown", "revoked", "another's", "short", "unbound"), count)
    return [_key(scene, kind, scene.rng.fork("key", kind)) for kind in kinds]


def _key(scene: Scene, kind: str, rng: Rng) -> Drift:
    """Spoil the keys of one account: one too many, or one without its restriction."""
    person = rng.choice(scene.rules.people)
    path = f"home/{person}/.ssh/authorized_keys"
    lines = scene.host.lines[path]
    if kind == "unbound":
        bound = [n for n, line in enumerate(lines) if line.startswith("from=")]
        if bound:
            option, _, bare = lines[bound[0]].partition(" ")
            lines[bound[0]] = bare
            start = " ".join(bare.split()[:2])
            lost = f"sed -i '\\|{start}|d' {path}"
            return Drift("keys", f"sed -i 's|^{start}|{option} &|' {path}", lost)
        kind = "unknown"
    owner, comment = person, f"{person}@{rng.choice(FORGOTTEN)}"
    if kind == "another's":
        owner = rng.choice(sorted({*scene.rules.people} - {person}))
        comment = f"{owner}@{rng.choice(FORGOTTEN)}"
    extra = host.key(rng, comment, bits=rng.choice((1024, 2048)) if kind == "short" else 0)
    if kind != "unknown":
        state = "revoked" if kind == "revoked" else "active"
        scene.rules.register.append((extra.fingerprint, owner, state, ""))
    lines.insert(rng.integer(0, len(lines)), extra.line)
    return Drift("keys", f"sed -i '\\|{extra.blob[-28:]}|d' {path}", f": > {path}")


def _modes(ctx: Context, scene: Scene, count: int) -> list[Drift]:
    person = scene.rng.choice(scene.rules.people)
    service = sorted(scene.rules.services)[0].removesuffix(".service")
    sudo = next(p for p in scene.host.lines if p.startswith("etc/sudoers.d/"))
    rows = [
        ("etc/ssh/ssh_host_ed25519_key", 0o644),
        (f"home/{person}/.ssh/id_ed25519", 0o640),
        (f"home/{person}/.ssh", 0o755),
        (f"home/{person}/.ssh/authorized_keys", 0o664),
        (sudo, 0o644),
        (f"usr/local/bin/{service}", 0o757),
        (f"usr/local/sbin/{service}-backup", 0o4755),
        (f"{UNITS}/{service}.service", 0o666),
        (f"etc/{service}/{service}.conf", 0o644),
        (f"srv/{service}", 0o2777),
    ]
    drifts = []
    for path, mode in scene.rng.sample([row for row in rows if row[0] in scene.host.modes], count):
        was, scene.host.modes[path] = scene.host.modes[path], mode
        drifts.append(Drift("modes", f"chmod {was:o} {path}", "chmod -R go-rwx ."))
        if path.startswith("srv/") and ctx.level >= host.INCLUDES:
            day = host.later(scene.rng, scene.rules.today, -1)
            scene.rules.exceptions.append((day, path, f"{mode:o}", "stocktaking"))
    return drifts


def _units(ctx: Context, scene: Scene, count: int) -> list[Drift]:
    ways: list[Callable[[Scene, str, str], Drift]] = [_weaker, _lost, _rooted]
    if ctx.level >= host.INCLUDES:
        ways += [_overridden, _able, _granted]
    drifts = []
    names = sorted(scene.rules.services)
    free = [(n, d) for n in names for d in scene.rules.directives
            if f"{n} {d}" not in scene.rules.exempt]  # fmt: skip
    chosen = scene.rng.sample(free, count)
    picked = scene.rng.sample(ways, min(count, len(ways)))
    for way, (name, word) in zip(picked, chosen, strict=False):
        drifts.append(way(scene, name, word))
    return drifts


def _weaker(scene: Scene, name: str, word: str) -> Drift:
    path, good = f"{UNITS}/{name}", scene.rules.directives[word]
    lines = scene.host.lines[path]
    lines[lines.index(f"{word}={good}")] = f"{word}={DIRECTIVES[word][1]}"
    return Drift(
        "units",
        f"sed -i 's/^{word}=.*/{word}={good}/' {path}",
        f"echo '{word}={good}' >> {path}",
    )


def _lost(scene: Scene, name: str, word: str) -> Drift:
    path, good = f"{UNITS}/{name}", scene.rules.directives[word]
    scene.host.lines[path].remove(f"{word}={good}")
    return Drift(
        "units",
        f"sed -i '/^\\[Service\\]$/a {word}={good}' {path}",
        f"echo '{word}={good}' >> {path}",
    )


def _rooted(scene: Scene, name: str, word: str) -> Drift:
    path, account = f"{UNITS}/{name}", scene.rules.services[name][0]
    lines = scene.host.lines[path]
    lines[lines.index(f"User={account}")] = "User=root"
    return Drift(
        "units", f"sed -i 's/^User=.*/User={account}/' {path}", f"sed -i '/^User=/d' {path}"
    )


def _overridden(scene: Scene, name: str, word: str) -> Drift:
    path, bad = f"{UNITS}/{name}.d/override.conf", f"{word}={DIRECTIVES[word][1]}"
    _dropped(scene, path, [bad])
    return Drift("units", f"sed -i '/^{bad}$/d' {path}", f"rm {path}")


def _able(scene: Scene, name: str, word: str) -> Drift:
    """Add a capability where capabilities add up."""
    path, more = f"{UNITS}/{name}.d/override.conf", "CapabilityBoundingSet=CAP_SYS_ADMIN"
    right = scene.rules.services[name][1]
    _dropped(scene, path, [more])
    return Drift(
        "units",
        f"sed -i '/^{more}$/d' {path}",
        f"echo 'CapabilityBoundingSet={right or 'CAP_CHOWN'}' >> {path}",
    )


def _granted(scene: Scene, name: str, word: str) -> Drift:
    bad = f"{word}={DIRECTIVES[word][1]}"
    day = host.later(scene.rng, scene.rules.today, -1)
    scene.rules.exceptions.append((day, name, bad, "until the upgrade"))
    return _weaker(scene, name, word)


def _dropped(scene: Scene, path: str, lines: list[str]) -> None:
    if path not in scene.host.lines:
        rest = [f"LimitNOFILE={1024 * scene.rng.integer(2, 64)}", "Nice=5"]
        for one in (scene.host, scene.goal):
            one.add(path, ["[Service]", *rest])
            one.modes[path.rpartition("/")[0]] = 0o755
    scene.host.lines[path] += lines
