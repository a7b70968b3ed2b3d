"""What the tracer-video family says."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause

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
    "{Each|Every} tracer {keeps|has} its own constant velocity and {stays|remains} {visible|in "
    "sight}; no two {touch|meet}.",
    "{Velocities|The velocities} {differ|are different} but {stay|are} constant, {none|no "
    "tracer} leaves the picture and {none|no two} {come close|meet}.",
    "{Motion|Movement} is {straight|along straight lines} at constant speed, tracers {never|do "
    "not} {meet|overlap}, {all|and all} are {there|visible} from first to last frame.",
    "{All|The} tracers are {in|within} the picture {throughout|all the time}, {apart|well "
    "apart} from each other, {each|every one} at {a constant|its own constant} velocity.",
    "A tracer {goes|runs} {straight on|in a straight line} without {speeding up|change of "
    "speed}; they {keep|stay} {clear|away} of each other and of the {edges|borders}.",
    "{Expect|You will see} no {collisions|contact} and no tracers that {leave|vanish}, "
    "{only|just} constant velocities, one {each|apiece}.",
)
FRAME = (
    "The film is {uncompressed|raw} AVI with {fps} frames {a|per} second; x {grows|counts} to "
    "the right, y {downwards|down}, in pixels, and {the centre|the middle} of the upper left "
    "pixel is (0, 0).",
    "{Coordinates|Places} are pixels, x {to the right|rightwards} and y {down|downwards}, (0, "
    "0) {at|in} the middle of the {top|upper} left pixel; the AVI, {raw|uncompressed}, has "
    "{fps} frames {a|per} second.",
    "{Count|Measure} x {rightwards|to the right} and y {down|downwards} from the centre of the "
    "top left pixel, {in|by} pixels. {It is|The film is} {plain|uncompressed} AVI, {fps} frames "
    "{every|a} second.",
    "{Frames|The frames} of this uncompressed AVI {follow|come} at {fps} {a|per} second. "
    "{Origin|The origin} {is|lies at} the {centre|middle} of the upper left pixel, x "
    "{goes|runs} right, y down.",
    "{With|At} {fps} frames a second ({plain|raw} AVI), {take|use} pixels as {units|the unit}: "
    "x {to the right|rightwards}, y {down|downwards}, zero {in|at} the {centre|middle} of the "
    "top left pixel.",
    "The {top|upper} left pixel has its {centre|middle} at (0, 0), x {increases|grows} "
    "{rightwards|to the right}, y downwards; {fps} {uncompressed|raw} frames make a second of "
    "the AVI.",
)
TABLE = (
    "{tracks} is CSV {under|with} {header}, sorted by x: {place|where it is} in the first frame "
    "and {its |}velocity in pixels {a|per} second; {near} {is|would be} {precise|good} enough.",
    "{Columns|The columns} of {tracks}: {header}, {that is|i.e.} where it {is|stands} in {the "
    "first frame|frame one} and pixels {per|a} second; {smallest|lowest} x first, {near} {at "
    "most|or better}.",
    "{Write|Put} {header} {first|on top} of {tracks}, then {by|in order of} x the place in the "
    "{first|opening} frame and {the|its} velocity, pixels {a|per} second, {right|correct} "
    "within {near}.",
    "{header} {heads|begins} {tracks}: {start|first-frame} place, then velocity {in|as} pixels "
    "per second, ordered by x. {Errors|Deviations} {up to|of at most} {near} are "
    "{fine|tolerated}.",
    "{Sorted|Ordered} by x, {tracks} {gives|has} {the |}place in the first frame and {the "
    "|}velocity per second {below|under} {header}, all in pixels, {with|to} {near}.",
    "{In|For} {tracks} ({header}, CSV, by x) {give|state} the place {at|in} the first frame and "
    "{the |}velocity {as|in} pixels a second, {tolerating|allowing} {near}.",
)
SUMMARY = (
    "{summary} is a JSON object: {tracers} {is|gives} their {number|count}, {fastest} the row "
    "of the fastest, {from|counting from} 1.",
    "As JSON {summary} {has|holds} {tracers}, {how many there are|the number of them}, and "
    "{fastest}, the {number|position} of the row with the {highest|greatest} speed, from 1.",
    "{Report|Give} {tracers} (a {count|number}) and {fastest} (the row {number|index} with the "
    "{highest|top} speed, 1 {for|being} the first) in the JSON object {summary}.",
    "{In|Into} {summary}, {one|a} JSON object, {put|write} {tracers}, the {count|number of "
    "rows}, {and|then} {fastest}, {the|which is the} 1-based row of {whichever|the one that} "
    "moves {fastest|quickest}.",
    "{tracers} {counts|is the count of} them and {fastest} {names|is} the row, 1 {for|meaning} "
    "the first, of {the quickest|highest speed}: {both|the two} keys {make up|are} the JSON of "
    "{summary}.",
    "JSON in {summary}: {tracers} {for|as} their {number|count}, {fastest} {for|as} the row "
    "number, {beginning|starting} {at|with} 1, of the {fastest|quickest} one.",
)
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
NEAR = "0.3 pixels and 5 % of the speed"


def say(*, film: str, tracks: str, summary: str, fps: int, drift: bool) -> tuple[Clause, ...]:
    """Return the clauses."""
    keys = {"tracers": "`tracers`", "fastest": "`fastest`"}
    clauses = [
        Clause(
            "goal", GOAL, facts={"film": film, "tracks": tracks, "summary": summary}, role="goal"
        ),
        Clause("motion", MOTION, role="input"),
        Clause("frame", FRAME, facts={"fps": str(fps)}, role="input"),
        Clause(
            "table",
            TABLE,
            facts={"tracks": tracks, "header": "`x,y,vx,vy`", "near": NEAR},
            role="format",
        ),
        Clause("summary", SUMMARY, facts={"summary": summary, **keys}, role="format"),
    ]
    if drift:
        clauses.append(Clause("drift", DRIFT, facts={"drift": "`drift`"}, role="format"))
    return tuple(clauses)
