"""Contract, feed and reference boards of the passage-board family, as text."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

CONTRACT = {
    "head": """\
# Passages

A passage is one item going past. It has a tick, which is a whole number of at least 0, and a
class, which is one of @kinds.

The board listens on 127.0.0.1, port @port, and speaks HTTP/1.1 with JSON bodies
(`Content-Type: application/json`). The start script may return or stay in the foreground.

- `GET /counts?from=a&to=b` returns status 200 and `{"counts": {...}, "total": n}`. These are the
  numbers of passages with `a <= tick < b`, per class and in total. `counts` has every class, with
  0 for a class without passages.
""",
    "busiest": """\
- `GET /busiest?width=w` returns status 200 and `{"from": t, "total": n}`. A window
  `t <= tick < t + w` begins at the tick of a passage, and the answer is the window with the most
  passages and their number. If several windows tie, it is the earliest one.
""",
    "series": """\
- `GET /series?size=s` returns status 200 and `{"series": [...]}`. The list has the number of
  passages with `0 <= tick < s`, then with `s <= tick < 2 * s`, and so on. It ends with the interval
  that contains the highest tick of all passages.
""",
    "errors": """\
- A request gets status 400 and `{"error": "invalid"}` if a parameter is missing, is empty or
  contains anything but the digits 0 to 9, if `to` is less than `from`, or if `width` or `size`
  is 0.
""",
    "sound": """\
- You can rely on every request having all of its parameters. They are whole numbers of at least 0,
  and `to` is not less than `from`.@positive
""",
    "other": """\
- Any other path returns status 404 and `{"error": "not found"}`.
""",
    "feed": """\

## The feed

`python3 @feed` serves the passages on 127.0.0.1, port @source. `GET /passages?after=n` returns
`{"passages": [[id, tick, class], ...], "after": m}` with at most @page records. Start with
`after=0`. A request with `after=m` then returns the next records. An empty list means that there
are no more. The records are not necessarily in order of their ticks.
""",
    "twice": """\
The feed may deliver the same record more than once. Count each id only once.
""",
    "flaky": """\
The feed refuses the first request for each value of `after` with status 503. When asked again, it
answers.
""",
    "withdrawn": """\
A record with the class `null` withdraws the earlier passage with the same id, which must then no
longer be counted. A withdrawn id does not come again.
""",
    "live": """\
The feed grows: after a `POST /advance` (which the board does not send) it has more records,
which follow those that it had before. Each answer of the board must cover all records that
the feed has at the time of the request.
""",
    "film": """\

## The film

A camera above a belt recorded `@film`, an uncompressed AVI file with 8 bits per pixel (gray). It is
@wide pixels wide. The first frame is tick 0, the second is tick 1, and so on. The belt is dark,
with a gray level of about @dark. Each item is a rectangle with a single level, and `@classes` gives
the level of each class. All levels can be off by up to @noise. Items come in from the left and move
to the right or stand still. They never touch each other.

An item passes in the first frame in which it covers a pixel of the column x = @line, where the
leftmost column is x = 0. No item jumps over this column between two frames.
""",
    "lanes": """\
There are two lanes, the upper @lane rows and the lower @lane rows. They move independently of each
other.
""",
}
FEED = program_text(__package__, "feed.py")
FROM_FEED = program_text(__package__, "from_feed.py")
FROM_FILM = program_text(__package__, "from_film.py")
LISTS = program_text(__package__, "lists.py")
TABLES = program_text(__package__, "tables.py")
BOARD = program_text(__package__, "board.py")
