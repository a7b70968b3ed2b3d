"""Admission to an engine: order, number at once, room, deadlines, and rest after failures."""

import threading
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmax_gym.errors import ImageError, SandboxError
from tmax_gym.sandboxes import Backend
from tmax_gym.sandboxes.native.backend import NativeBackend
from tmax_gym.sandboxes.pool.admission import (
    OPENING,
    REMOVAL,
    SPARE,
    Admission,
    Bounds,
    Line,
    Place,
)
from tmax_gym.sandboxes.pool.admission_rules import SLOW, Breaker, Width


def until(done: Callable[[], bool], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.001)


def run(*targets: Callable[[], None]) -> list[threading.Thread]:
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    return threads


class Clock:
    """A clock that the test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


# Lines


def test_256_threads_are_served_in_the_order_of_their_arrival() -> None:
    line, served = Line(1), list[int]()
    assert line.enter(OPENING, 1.0)

    def come(number: int) -> None:
        assert line.enter(OPENING, 30.0)
        served.append(number)
        line.leave()

    threads = []
    for number in range(256):
        threads += run(lambda number=number: come(number))  # type: ignore[misc]
        until(lambda number=number: line.waiting == number + 1)  # type: ignore[misc]
    line.leave()
    for thread in threads:
        thread.join(30)
    assert served == list(range(256))
    assert (line.taken, line.waiting) == (0, 0)


def test_removals_go_before_openings_and_spares_go_last() -> None:
    line, served = Line(1), list[int]()
    assert line.enter(OPENING, 1.0)

    def come(rank: int) -> None:
        assert line.enter(rank, 30.0)
        served.append(rank)
        line.leave()

    threads = []
    for count, rank in enumerate((SPARE, OPENING, REMOVAL), 1):
        threads += run(lambda rank=rank: come(rank))  # type: ignore[misc]
        until(lambda count=count: line.waiting == count)  # type: ignore[misc]
    line.leave()
    for thread in threads:
        thread.join(30)
    assert served == [REMOVAL, OPENING, SPARE]


def test_a_thread_that_waited_too_long_leaves_the_queue() -> None:
    line = Line(1)
    assert line.enter(OPENING, 0.0)
    begun = time.monotonic()
    assert not line.enter(OPENING, 0.1)
    assert 0.1 <= time.monotonic() - begun < 2.0
    assert line.waiting == 0
    line.leave()
    assert line.enter(OPENING, 0.0)


@given(
    room=st.integers(1, 4),
    steps=st.lists(st.sampled_from(["enter", "leave", "grow", "shrink"]), max_size=60),
)
def test_no_more_are_inside_than_there_is_room_for(room: int, steps: list[str]) -> None:
    line, inside = Line(room), 0
    for step in steps:
        if step == "enter":
            came = line.enter(OPENING, 0.0)
            assert came == (inside < room)
            inside += came
        elif step == "leave" and inside:
            line.leave()
            inside -= 1
        elif step in ("grow", "shrink"):
            room = max(1, room + (1 if step == "grow" else -1))
            line.resize(room)
        assert line.taken == inside


def test_a_place_is_given_back_once() -> None:
    line = Line(2)
    assert line.enter(OPENING, 0.0)
    assert line.enter(OPENING, 0.0)
    place = Place(line)
    place.leave()
    place.leave()
    assert line.taken == 1


# Width


@given(
    most=st.integers(1, 64),
    events=st.lists(st.tuples(st.booleans(), st.floats(0.001, 100.0)), max_size=80),
)
def test_the_width_stays_between_one_and_the_hard_cap(
    most: int, events: list[tuple[bool, float]]
) -> None:
    width, now = Width(most), 0.0
    for good, seconds in events:
        (width.succeeded if good else width.failed)(now, now + seconds)
        now += seconds
        assert 1 <= width.slots <= most


def test_steady_starts_bring_the_width_to_its_cap() -> None:
    width = Width(4)
    assert width.slots == 2
    for turn in range(2):
        width.succeeded(turn, turn + 0.2)
    assert width.slots == 4


def test_slow_starts_halve_the_width_once_for_all_that_were_under_way() -> None:
    width = Width(32)
    for turn in range(40):
        width.succeeded(turn, turn + 0.1)
    assert width.slots == 32
    for late in range(10):  # begun together
        width.succeeded(50.0, 50.0 + 0.2 * SLOW + late)
    assert width.slots == 16
    width.succeeded(70.0, 70.0 + 1.0 * SLOW)
    assert width.slots == 16, "slowness alone does not bring it below its start"
    width.failed(80.0, 81.0)
    width.failed(90.0, 91.0)
    assert width.slots == 4


def test_after_a_cut_the_width_grows_by_one_in_a_round() -> None:
    width = Width(8)
    for turn in range(8):
        width.succeeded(turn, turn + 0.1)
    width.failed(10.0, 10.1)
    assert width.slots == 4
    for turn in range(5):
        width.succeeded(20.0 + turn, 20.1 + turn)
    assert width.slots == 5


# Rest after failures


def test_three_failures_in_a_row_make_the_engine_rest_and_one_attempt_ends_it() -> None:
    breaker = Breaker()
    for turn in range(3):
        assert breaker.passes(turn)
        breaker.failed(turn, turn + 0.5, "no")
    assert not breaker.passes(2.6)
    assert breaker.rest(2.5) == Breaker.PAUSE
    later = 2.5 + Breaker.PAUSE
    assert breaker.passes(later)
    assert breaker.probe(later)
    assert not breaker.passes(later), "one attempt at a time"
    breaker.succeeded()
    assert breaker.passes(later)
    assert not breaker.probe(later)


def test_each_failed_attempt_doubles_the_rest() -> None:
    breaker, now, rests = Breaker(), 0.0, []
    for _ in range(8):
        breaker.failed(now, now, "no")
        rests.append(breaker.rest(now))
        now += 1.0 + rests[-1]
    assert rests == [0, 0, 3, 6, 12, 24, 24, 24]


def test_failures_that_were_under_way_together_count_as_one() -> None:
    breaker = Breaker()
    for _ in range(256):
        breaker.failed(1.0, 2.0, "the zygote was killed")
    assert breaker.passes(2.1)


def test_a_success_between_failures_keeps_the_engine_going() -> None:
    breaker = Breaker()
    for turn in range(20):
        breaker.failed(turn, turn + 0.1, "no")
        breaker.failed(turn + 0.2, turn + 0.3, "no")
        breaker.succeeded()
        assert breaker.passes(turn + 0.4)


# Admission


def admission(creators: int = 4, live: int = 100, patience: float = 30.0) -> Admission:
    return Admission("the engine", Bounds(creators, live, patience))


def test_no_more_than_the_cap_start_at_once_and_all_get_their_turn() -> None:
    door, lock = admission(), threading.Lock()
    now, most, done = 0, 0, 0

    def come() -> None:
        nonlocal now, most, done
        with door.start() as place:
            with lock:
                now += 1
                most = max(most, now)
            time.sleep(0.002)
            with lock:
                now -= 1
                done += 1
        place.leave()

    for thread in run(*[come] * 64):
        thread.join(30)
    assert (done, most) == (64, 4)
    assert (door.live.taken, door.slots.taken, door.queued) == (0, 0, 0)


def test_a_full_house_is_an_error_after_the_deadline_and_says_what_to_do() -> None:
    door = admission(live=1, patience=0.1)
    with door.start() as place:
        pass
    message = r"1 of at most 1 machines live.*Close environments"
    with pytest.raises(SandboxError, match=message), door.start():
        raise AssertionError
    with door.removal():  # still goes on
        place.leave()
    with door.start():
        pass


def test_the_last_place_is_never_used_for_a_spare() -> None:
    door = admission(live=1)
    with door.start():
        pass
    begun = time.monotonic()
    with pytest.raises(SandboxError, match="no room"), door.start(spare=True):
        raise AssertionError
    assert time.monotonic() - begun < 1.0


def test_a_failed_start_gives_its_place_back() -> None:
    door = admission()
    with pytest.raises(SandboxError, match="boom"), door.start():
        raise SandboxError("boom")
    assert (door.live.taken, door.slots.taken) == (0, 0)


def test_waiting_for_a_turn_has_an_end() -> None:
    door, hold = admission(creators=1, patience=0.2), threading.Event()

    def stay() -> None:
        with door.start():
            hold.wait(30)

    (thread,) = run(stay)
    until(lambda: door.slots.taken == 1)
    with pytest.raises(SandboxError, match=r"no turn in 0\.2 s"), door.start():
        raise AssertionError
    assert door.live.taken == 1
    hold.set()
    thread.join(30)


def fail(door: Admission, error: Exception) -> None:
    with pytest.raises(SandboxError), door.start():
        raise error


def test_an_engine_that_failed_three_times_is_left_alone_and_then_tried_once() -> None:
    clock = Clock()
    door = Admission("the engine", Bounds(4, 100), clock=clock)
    for _ in range(3):
        fail(door, SandboxError("cannot fork\nmore"))
        clock.now += 0.1
    message = r"failed 3 times in a row.*2\.9 s.*cannot fork$"
    with pytest.raises(SandboxError, match=message), door.start():
        raise AssertionError
    assert door.resting() == pytest.approx(2.9)
    with door.removal():  # machines can still be removed
        pass
    clock.now += 3.0
    assert door.resting() == 0.0
    under_way = pytest.raises(SandboxError, match="attempt that is under way")
    with door.start(), under_way, door.start():
        raise AssertionError
    with door.start(), door.start():
        pass


def test_waiting_threads_get_the_error_at_once_when_the_engine_fails() -> None:
    door, begun = admission(creators=1), time.monotonic()
    messages: list[str] = []

    def come() -> None:
        try:
            with door.start():
                time.sleep(0.01)
                raise SandboxError("it hangs")
        except SandboxError as error:
            messages.append(str(error))

    for thread in run(*[come] * 50):
        thread.join(30)
    assert time.monotonic() - begun < Breaker.PAUSE
    assert messages.count("it hangs") == 3
    assert sum("rests" in text for text in messages) == 47


@pytest.mark.parametrize("kind", ["image", "request", "interrupt"])
def test_what_is_not_the_engines_fault_does_not_make_it_rest(kind: str) -> None:
    class Refused(Exception):
        status_code = 400

    door = admission()
    for _ in range(10):
        if kind == "interrupt":
            with pytest.raises(KeyboardInterrupt), door.start():
                raise KeyboardInterrupt
        elif kind == "image":
            fail(door, ImageError("absent"))
        else:
            error = SandboxError("refused")
            error.__cause__ = Refused()
            fail(door, error)
    with door.start():
        pass
    assert door.width == 4 or door.width == 3


def test_native_machines_hold_a_place_until_they_are_frozen_or_closed(
    native_backend: Backend,
) -> None:
    assert isinstance(native_backend, NativeBackend)
    line = native_backend._admission.live
    before = line.taken
    opened = [native_backend.open("host") for _ in range(3)]
    assert line.taken == before + 3
    opened[0].freeze()
    assert line.taken == before + 2
    for sandbox in opened:
        sandbox.close()
        sandbox.close()
    assert line.taken == before
    assert native_backend._admission.slots.taken == 0


def test_nobody_makes_a_spare_with_an_engine_that_failed_until_an_opening_succeeds() -> None:
    clock = Clock()
    door = Admission("the engine", Bounds(4, 100), clock=clock)
    for _ in range(3):
        fail(door, SandboxError("no"))
        clock.now += 5.0
    assert door.resting() == 0.0
    with pytest.raises(SandboxError, match="spares wait"), door.start(spare=True):
        raise AssertionError
    with door.start():
        pass
    assert door.healthy
    with door.start(spare=True):
        pass
