"""Personas of security, software engineering and debugging: data only, see `personas`."""

PERSONAS = """
= security
auditor | internal auditor
I am {halfway through|closing} the yearly access review {at|for} {org} and one finding about {place}
 is {still open|not settled}.
{person2} {asked for|wants} evidence by {Thursday|Friday|Monday}, and the auditors of {org} accept
 only what somebody else can repeat.
The {last|previous} review of the {thing} systems left {a gap|an open point}; {org}
 {agreed|promised} to close it {this week|before the next {event}}.
Our external assessor looked at the {things} side of {org} and {returned with|sent back} {a short
 list|three questions}; this is the {first|second|last} of them.

pen-tester | penetration tester
{org} hired us for a {five|ten}-day test, and {place} is in scope until {Friday|the end of the
 month}.
During the test of the {thing} systems I {ran into|noticed} something that {person2} {should|wants
 to} see reproduced properly.
Scope letter from {org} is signed; the {thing2} network stays {out|off limits}, everything below is
 {fair game|allowed}.
I owe {person2} at {org} a write-up, and {this|the following} part of the test still {lacks|needs}
 its evidence.

incident-responder | incident responder
We {opened an incident|were paged} at {org} after the {event} at {place}, and I need {a second pair
 of hands|somebody on this part}.
The bridge call for {org} {starts|resumes} in an hour; {person2} {will ask|keeps asking} what we
 know about {place}.
{Containment|The first containment} is done at {place}. What {remains|is left} for {org} is the
 careful part.
Something {touched|got at} the {thing} machines at {org} {last night|over the weekend}; everything
 was {copied|frozen} before anyone logged in again.

key-custodian | key custodian
I keep the keys and certificates for {org}, and since {person2} left {nobody|no one} else knows how
 the {thing} part is {set up|put together}.
{Rotation day|The yearly rotation} at {org} is {close|next week}, and the material from {place} {has
 to|must} be in order before that.
The safe at {place} was opened in front of {two witnesses|{person2} and me}; what was {inside|in it}
 is now {here|on this machine}.
{person2} handed me the {thing} material of {org} without {a word|any notes}, so {I am piecing it
 together|some of it has to be worked out}.

forensics-analyst | forensics analyst
Copies were {taken|made} at {place} {by|in the presence of} {person2}; the originals from {org} stay
 in the {bag|safe}.
The case at {org} turns on what happened around the {event}, and {this material|the copy here} is
 all we {have|were given}.
I {examine|look at} machines for {org}; what came in from {place} {this morning|yesterday} is on the
 bench now.
{person2} in legal at {org} needs one {answer|fact} about the {things}, with {the way to it|a
 result} that holds up.

defender | defensive engineer
The team that runs {place} at {org} asked me for {something small|a fix} they can {keep|run} without
 me.
{Somebody|A script} has been {poking at|probing} the {thing} service of {org} since the {event}, and
 {it is time to|we} {close|shut} that door.
{org} takes {thing} data from partners we {hardly|barely} know; {person2} wants it
 {checked|screened} before it goes {further|anywhere}.
I run the edge for {org}, {place} included, and the {last|latest} change {did not go far enough|left
 too much open}.

= software_engineering
build-engineer | build engineer
I {look after|own} the builds at {org}, and the {thing} component has been {red|broken} since
 {person2} {moved|upgraded} the build host.
The {nightly|release} build for {place} {stops|fails} at the {thing} part, and {org} ships on
 {Tuesday|Thursday}.
{person2} {set up|wrote} the {thing} tooling at {org} {years ago|before my time}; it now has to
 {work|run} without the old server.
Two teams at {org} {depend on|wait for} the {thing2} package, and {neither|nobody} wants to touch
 {its|the} build.

release-manager | release manager
The {thing} release of {org} is {frozen|tagged} except for {this|one piece}, which {person2} {could
 not finish|left half done}.
I {sign off|put together} releases at {org}; before {place} gets the next one I need {this piece|the
 following} done.
{place} runs a {thing} tool that {nobody at|no team in} {org} has released {properly|cleanly} since
 the {event}.
There is {one item|a single ticket} left on the {thing} milestone at {org}, and {person2} moved it
 to {me|my desk}.

port-engineer | migration engineer
{org} is {retiring|moving off} the old {thing} machine at {place}, and the {code|tool} on it needs a
 {new home|successor}.
{person2} {promised|told} the {thing} team at {org} that {nothing|no output} would change with the
 move; {that is the bar|hold us to it}.
The {thing} scripts at {place} were {written|grown} by {person2} over {six|nine} years, and {org}
 can no longer run {them|half of them}.
We are {replacing|rewriting} pieces of the {thing} stack of {org} one at a time; {this|the next one}
 is {small|small but exact}.

maintainer | maintainer
I maintain the {thing} library that {org} {uses|runs} at {place}, and {an issue|a report} from
 {person2} has been open {too long|for weeks}.
{A|Another} pull request for the {thing} code of {org} {arrived|came in} without tests, so I would
 {rather|sooner} have it done {right|properly} once.
The {thing} module at {org} {works|holds} until it meets what {place} sends it, {says|writes}
 {person2}.
Reviews at {org} are strict about the {thing} code: {behaviour|what it does} first, style
 {later|second}.

tool-author | internal tools developer
The crew at {place} {types|copies} {things} by hand today; {person2} at {org} would like {a
 program|a tool} instead.
I write small tools for {org}; this one is for {place}, and {person2} has {described|spelled out}
 what it {must|should} do.
{place} needs a command that {behaves|works} the same on every machine of {org}, whatever the
 {things} look like.
{person2} {tried|used} a spreadsheet for the {things} at {org}; it {gave up|broke} with the {event},
 so now it becomes code.

service-owner | service owner
The {thing} service of {org} has {two|three} callers at {place}, and each of them {read|understood}
 the contract {differently|in its own way}.
I own the {thing} endpoint at {org}; {person2} and the people at {place} {build|depend} on it {next
 week|from Monday}.
{org} {agreed|settled} on the interface for {things} with {place}; what is {missing|left} is the
 thing itself.
Since the {event}, {place} talks to {org} through {a stopgap|something temporary}, and {person2}
 wants {it|that} gone.

= debugging
night-on-call | on-call engineer
Paged at 3:{07|12|26|41|48} for {place}; the {thing} job at {org} {is wrong|misbehaves} again and
 {person2} is {asleep|on leave}.
I have {the pager|on-call} for {org} this week, and {place} has {woken me|called} {twice|three
 times} over the same thing.
The {thing} alarm at {org} went off right after the {event}; restarting it {bought|gave} us {an
 hour|until morning}, no more.
{place} reported {odd|wrong} {thing} numbers {tonight|at midnight}, and the runbook at {org} ends
 {at|with} "call {person2}".

inheritor | engineer who inherited the code
{person2} left {org} in {spring|autumn} and the {thing} code is mine now; {I did not write|nobody
 documented} a line of it.
I {took over|inherited} the {thing} job at {org} {last month|two weeks ago}, and what {place} sees
 does not match what {I read|the code says}.
Nobody at {org} {remembers|knows} why the {thing} program was built {like this|this way}; {place}
 only knows that it used to {work|be right}.
The {thing} tool that runs at {place} came with no tests and {one|a single} comment, by {person2}:
 "{do not touch|careful|works, no idea why}".

support-engineer | support engineer
{place} {opened|raised} a case with {org}: the {thing} output is {off|wrong}, and {person2} has
 {already|now} asked {twice|three times}.
A {customer|user} of {org} at {place} {sent|attached} everything they had after the {event}; I could
 {reproduce|confirm} it {here|on my side}.
The {thing} complaint from {place} {survived|outlived} {two|three} workarounds at {org}, so {we|I}
 need the {cause|real fix}.
{person2} at {place} says the {thing2} results {changed|moved} between {two|the last} versions, and
 {org} owes {them|the site} an answer.

bisecting-dev | developer
I have {narrowed|tracked} the {thing} regression at {org} {down|back} to {this|one} component;
 {past|beyond} that I am guessing.
It {passed|worked} for {person2} and {fails|breaks} at {place}, with the same {thing} data from
 {org}.
The {thing} numbers at {org} were right {before|until} the {event}; what {lies|sits} here is the
 state {after|as of} it.
{person2} and I have {stared|looked} at the {thing} code of {org} since {Monday|yesterday}, and we
 {want|need} fresh eyes.

recovery-engineer | recovery engineer
The disk at {place} {died|gave out} during the {event}, and {what we pulled off it|the copy} is all
 {org} {has|is left with}.
{org} {lost|is missing} part of its {thing} records; {person2} {saved|kept} what could be read
 {from|at} {place}.
Backups of the {thing} machine at {org} {stop|end} {a week|some days} before the {event}, so this
 has to come from what {is left|survived}.
{person2} pulled the plug at {place} in the middle of {a write|the nightly run}; {org} would like
 its {thing} data back.

test-engineer | test engineer
The {thing} suite at {org} is green, and {place} still gets {wrong|bad} results; {one of the
 two|something} is lying.
{person2} found {a case|an input} from {place} on which the {thing} program of {org} {fails|goes
 wrong}, and I {doubt|do not think} it is the only one.
I {test|check} releases for {org}; the {thing} part {came back|bounced} from {place} with {a
 note|two lines} by {person2}.
Everything about the {thing} tool at {org} {looks|reads} fine until you {compare|hold} it
 {with|against} what {place} {expects|was promised}.
"""
"""A head `= domain`, then blocks: `name | title` and one opener a line."""
