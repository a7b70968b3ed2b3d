"""Supervision of the log-keeper family: policies, their model, and streams of events.

Covers restarts by exit status, back-off, limits, heartbeats and operators, as far as a task asks
for them, in a time of their own.  Does not cover the program that follows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tmax_gym.families.contract import Context
from tmax_gym.rng import Rng

FEATURES = ("backoff", "limit", "beat", "operator")
POLICIES = ("always", "failure", "never")
END = 420
"""Second in which a stream ends."""
MOST = 60
TRIES = 200
"""Events of a service."""


@dataclass(frozen=True, slots=True)
class Service:
    """One line of a configuration."""

    name: str
    restart: str
    delay: int
    top: int = 0
    """Longest delay; 0 for one that does not grow."""
    healthy: int = 0
    """Seconds of a run after which the delay is back at its start."""
    limit: int = 0
    window: int = 0
    beat: int = 0

    @property
    def line(self) -> str:
        """Return its line in the configuration."""
        words = [self.name, f"restart={self.restart}", f"delay={self.delay}"]
        words += [f"max={self.top}", f"healthy={self.healthy}"] if self.top else []
        words += [f"limit={self.limit}/{self.window}"] if self.limit else []
        words += [f"beat={self.beat}"] if self.beat else []
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Stream:
    """Services and what happens to them."""

    services: tuple[Service, ...]
    events: tuple[tuple[int, str, str], ...]
    """(second, service, what), in order; the last one ends the stream."""
    actions: tuple[tuple[int, str, str], ...]
    """(second, what, service), in order."""

    @property
    def config(self) -> str:
        """Return the configuration file."""
        return "# service, policy\n" + "".join(f"{s.line}\n" for s in self.services)

    @property
    def input(self) -> str:
        """Return the events, one on each line."""
        return "".join(" ".join(str(w) for w in event if w != "") + "\n" for event in self.events)

    def output(self, name: str = "") -> list[str]:
        """Return the actions of all services, or of the named one."""
        return [f"{t} {what} {who}" for t, what, who in self.actions if name in ("", who)]


@dataclass(slots=True)
class _Watch:
    """One service under supervision."""

    service: Service
    up: bool = True
    since: int = 0
    heard: int = 0
    quick: int = 0
    pending: int = -1
    stopped: bool = False
    starts: list[int] = field(default_factory=list)
    actions: list[tuple[int, str, str]] = field(default_factory=list)

    def act(self, now: int, what: str) -> None:
        """Note an action."""
        self.actions.append((now, what, self.service.name))

    def until(self, now: int) -> None:
        """Do what is due up to a moment."""
        while True:
            if not self.up and 0 <= self.pending <= now:
                at, self.pending = self.pending, -1
                self.act(at, "start")
                self.starts.append(at)
                self.up, self.since, self.heard = True, at, at
            elif self.up and self.service.beat and self.heard + self.service.beat <= now:
                at = self.heard + self.service.beat
                self.act(at, "kill")
                self.ended(at, 137)
            else:
                return

    def ended(self, now: int, status: int) -> None:
        """Decide what follows an end."""
        one = self.service
        if not self.up:
            return
        self.up = False
        if one.healthy and now - self.since >= one.healthy:
            self.quick = 0
        wanted = one.restart == "always" or (one.restart == "failure" and status != 0)
        if self.stopped or not wanted:
            return
        if one.limit and sum(now - one.window < s <= now for s in self.starts) >= one.limit:
            self.act(now, "giveup")
            self.stopped = True
            return
        delay = min(one.top, one.delay * 2**self.quick) if one.top else one.delay
        self.quick += 1
        self.pending = now + delay

    def operated(self, now: int, what: str) -> None:
        """Follow an operator."""
        self.stopped = what == "stop"
        if what == "stop":
            self.pending = -1
        elif not self.up:
            self.act(now, "start")
            self.up, self.since, self.heard = True, now, now
            self.quick, self.starts, self.pending = 0, [], -1

    def follow(self, now: int, what: str) -> None:
        """Do what is due, then what an event asks for."""
        self.until(now)
        if what in ("stop", "go"):
            self.operated(now, what)
        elif what == "beat":
            self.heard = now if self.up else self.heard
        elif what:
            self.ended(now, int(what.split()[1]))


def chosen(ctx: Context, rng: Rng) -> tuple[str, ...]:
    """Return the features that a task has."""
    drawn = rng.sample(FEATURES, ctx.knob(1, len(FEATURES)))
    return tuple(feature for feature in FEATURES if feature in drawn)


def stream(ctx: Context, rng: Rng, features: Sequence[str]) -> Stream:
    """Return services of every policy, with events in which every rule matters."""
    words = {"backoff": "exit", "limit": "giveup", "beat": "kill", "operator": "go"}
    needed = {"exit 0", *(words[feature] for feature in features)}
    for attempt in range(TRIES):
        stream = _drawn(ctx, rng.fork("attempt", attempt), features)
        seen = {what for _, _, what in stream.events} | {what for _, what, _ in stream.actions}
        if needed <= seen | {"exit"}:
            return stream
    raise ValueError(f"{TRIES} streams of {rng!r} do not try {needed}")


def _drawn(ctx: Context, rng: Rng, features: Sequence[str]) -> Stream:
    names = [s.replace("_", "-") for s in rng.fork("names").sample(sorted(set(ctx.skin.stems)), 4)]
    services = [
        _service(
            rng.fork("service", number), name, features, restart=POLICIES[(0, 1, 2, 0)[number]]
        )
        for number, name in enumerate(names[: 3 + ctx.knob(0, 1)])
    ]
    return lived(rng, services, features)


def lived(rng: Rng, services: Sequence[Service], features: Sequence[str]) -> Stream:
    """Return the events of some minutes for these services."""
    events: list[tuple[int, str, str]] = []
    done: list[tuple[int, str, str]] = []
    for number, one in enumerate(services):
        watch = _Watch(one)
        events += _life(rng.fork("service", number).fork("life"), watch, features)
        watch.until(END)
        done += watch.actions
    ordered = sorted(events, key=lambda event: (event[0], event[1]))
    actions = sorted(done, key=lambda action: (action[0], action[2]))
    return Stream(tuple(services), (*ordered, (END, "", "end")), tuple(actions))


def _service(rng: Rng, name: str, features: Sequence[str], *, restart: str) -> Service:
    grows = "backoff" in features and restart != "never"
    delay = rng.integer(2, 5)
    return Service(
        name,
        restart,
        delay,
        top=delay * rng.choice((3, 5, 6)) if grows else 0,
        healthy=rng.integer(40, 60) if grows else 0,
        limit=rng.integer(4, 5) if "limit" in features and restart == "always" else 0,
        window=rng.integer(60, 75) if "limit" in features and restart == "always" else 0,
        beat=rng.integer(9, 12) if "beat" in features and restart != "always" else 0,
    )


def _life(rng: Rng, watch: _Watch, features: Sequence[str]) -> list[tuple[int, str, str]]:
    """Return the events of one service; none coincides with an action of the guard."""
    events: list[tuple[int, str, str]] = []
    now = 0
    while now < END - 30 and len(events) < MOST:
        long = watch.up and not watch.service.beat and rng.chance(0.25)
        now = _free(watch, now + (rng.integer(60, 90) if long else rng.integer(2, 14)))
        if now >= END - 10:  # an operator's stop takes up to four seconds more
            break
        watch.until(now)
        what = _happens(rng, watch, features, early=len(events) < 3)
        if not what:
            continue
        events.append((now, watch.service.name, what))
        watch.follow(now, what)
        if what == "stop" and watch.up:
            # What an operator stops ends soon.
            now = _free(watch, now + rng.integer(1, 4))
            watch.until(now)
            if watch.up:
                events.append((now, watch.service.name, "exit 143"))
                watch.follow(now, "exit 143")
    return events


def _free(watch: _Watch, now: int) -> int:
    """Return the first second from `now` on in which nothing is due."""
    while True:
        ahead = _Watch(
            watch.service,
            watch.up,
            watch.since,
            watch.heard,
            watch.quick,
            watch.pending,
            watch.stopped,
            list(watch.starts),
        )
        ahead.until(now)
        if not ahead.actions or ahead.actions[-1][0] != now:
            return now
        now += 1


def _happens(rng: Rng, watch: _Watch, features: Sequence[str], *, early: bool) -> str:
    """Return the next event of a service, "" for none."""
    operated = "operator" in features and rng.chance(0.3)
    if not watch.up:
        waiting = watch.pending >= 0
        return ("stop" if waiting else "go") if operated else ""
    if operated and not early:
        return "stop"
    if watch.service.beat and rng.chance(0.55):
        return "beat"
    if watch.service.restart == "failure" and not early and rng.chance(0.12):
        return "exit 0"
    return f"exit {rng.choice((1, 2, 70, 137))}"
