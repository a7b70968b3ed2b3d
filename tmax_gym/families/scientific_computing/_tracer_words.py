"""What the tracer-video family says."""

from __future__ import annotations

from tmax_gym.words.clauses import Clause

GOAL = (
    "{film} {shows|is a film of} bright tracers {drifting|that drift} {in|through} a {flow|slow "
    "flow}. {Track|Follow} them: places and velocities {to|into} {tracks}, {a summary|the "
    "summary} to {summary}.",
    "We {filmed|recorded} tracers in a tank ({film}). {Measure|Find} how {each|every one} "
    "{moves|travels}, {in|as} {tracks}, and {sum it up|report the rest} in {summary}.",
    "{From|Out of} the {recording|film} {film}, {get|extract} the {path|motion} of every tracer "
    "as {tracks} {and|plus} a {short|small} report, {summary}.",
    "{Nothing|No table} {was|has been} {written down|kept} of this run but its film {film}: "
    "{make|derive} {tracks}, {a|one} row {a|per} tracer, and {summary} {from|out of} it.",
    "{Velocimetry|Particle tracking}, please: {film} {has|contains} the {frames|pictures}, "
    "{tracks} {takes|gets} one row per tracer, {summary} the {totals|rest}.",
    "The {spots|tracers} in {film} {each|all} move {steadily|evenly}; {determine|work out} "
    "{from where|where from} and how fast, {for|as} {tracks}, and {add|write} {summary}.",
)
MOTION = (
    "{Each|Every} tracer {keeps|has} {its own|a} constant velocity and {stays|remains} {visible|in "
    "sight|in the picture}; no two {touch|meet|come close}.",
    "{Velocities|The velocities} {differ|are different} but {stay|are|remain} constant, {none|no "
    "tracer} leaves the picture and {none|no two} {come close|meet|touch}.",
    "{Motion|Movement} is {straight|along straight lines} at constant speed, tracers {never|do "
    "not} {meet|overlap|touch}, {all|and all} are {there|visible|in sight} from first to last "
    "frame.",
    "{All|The} tracers are {in|within} the picture {throughout|all the time|in every frame}, "
    "{apart|well apart|clear} of each other, {each|every one} at {a|its own} {constant|steady} "
    "velocity.",
    "A tracer {goes|runs|travels} {straight on|in a straight line} without {speeding up|change of "
    "speed|accelerating}; they {keep|stay} {clear|away} of each other and {of|out of} the "
    "{edges|borders}.",
    "{Expect|You will see} no {collisions|contact|meetings} and no tracers that {leave|vanish}, "
    "{only|just} constant velocities, one {each|apiece|for each}.",
    "{Speed|The speed} and direction of {a|each} tracer {do not change|stay the same|are "
    "constant}; {nothing|none} {leaves|goes out of} the picture, {none|no tracer} {meets|touches} "
    "another.",
)
_FILM = (
    "the film is {uncompressed|raw|plain} AVI {with|of|at} {fps} frames {a|per} second",
    "{frames|its frames}, in {raw|uncompressed|plain} AVI, {follow|come} at {fps} {a|per} second",
    "{fps} frames {make|last} {a|one} second of this {uncompressed|raw|plain} AVI",
    "{the AVI|the recording, AVI,} is {uncompressed|raw} and {runs|was taken} at {fps} frames "
    "{a|per} second",
)
_AXES = (
    "x {grows|counts|goes} {to the right|rightwards}, y {down|downwards}, {in|measured in} pixels, "
    "{from|beginning with} (0, 0) {at|in} the {centre|middle} of the upper left pixel",
    "{coordinates|places} are {in |}pixels{ from the {centre|middle} of the {upper|top} left pixel"
    ", which is (0, 0): x| with (0, 0) {at|in} the {centre|middle} of the {upper|top} left one, x} "
    "{right|to the right}, y {down|downwards}",
    "{the origin|(0, 0)} {is|lies at} the {centre|middle} of the {top|upper} left pixel, "
    "{with|and} x {growing|counted} {rightwards|to the right} and y {down|downwards} in pixels",
    "{in|by} pixels {count|measure} x {rightwards|to the right} and y {down|downwards}, {zero|both "
    "from zero} {in|at} the {centre|middle} of the {top|upper} left pixel",
    "{take|use} {one pixel|the pixel} as {unit|the unit}: x {to the right|rightwards}, y {down|"
    "downwards}, {starting|counted} from the {centre|middle} of the {upper|top} left pixel",
)
_TOP = (
    "{tracks} {is CSV|is a CSV table} {under|with} the {header|first line} {header}",
    "{header} {heads|is the header of|is the first line of} {tracks}, a CSV {file|table}",
    "{write|make} {tracks} as CSV {with|under} the {header|first line} {header}",
    "{tracks} {begins|starts} with {header} and is CSV",
)
_ROW = (
    "{one|a} row {a|per|for each} tracer, {sorted|ordered} by x, {gives|has} its place in the "
    "{first|opening} frame and its velocity in pixels {a|per} second",
    "{rows|the rows} {are|stand} {in order of|by} x: {place|the place} in the {first|opening} "
    "frame, {then|after it} {velocity|the velocity}, pixels {a|per} second",
    "{list|give} {every tracer|each tracer}, {smallest|lowest} x first, {with|by} {place|its "
    "place} {at the start|in the first frame} and {velocity|its velocity} {as|in} pixels {a|per} "
    "second",
    "{places|the places} are those {in|of} the {first|opening} frame, velocities {are in|count in} "
    "pixels {a|per} second, {rows|tracers} {ascend|rise} by x",
)
_NEAR = (
    "{errors|deviations} {up to|of at most} {px} pixels in place and {pc} of the speed in velocity "
    "are {fine|tolerated|accepted}",
    "{whatever|what} is within {px} pixels ({place|places}) and {pc} of the speed "
    "({velocity|velocities}) {is right|counts as right}",
    "{allowed|tolerated} are {px} pixels for {a|the} place{,| and} {pc} of the speed for {a|the} "
    "velocity",
    "{a place|places} may be {px} pixels off, {a velocity|velocities} {pc} of the speed",
    "{tolerance|the tolerance}: {pc} of the speed for velocities, {px} pixels for places",
)
_OBJECT = (
    "{summary} is {a|one} JSON object",
    "{summary} {holds|contains} {one|a} JSON object",
    "{put|write} {a|one} JSON object {into|in} {summary}",
    "make {summary} {a|one} JSON object",
)
_KEYS = (
    "{tracers} {is|gives|tells} the {number|count} of {them|all tracers|rows}, {fastest} the "
    "{row|number of the row} of the fastest, {counting from 1|from 1|the first being 1}",
    "{tracers} {says|tells} how many {there are|tracers there are}, {fastest} {in which|which} row "
    "{has|holds} the {highest|greatest|top} speed, {from 1|1 for the first|starting at 1}",
    "{fastest} {is|names} the row, 1 {for|meaning|being} the first, of {the quickest|the fastest|"
    "whichever moves fastest}, {tracers} the {number|count} of {all|rows}",
    "{under|as} {fastest} {goes|comes|stands} the {1-based row|row, counted from 1,} with the "
    "{highest|greatest|top} speed, {under|as} {tracers} {how many there are|the number of them|the "
    "count of rows}",
)


def _woven(*parts: tuple[str, ...], marks: str) -> str:
    """Return a frame of phrases, of which each is one of several."""
    said = ["{" + "|".join(part) + "}" for part in parts]
    return "".join(a + b for a, b in zip(said, [f"{m} " for m in marks] + ["."], strict=True))


FRAME = tuple(
    _woven(*parts, marks=mark) for parts in ((_FILM, _AXES), (_AXES, _FILM)) for mark in ".;"
)
TABLE = tuple(
    _woven(*parts, marks=marks)
    for parts in (
        (_TOP, _ROW, _NEAR),
        (_ROW, _NEAR, _TOP),
        (_TOP, _NEAR, _ROW),
        (_NEAR, _TOP, _ROW),
    )
    for marks in (".;", ";.")
)
SUMMARY = (_woven(_OBJECT, _KEYS, marks=":"), _woven(_OBJECT, _KEYS, marks="."))
DRIFT = (
    "{Add|Also put} {drift} there, the mean {velocity|of the velocities} as {a list|list} of "
    "{its|the} x and y {component|part}.",
    "{Besides|Also}, {drift} {lists|holds} vx and vy {averaged|as means} over {all|the} tracers.",
    "{There|In it} also {goes|belongs} {drift}, [mean vx, mean vy] {over|of} {all|the} rows.",
    "A {third|further} key, {drift}, {is|has} the list of {mean|average} vx and {mean|average} vy.",
    "{Average|Take the mean of} the velocities {too|as well}: {drift} {is|becomes} {the list|a "
    "list of} mean vx and mean vy.",
    "{Finally|Then} {drift}, {a|the} list {of|with} two {means|averages}, {of|over} vx and "
    "{of|over} vy.",
)


def say(*, film: str, tracks: str, summary: str, fps: int, drift: bool) -> tuple[Clause, ...]:
    """Return the clauses."""
    keys = {"tracers": "`tracers`", "fastest": "`fastest`"}
    made = [
        Clause(
            "goal", GOAL, facts={"film": film, "tracks": tracks, "summary": summary}, role="goal"
        ),
        Clause("motion", MOTION, role="input"),
        Clause("frame", FRAME, facts={"fps": str(fps)}, role="input"),
        Clause(
            "table",
            TABLE,
            facts={"tracks": tracks, "header": "`x,y,vx,vy`", "px": "0.3", "pc": "5 %"},
            role="format",
        ),
        Clause("summary", SUMMARY, facts={"summary": summary, **keys}, role="format"),
    ]
    if drift:
        made.append(Clause("drift", DRIFT, facts={"drift": "`drift`"}, role="format"))
    return tuple(made)
