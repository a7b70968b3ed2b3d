"""The one tolerance: what may differ in two files that say the same, and what may not."""

from __future__ import annotations

import contextlib
import itertools
import json

import pytest

from tests.support.memory_evidence import MemoryEvidence, holding
from tmax_gym.checks import exact, tolerance
from tmax_gym.checks.check import BadOutput, Case, Outcome, Program, fuzz_equivalence
from tmax_gym.families.shared import marks
from tmax_gym.nodes import Node, directory, link, text

TABLE = [("a", "12", "0.50", "007"), ("b", "-3", "2.00", "120")]
HEADER = ("name", "count", "price", "code")
PLAIN = "name,count,price,code\na,12,0.50,007\nb,-3,2.00,120\n"


def table(body: str | bytes) -> float:
    return exact.rows("r", "/app/t.csv", TABLE, header=HEADER).score(holding(t__csv=body))


@pytest.mark.parametrize(
    "body",
    [
        PLAIN.replace("\n", "\r\n"),
        PLAIN.rstrip("\n"),
        "\ufeff" + PLAIN,
        '"name","count","price","code"\n"a","12","0.50","007"\n"b","-3","2.00","120"\n',
        'name, "count", price, code\na , 12, "0.50", 007\nb, -3, 2.00,120\n',
        PLAIN + "\n  \n\n",
        PLAIN.replace(",12,", ",12.0,").replace(",-3,", ",-3e0,"),
        PLAIN.replace(",12,", ",+12,"),
        PLAIN.replace(",12,", ",1.2e1,"),
    ],
)
def test_a_table_that_says_the_same_earns_the_same(body: str) -> None:
    assert table(body) == 1.0


@pytest.mark.parametrize(
    "body",
    [
        PLAIN.replace("0.50", "0.5"),  # decimals, which such a task states
        PLAIN.replace("007", "7"),  # a width, likewise
        PLAIN.replace(",120", ",0120"),
        PLAIN.replace(",12,", ",012,"),
        PLAIN.replace(",12,", ",13,"),
        PLAIN.replace(",12,", ",12.5,"),
        PLAIN.replace(",12,", ",1_2,"),
        PLAIN.replace(",12,", ",١٢,"),
        PLAIN.replace(",12,", ',"1 2",'),
        PLAIN + "b,-3,2.00,120\n",
        PLAIN.replace("b,-3", "B,-3"),
        PLAIN.replace(",", ";"),
    ],
)
def test_a_table_that_says_something_else_earns_less(body: str) -> None:
    with contextlib.suppress(BadOutput):
        assert table(body) < 1.0


def test_a_cell_may_hold_commas_quotes_and_line_ends() -> None:
    wanted = [('a "b", c', "d\ne")]
    check = exact.rows("r", "/app/t.csv", wanted, header=("x", "y"))
    assert check.score(holding(t__csv='x,y\r\n"a ""b"", c","d\r\ne"\r\n')) == 1.0


def test_lines_of_a_csv_file_are_rows() -> None:
    check = exact.lines("l", "/app/sites.csv", ["A-1,north", "A-2,south"])
    assert check.score(holding(sites__csv='"A-1","north"\r\nA-2, south')) == 1.0
    assert check.score(holding(sites__csv="id,site\nA-1,north\nA-2,south\n")) < 1.0


def test_lines_of_a_plain_text_keep_their_quotes() -> None:
    check = exact.lines("l", "/app/said.txt", ["one, two", "three"])
    assert check.score(holding(said__txt="\ufeffone, two \r\nthree\r\n\r\n")) == 1.0
    assert check.score(holding(said__txt='"one, two"\nthree\n')) < 1.0


@pytest.mark.parametrize(
    ("score", "written"),
    [(1.0, w) for w in ("10", "10\n", "+10", "10.0\r\n", "1e1", "\ufeff 10")]
    + [(0.0, w) for w in ("010", "11", "10.5", "ten", "10 10", "10.", "1_0", "0x0a", "", "nan")],
)
def test_a_whole_number_may_be_written_in_any_way_without_padding(
    score: float, written: str
) -> None:
    assert exact.value("v", "/app/n.txt", "10").score(holding(n__txt=written)) == score


def test_a_number_of_a_fixed_width_keeps_it() -> None:
    check = exact.value("v", "/app/n.txt", "0316")
    assert check.score(holding(n__txt="0316")) == 1.0
    assert check.score(holding(n__txt="316")) == 0.0


WANTED = {"a": [1, 2.5], "b": "é", "c": {"x": True, "y": None}, "d": 0.3}


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(WANTED, indent=7),
        json.dumps(WANTED, separators=(",", ":"), ensure_ascii=False),
        "\ufeff" + json.dumps(WANTED).replace(" ", "\r\n"),
        json.dumps(dict(reversed(WANTED.items()))),
        json.dumps({**WANTED, "a": [1.0, 25e-1], "d": 0.1 + 0.2}),
        json.dumps({**WANTED, "more": 1}),
    ],
)
def test_json_that_says_the_same_earns_the_same(body: str) -> None:
    assert exact.fields("f", "/app/r.json", WANTED).score(holding(r__json=body)) == 1.0


@pytest.mark.parametrize(
    "change",
    [{"a": [2.5, 1]}, {"a": ["1", 2.5]}, {"a": [True, 2.5]}, {"c": {"x": 1, "y": None}},
     {"c": {"x": True}}, {"d": 0.30001}, {"b": "e"}, {"d": float("nan")}, {"d": 10**400}],
)  # fmt: skip
def test_json_that_says_something_else_earns_less(change: dict[str, object]) -> None:
    body = json.dumps({**WANTED, **change})
    assert exact.fields("f", "/app/r.json", WANTED).score(holding(r__json=body)) == 0.75


@pytest.mark.parametrize(
    "body", [b'{"a": "\\ud800"}', b"\xff\xfe{}", b'{"a": ' + b"9" * 5000 + b"}", b"{" * 10_000]
)
def test_json_that_is_no_text_is_bad_output(body: bytes) -> None:
    with pytest.raises(BadOutput):
        exact.fields("f", "/app/r.json", {"a": 1}).score(holding(r__json=body))


@pytest.mark.parametrize("cell", ["", "1e9999", "9" * 999, "inf", "nan", "0x1", "1_0", "--1"])
def test_what_is_no_number_is_bad_output(cell: str) -> None:
    with pytest.raises(BadOutput, match="no"):
        tolerance.number(cell)
    with pytest.raises(BadOutput, match="no whole number"):
        tolerance.integer(cell)


@pytest.mark.parametrize(("cell", "value"), [("2.", 2), (" .5 ", 0.5), ("-1E-0003", -0.001)])
def test_what_is_measured_may_be_written_as_programs_write_floats(cell: str, value: float) -> None:
    assert tolerance.number(cell) == value


FOREST = {
    node.path: node
    for node in (
        directory("/app"), directory("/app/out"), directory("/app/real"), directory("/etc"),
        text("/app/real/t.csv", "x"), text("/etc/shadow", "root"), text("/app/a.csv", "y"),
        link("/app/near.csv", "a.csv"), link("/app/whole.csv", "/app/real/t.csv"),
        link("/app/out/up.csv", "../real/./t.csv"), link("/app/folder", "real"),
        link("/app/two.csv", "near.csv"), link("/app/itself", "/app/itself"),
        link("/app/shadow", "/etc/shadow"), link("/app/proc", "/proc/self/environ"),
        link("/app/around", "/app/../etc/shadow"), link("/app/root", "/"),
        link("/app/gone", "nowhere"), link("/app/twin", "/application/x"),
        link("/app/long", "/".join([".."] * 400)), link("/app/odd", "\udcff\udcfe"),
    )
}  # fmt: skip


def look(path: str) -> Node | None:
    return FOREST.get(path)


@pytest.mark.parametrize(
    ("path", "end"),
    [
        ("/app/a.csv", "/app/a.csv"),
        ("/app/near.csv", "/app/a.csv"),
        ("/app/two.csv", "/app/a.csv"),
        ("/app/whole.csv", "/app/real/t.csv"),
        ("/app/out/up.csv", "/app/real/t.csv"),
        ("/app/folder/t.csv", "/app/real/t.csv"),
    ],
)
def test_a_link_below_app_is_followed(path: str, end: str) -> None:
    assert tolerance.followed(path, look) == end


@pytest.mark.parametrize(
    "path",
    ["/app/itself", "/app/shadow", "/app/proc", "/app/around", "/app/root", "/app/gone",
     "/app/twin", "/app/long", "/app/odd", "/app/nothing", "/etc/shadow", "/app/a.csv/below"],
)  # fmt: skip
def test_a_link_that_leads_out_or_round_or_nowhere_is_bad_output(path: str) -> None:
    with pytest.raises(BadOutput):
        tolerance.followed(path, look)


def test_a_chain_of_links_ends_somewhere() -> None:
    chain = {f"/app/{n}": link(f"/app/{n}", str(n + 1)) for n in range(40)}
    chain |= {"/app": directory("/app"), "/app/40": text("/app/40", "x")}
    assert tolerance.followed("/app/35", chain.get) == "/app/40"
    with pytest.raises(BadOutput, match="links"):
        tolerance.followed("/app/0", chain.get)


def printing(*outputs: bytes) -> MemoryEvidence:
    """Return evidence whose program prints these, one a run."""
    left = itertools.cycle(outputs)
    return MemoryEvidence(program=lambda _: Outcome(0, next(left)))


RUNS = [Case(stdin=b"1"), Case(stdin=b"2")]
TOOL = Program("/app/tool.py", "python")


def test_a_program_may_end_its_lines_with_crlf_or_leave_the_last_one_open() -> None:
    fuzz = fuzz_equivalence("f", TOOL, cases=RUNS, expected=[b"a,b\nc,d\n", b"e\n"])
    lines = marks.answers("a", TOOL, RUNS, expected=[["a,b", "c,d"], ["e"]])
    for check in (fuzz, lines):
        assert check.score(printing(b"a,b\r\nc,d\r\n", b"e")) == 1.0
        assert check.score(printing(b"a,b \nc,d\n", b"e")) < 1.0
        assert check.score(printing(b"a,b\n\r\nc,d\n", b"e")) < 1.0
    verdicts = marks.verdicts("v", TOOL, RUNS, wanted=[[True], [False]], words=("accept", "reject"))
    assert verdicts.score(printing(b"accept\r\n", b"reject\r\n")) == 1.0


def test_a_line_end_that_is_asked_for_counts() -> None:
    fuzz = fuzz_equivalence("f", TOOL, cases=RUNS, expected=[b"a\r\nb", b"c"])
    assert fuzz.score(printing(b"a\r\nb\r\n", b"c")) == 1.0
    assert fuzz.score(printing(b"a\nb\n", b"c")) == 0.0


@pytest.mark.parametrize(
    ("body", "wanted", "same"),
    [
        (b'\xef\xbb\xbf{"a":\r\n 1.0}', {"a": 1}, True),
        (b'{"a": [1, 2], "b": null}', {"b": None, "a": [1, 2]}, True),
        (b'{"a": 0.30000000000000004}', {"a": 0.3}, True),
        (b'{"a": true}', {"a": 1}, False),
        (b'{"a": 1, "b": 2}', {"a": 1}, False),
        (b'{"a": "1"}', {"a": 1}, False),
        (b'"\\ud800"', "x", False),
        (b"[" * 100_000, [], False),
        (b"\xff", "x", False),
        (b"", None, False),
    ],
)
def test_a_service_answers_with_a_value_not_with_bytes(
    body: bytes, wanted: object, *, same: bool
) -> None:
    assert tolerance.says(body, wanted) is same
