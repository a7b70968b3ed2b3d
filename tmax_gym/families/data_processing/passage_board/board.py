"""Contract, feed and reference boards of the passage-board family, as text."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

CONTRACT = {
    "head": """\
# Passages

A passage is one item that goes by: it has a tick (a whole number, 0 or more) and a class, one of
@kinds.

The board listens on port @port of 127.0.0.1: HTTP/1.1, JSON bodies
(`Content-Type: application/json`).

- `GET /counts?from=a&to=b`: status 200 and `{"counts": {...}, "total": n}`, the passages with
  a <= tick < b. `counts` has all classes, those without a passage with 0.
- Any other path: status 404 and `{"error": "not found"}`.
""",
    "busiest": """\
- `GET /busiest?width=w`: status 200 and `{"from": t, "total": n}`: of all windows t <= tick < t + w
  that begin with the tick of a passage, the one with most passages; of several, the earliest.
""",
    "series": """\
- `GET /series?size=s`: status 200 and `{"series": [...]}`, the number of passages with
  0 <= tick < s, s <= tick < 2 * s and so on, up to the stretch of the last passage.
""",
    "errors": """\
- Status 400 and `{"error": "invalid"}` where a parameter is missing or is not made of the digits 0
  to 9 alone, where `to` is below `from`, and where `width` or `size` is 0.
""",
    "feed": """\

## The feed

`python3 @feed` serves the passages on port @source of 127.0.0.1: `GET /passages?after=n`
answers `{"passages": [[id, tick, class], ...], "after": m}`, at most @page records. Begin with
`after=0`; with `after=m` the next records come. An empty list says that there are no more.
Ticks are not always in order.
""",
    "twice": """\
The feed delivers a record at least once: the same id may come again, and counts once.
""",
    "flaky": """\
The feed refuses every new `after` once, with status 503; asked again, it answers.
""",
    "withdrawn": """\
A record whose class is `null` withdraws the passage of that id, which came before: it does not
count.
""",
    "live": """\
The feed goes on: after `POST /advance` it has more records, behind those that it had. Each answer
of the board covers all records that the feed has when the board is asked.
""",
    "film": """\

## The film

A camera above a belt took @film: AVI, not compressed, 8 bits a pixel (gray), @wide pixels wide. The
first frame is tick 0, the second one tick 1, and so on. The belt is dark, at a level of about
@dark; items are rectangles of one level each, and @classes has the level of every class. All levels
are off by @noise at most. Items come from the left, go to the right or stand still, and never
touch.

An item passes in the first frame in which it covers a pixel of column x = @line; the leftmost
column is x = 0.
""",
    "lanes": """\
There are two lanes, the upper @lane rows and the lower @lane rows, and each moves by itself.
""",
}
FEED = program_text(__package__, "feed.py")
FROM_FEED = program_text(__package__, "from_feed.py")
FROM_FILM = program_text(__package__, "from_film.py")
LISTS = program_text(__package__, "lists.py")
TABLES = program_text(__package__, "tables.py")
BOARD = program_text(__package__, "board.py")
