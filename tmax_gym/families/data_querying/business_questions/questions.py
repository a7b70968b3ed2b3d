"""The questions of the business-questions family: text, SQL, wrong SQL, and the right answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A row of `places`."""

    id: int
    name: str
    region: str | None


@dataclass(frozen=True, slots=True)
class Record:
    """A row of the main table."""

    id: int
    place_id: int
    day: str
    amount: int | None
    state: str


@dataclass(frozen=True, slots=True)
class Store:
    """All rows."""

    places: tuple[Place, ...]
    records: tuple[Record, ...]
    tags: tuple[tuple[int | None, str], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """Expected header and rows, in order."""

    header: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One question."""

    id: str
    text: str
    """What is asked, with {records} for the main table and {cutoff} for the limit."""
    noun: str
    """What one row of the answer is, in the plural, if the answer is a product."""
    header: tuple[str, ...]
    sql: str
    wrong: Mapping[str, str]
    """Plausible wrong queries by the name of their mistake."""
    compute: Callable[[Store, int], list[tuple[object, ...]]]

    def answer(self, store: Store, cutoff: int) -> Answer:
        """Return the expected answer."""
        return Answer(self.header, tuple(self.compute(store, cutoff)))


def _totals(store: Store, cutoff: int) -> list[tuple[object, ...]]:
    total = {p.id: 0 for p in store.places}
    for r in store.records:
        if r.state == "closed":
            total[r.place_id] += r.amount or 0
    rows = [(p.name, total[p.id]) for p in store.places]
    return [*sorted(rows, key=lambda row: (-row[1], row[0].encode()))]


def _regions(store: Store, cutoff: int) -> list[tuple[object, ...]]:
    tagged = {record for record, _ in store.tags if record is not None}
    region = {p.id: p.region or "unknown" for p in store.places}
    count: dict[str, int] = defaultdict(int)
    for r in store.records:
        if r.id in tagged:
            count[region[r.place_id]] += 1
    return [(name, count[name]) for name in sorted(count)]


def _untagged(store: Store, cutoff: int) -> list[tuple[object, ...]]:
    urgent = {record for record, tag in store.tags if tag == "urgent"}
    count: dict[str, int] = defaultdict(int)
    for r in store.records:
        if r.id not in urgent:
            count[r.state] += 1
    return [(state, count[state]) for state in sorted(count)]


def _months(store: Store, cutoff: int) -> list[tuple[object, ...]]:
    best: dict[str, Record] = {}
    for r in sorted(store.records, key=lambda r: r.id):
        month = r.day[:7]
        if r.amount is None:
            continue
        if month not in best or r.amount > (best[month].amount or 0):
            best[month] = r
    return [(month, best[month].id, best[month].amount) for month in sorted(best)]


def _above(store: Store, cutoff: int) -> list[tuple[object, ...]]:
    rows = []
    for p in store.places:
        amounts = [r.amount or 0 for r in store.records if r.place_id == p.id]
        large = sum(a > cutoff for a in amounts)
        rows.append((p.name, len(amounts), large))
    return [*sorted(rows, key=lambda row: row[0].encode())]


QUESTIONS = (
    Question(
        "totals",
        "the total `amount` of the `{records}` rows with the `state` `closed` for every place, "
        "given by its `name`. A missing amount counts as 0, and so does a place without such rows. "
        "Put the largest total first, and sort equal totals by name in byte order.",
        "places",
        ("place", "total"),
        "SELECT p.name AS place, COALESCE(SUM(r.amount), 0) AS total FROM places p "
        "LEFT JOIN @records r ON r.place_id = p.id AND r.state = 'closed' "
        "GROUP BY p.id ORDER BY total DESC, p.name",
        {
            "inner join": "SELECT p.name AS place, COALESCE(SUM(r.amount), 0) AS total "
            "FROM places p JOIN @records r ON r.place_id = p.id AND r.state = 'closed' "
            "GROUP BY p.id ORDER BY total DESC, p.name",
            "all states": "SELECT p.name AS place, COALESCE(SUM(r.amount), 0) AS total "
            "FROM places p LEFT JOIN @records r ON r.place_id = p.id "
            "GROUP BY p.id ORDER BY total DESC, p.name",
            "smallest first": "SELECT p.name AS place, COALESCE(SUM(r.amount), 0) AS total "
            "FROM places p LEFT JOIN @records r ON r.place_id = p.id AND r.state = 'closed' "
            "GROUP BY p.id ORDER BY total, p.name",
        },
        _totals,
    ),
    Question(
        "regions",
        "how many `{records}` rows have at least one tag, for each `region` of their place. Each "
        "row counts once, however many tags it has. If the region is missing, call it `unknown`. "
        "Leave out regions without such rows, and sort by region.",
        "",
        ("region", "tagged"),
        "SELECT COALESCE(p.region, 'unknown') AS region, COUNT(DISTINCT r.id) AS tagged "
        "FROM @records r JOIN places p ON p.id = r.place_id JOIN tags t ON t.record_id = r.id "
        "GROUP BY 1 ORDER BY 1",
        {
            "fan-out": "SELECT COALESCE(p.region, 'unknown') AS region, COUNT(r.id) AS tagged "
            "FROM @records r JOIN places p ON p.id = r.place_id JOIN tags t ON "
            "t.record_id = r.id GROUP BY 1 ORDER BY 1",
            "missing region": "SELECT p.region AS region, COUNT(DISTINCT r.id) AS tagged "
            "FROM @records r JOIN places p ON p.id = r.place_id JOIN tags t ON "
            "t.record_id = r.id WHERE p.region IS NOT NULL GROUP BY 1 ORDER BY 1",
            "tagged or not": "SELECT COALESCE(p.region, 'unknown') AS region, "
            "COUNT(DISTINCT r.id) AS tagged FROM @records r JOIN places p ON "
            "p.id = r.place_id GROUP BY 1 ORDER BY 1",
        },
        _regions,
    ),
    Question(
        "untagged",
        "how many `{records}` rows do not have the tag `urgent`, for each `state`. Leave out "
        "states without such rows, and sort by state.",
        "",
        ("state", "records"),
        "SELECT r.state AS state, COUNT(*) AS records FROM @records r WHERE NOT EXISTS "
        "(SELECT 1 FROM tags t WHERE t.record_id = r.id AND t.tag = 'urgent') "
        "GROUP BY 1 ORDER BY 1",
        {
            "not in a set with NULL": "SELECT r.state AS state, COUNT(*) AS records "
            "FROM @records r WHERE r.id NOT IN (SELECT record_id FROM tags WHERE "
            "tag = 'urgent') GROUP BY 1 ORDER BY 1",
            "another tag will do": "SELECT r.state AS state, COUNT(DISTINCT r.id) AS records "
            "FROM @records r JOIN tags t ON t.record_id = r.id WHERE t.tag <> 'urgent' "
            "GROUP BY 1 ORDER BY 1",
            "every one": "SELECT r.state AS state, COUNT(*) AS records FROM @records r "
            "GROUP BY 1 ORDER BY 1",
        },
        _untagged,
    ),
    Question(
        "months",
        "for each month, written as `YYYY-MM`, the `id` and `amount` of the `{records}` row with "
        "the largest amount. If several rows of the month have it, take the lowest `id`. Rows "
        "without an amount do not count. Sort by month.",
        "months",
        ("month", "id", "amount"),
        "SELECT substr(day, 1, 7) AS month, id, amount FROM (SELECT *, ROW_NUMBER() OVER "
        "(PARTITION BY substr(day, 1, 7) ORDER BY amount DESC, id) AS n FROM @records "
        "WHERE amount IS NOT NULL) WHERE n = 1 ORDER BY 1",
        {
            "highest id": "SELECT substr(day, 1, 7) AS month, id, amount FROM (SELECT *, "
            "ROW_NUMBER() OVER (PARTITION BY substr(day, 1, 7) ORDER BY amount DESC, id DESC) "
            "AS n FROM @records) WHERE n = 1 ORDER BY 1",
            "all ties": "SELECT substr(day, 1, 7) AS month, id, amount FROM (SELECT *, RANK() "
            "OVER (PARTITION BY substr(day, 1, 7) ORDER BY amount DESC) AS n FROM @records) "
            "WHERE n = 1 ORDER BY 1",
            "smallest": "SELECT substr(day, 1, 7) AS month, id, amount FROM (SELECT *, "
            "ROW_NUMBER() OVER (PARTITION BY substr(day, 1, 7) ORDER BY amount, id) AS n "
            "FROM @records) WHERE n = 1 ORDER BY 1",
        },
        _months,
    ),
    Question(
        "above",
        "for every place, given by its `name`, the number of its `{records}` rows, and how many of "
        "them have an `amount` above {cutoff}. Places without rows are listed too, and a missing "
        "amount is not above anything. Sort by name in byte order.",
        "places",
        ("place", "records", "above"),
        "SELECT p.name AS place, COUNT(r.id) AS records, COALESCE(SUM(r.amount > @cutoff), 0) "
        "AS above FROM places p LEFT JOIN @records r ON r.place_id = p.id "
        "GROUP BY p.id ORDER BY p.name",
        {
            "at least": "SELECT p.name AS place, COUNT(*) AS records, "
            "COALESCE(SUM(r.amount >= @cutoff), 0) AS above FROM places p LEFT JOIN @records r "
            "ON r.place_id = p.id GROUP BY p.id ORDER BY p.name",
            "empty places dropped": "SELECT p.name AS place, COUNT(r.id) AS records, "
            "COALESCE(SUM(r.amount > @cutoff), 0) AS above FROM places p JOIN @records r "
            "ON r.place_id = p.id GROUP BY p.id ORDER BY p.name",
            "missing amounts dropped": "SELECT p.name AS place, COUNT(r.amount) AS records, "
            "COALESCE(SUM(r.amount > @cutoff), 0) AS above FROM places p LEFT JOIN @records r "
            "ON r.place_id = p.id GROUP BY p.id ORDER BY p.name",
        },
        _above,
    ),
)
