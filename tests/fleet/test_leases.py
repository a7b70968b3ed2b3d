"""The book of leases: one result for each work, whoever dies."""

import pytest

from tests.support.fleet_jobs import works
from tmax_gym.errors import FleetError
from tmax_gym.fleet.leases import MEMORY, LeaseBook


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def book():
    with LeaseBook(MEMORY, job="j") as opened:
        yield opened


def leased(book, node="n1"):
    (work,) = works(1)
    assert book.known(work.key) is None
    return book.lease(work, node)


def test_a_result_is_known_afterwards(book):
    assert book.finish(leased(book), "0.5")
    assert book.known("w000") == "0.5"


def test_a_result_under_a_void_lease_is_discarded(book):
    first = leased(book)
    book.lose(first, "node n1 was lost")
    second = book.lease(first.work, "n2")
    assert not book.finish(first, "late")
    assert book.known("w000") is None
    assert book.finish(second, "0.5")
    assert book.known("w000") == "0.5"


def test_a_second_result_is_discarded(book):
    lease = leased(book)
    assert book.finish(lease, "first")
    assert not book.finish(lease, "second")
    assert book.known("w000") == "first"


def test_losses_are_counted_by_work(book):
    counts = [book.lose(leased(book), "lost") for _ in range(3)]
    assert counts == [1, 2, 3]


def test_a_lease_is_overdue_after_the_time_of_its_work():
    clock = Clock()
    with LeaseBook(MEMORY, job="j", clock=clock) as book:
        (work,) = works(1, seconds=10.0)
        book.known(work.key)
        lease = book.lease(work, "n1")
        clock.now += 9.0
        assert book.overdue() == ()
        clock.now += 2.0
        assert book.overdue() == (lease.number,)
        book.lose(lease, "late")
        assert book.overdue() == ()


def test_another_driver_goes_on_from_the_file_and_voids_what_was_leased(tmp_path):
    file = tmp_path / "leases.sqlite"
    one, two = works(2)
    with LeaseBook(file, job="j") as book:
        for work in (one, two):
            book.known(work.key)
        book.finish(book.lease(one, "n1"), "done")
        old = book.lease(two, "n1")
    with LeaseBook(file, job="j") as book:
        assert book.known(one.key) == "done"
        assert not book.finish(old, "of the dead driver")
        new = book.lease(two, "n2")
        assert new.number > old.number
        endings = [(key, node, ended) for _, key, node, ended in book.leases()]
        assert endings == [
            ("w000", "n1", "done"), ("w001", "n1", "driver ended"), ("w001", "n2", None)
        ]  # fmt: skip


def test_the_file_of_another_job_is_refused(tmp_path):
    LeaseBook(tmp_path / "leases.sqlite", job="j").close()
    with pytest.raises(FleetError, match="other settings"):
        LeaseBook(tmp_path / "leases.sqlite", job="k")


def test_a_file_that_another_driver_uses_is_refused(tmp_path):
    with (
        LeaseBook(tmp_path / "leases.sqlite", job="j"),
        pytest.raises(FleetError, match="Another driver"),
    ):
        LeaseBook(tmp_path / "leases.sqlite", job="j")


def test_a_file_that_is_no_book_is_refused(tmp_path):
    (tmp_path / "leases.sqlite").write_bytes(b"text " * 1000)
    with pytest.raises(FleetError, match="cannot be used"):
        LeaseBook(tmp_path / "leases.sqlite", job="j")
