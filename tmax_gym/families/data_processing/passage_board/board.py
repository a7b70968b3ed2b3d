"""Contract, feed and reference boards of the passage-board family, as text."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

CONTRACT = {
    "head": """\
# Passages

A passage is one item that goes by. It has a tick, which is a whole number of at least 0, and a
class, which is one of @kinds.

The board listens on port @port of 127.0.0.1 and speaks HTTP/1.1 with JSON bodies
(`Content-Type: application/json`). The start script can return or stay in the foreground.

- `GET /counts?from=a&to=b` gets status 200 and `{"counts": {...}, "total": n}`. It counts the
  passages with a <= tick < b. `counts` has every class, with 0 for a class without a passage.
""",
    "busiest": """\
- `GET /busiest?width=w` gets status 200 and `{"from": t, "total": n}`. This is the window
  t <= tick < t + w with the most passages, where t must be the tick of a passage. If there are
  several such windows, it is the earliest one.
""",
    "series": """\
- `GET /series?size=s` gets status 200 and `{"series": [...]}`. This is the number of passages with
  0 <= tick < s, then with s <= tick < 2 * s, and so on. The list ends with the interval that has
  the last passage.
""",
    "errors": """\
- The answer is status 400 and `{"error": "invalid"}` if a parameter is missing or contains anything
  but the digits 0 to 9, if `to` is less than `from`, or if `width` or `size` is 0.
""",
    "sound": """\
- Every request has all of its parameters. They are whole numbers of at least 0, and `to` is not
  less than `from`.@positive
""",
    "other": """\
- Any other path gets status 404 and `{"error": "not found"}`.
""",
    "feed": """\

## The feed

`python3 @feed` serves the passages on port @source of 127.0.0.1. `GET /passages?after=n` gets
`{"passages": [[id, tick, class], ...], "after": m}` with at most @page records. Begin with
`after=0`. A request with `after=m` gets the next records, and an empty list means that there are
no more. The ticks are not always in order.
""",
    "twice": """\
The feed delivers every record at least once. If the same id comes again, count it only once.
""",
    "flaky": """\
The feed refuses every new value of `after` once, with status 503. If it is asked again, it answers.
""",
    "withdrawn": """\
A record with the class `null` withdraws the earlier passage with the same id, which must then not
be counted.
""",
    "live": """\
The feed goes on: after a `POST /advance` it has more records, which come after those it had before.
Each answer of the board must cover all records that the feed has at the time of the request.
""",
    "film": """\

## The film

A camera above a belt has recorded @film. It is an uncompressed AVI file with 8 bits a pixel (gray)
that is @wide pixels wide. The first frame is tick 0, the second one is tick 1, and so on. The belt
is dark, with a level of about @dark. Items are rectangles, each with a single level, and @classes
has the level of every class. All levels can be off by up to @noise. Items come in from the left and
move to the right or stand still. They never touch each other.

An item passes in the first frame in which it covers a pixel of the column x = @line, where the
leftmost column is x = 0.
""",
    "lanes": """\
There are two lanes, the upper @lane rows and the lower @lane rows, which move independently of each
other.
""",
}
FEED = program_text(__package__, "feed.py")
FROM_FEED = program_text(__package__, "from_feed.py")
FROM_FILM = program_text(__package__, "from_film.py")
LISTS = program_text(__package__, "lists.py")
TABLES = program_text(__package__, "tables.py")
BOARD = program_text(__package__, "board.py")
