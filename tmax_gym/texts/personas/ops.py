"""Personas of files, science and system administration: data only, see `personas`."""

PERSONAS = """
= file_operations
backup-admin | backup administrator
I {look after|run} the backups of {org}, and {what|the set that} came back from {place} is not how
 {person2} left it.
{place} {ran out|is out} of disk during the {event}, and {org} now has {thing} files in a
 {state|shape} that {must|has to} be sorted out.
The tape from {place} {restored|read} without errors, {says|claims} {person2}; {org} would still
 like the {thing} files {in order|as they should be}.
{org} {moves|is moving} its {thing} share to a new server {tonight|this weekend}, and {place}
 {must|may} not notice.

dataset-organiser | data librarian
{person2} at {place} {collected|gathered} {thing} files for {years|six years} without {any|a} naming
 rule; {org} now wants {one|order}.
I {file|keep} {thing} material for {org}; everything from {place} {arrived|came in} in one heap
 after the {event}.
The {thing} directories at {org} grew {by hand|wild}, and {place} cannot find {anything|things} in
 them {any more|now}.
{org} {hands|gives} its {thing} files to an archive {next month|soon}; {person2} wants {them|the
 lot} {presentable|tidy} before that.

tech-writer | technical writer
I {write|edit} the manuals of {org}, and the {thing} files that {place} {sends|delivers} are in {no
 order|poor shape}.
{person2} and I {publish|print} the {thing} guide of {org}; {place} {supplied|sent} the raw material
 {in a hurry|yesterday}.
The {thing} manual of {org} is {built|made} from files at {place}, and since the {event} {some|a
 few} of them are not what they {seem|say}.
{org} {switched|changed} tools {last week|with the {event}}, and the {thing} files from {place} have
 to {follow|come along}.

media-archivist | media archivist
{place} {recorded|kept} {things} on whatever {was at hand|they had}; {org} {asked|wants} me to make
 {sense|something} of it.
I {digitise|transfer} old material for {org}, and {this|one} {box|batch} from {place} has
 {defeated|stumped} {person2}.
{person2} found {a drive|an old disk} at {place}; {org} {knows|has} {only|just} what is
 {written|scribbled} on {its|the} label: "{thing}".
The {thing} recordings from {place} were {dumped|copied} in one go during the {event}, and {org}
 needs them {apart|separated}.

storage-engineer | storage engineer
The {thing} volume at {place} {filled|is full} {again|up}; {org} will not buy {disks|another shelf}
 before {spring|next year}.
{person2} {moved|copied} {thing} files around at {place} until {nobody|no one} at {org} {knew|could
 say} which were the real ones.
I {size|manage} storage for {org}; {place} {holds|keeps} far more {thing} files than it
 {needs|should}, {person2} {admits|agrees}.
{org} {lost|had} a controller at {place} during the {event}; the {thing} files {survived|are there},
 {mostly|though not as they were}.

field-courier | field data collector
I {carry|bring} {thing} files from {place} to {org} on a stick, and {somewhere|at some point} {on
 the way|in between} they {suffer|get hurt}.
{place} has no {network|line}, so its {thing} files {reach|come to} {org} in {pieces|parcels},
 {packed|put together} by {person2}.
{person2} {packs|wraps} what {place} produces their own way; {org} {cannot|does not} change that,
 {but|so} I have to {cope|unpack it}.
The {thing} delivery from {place} {came|arrived} {after|during} the {event}, and {org} {doubts|is
 not sure} that it is {complete|all there}.

= scientific_computing
simulation-researcher | simulation researcher
I {simulate|model} {measure} for {org}; the code that {person2} left {runs|works}, but {place} does
 not believe its {numbers|results}.
{org} {compares|checks} its {measure} model against {place} every {season|year}, and this
 {season|year} the two {part|differ}.
{person2} at {place} {computes|estimates} {measure} with pencil and {tables|a calculator}, and
 {beats|is closer than} the model of {org}.
Before {org} {spends|puts} money into {place}, {person2} wants the {measure} calculation
 {redone|repeated} {from scratch|independently}.

bioinformatician | bioinformatician
Samples from {place} went through the sequencer {last night|on Monday}; {org} {shares|rents} the
 machine and {person2} needs the {result|answer}.
I {do|run} the sequence work for {org}; {place} {wants|asks} to know what {lives|grows} in {its|the}
 {samples|filters}.
{person2} {swabbed|sampled} {place} after the {event}, and {org} has the reads {now|here}.
{org} {keeps|has} a small biology group; {place} is its {favourite|usual} field site, and {person2}
 {sent|left} the {files|data}.

lab-physicist | instrument scientist
The instrument at {place} {drifts|has drifted} since the {event}, and {org} needs {measure} that can
 be {trusted|defended}.
I {calibrate|maintain} the {measure} set-up of {org}; {person2} took a series at {place} which I
 have to {reduce|work through}.
{place} {measures|tracks} {measure} better than the {maker|vendor} {promises|says}, if {org} treats
 the {raw|recorded} data {right|with care}.
{person2} {wants|plans} to publish the {measure} data of {org}, and a referee {asked|wants to know}
 how they were {obtained|computed}.

numerical-analyst | numerical analyst
The {measure} solver of {org} {works|converges} on the textbook case and {not|fails} at {place},
 {reports|writes} {person2}.
I {check|review} calculations for {org}; the one for {place} {loses|throws away} digits
 {somewhere|on the way}.
{person2} {halved|refined} the step at {place} and got a {different|new} {measure}; {org}
 {calls|called} me {in|to look}.
{org} {needs|wants} {measure} for {place} to a stated accuracy, and {person2} does not {take|accept}
 a plot for an answer.

observer | observational scientist
We had {a clear week|four good nights} at {place}, and {org} {lets|had} {person2} {use|take} every
 hour of it; the data are {here|in}.
I {observe|measure} at {place} for {org}; the {reduction|analysis} that {person2} {usually|normally}
 does {falls|is left} to us this time.
The archive of {org} {goes|reaches} back further than {place} itself, and {person2} has
 {picked|chosen} a {stretch|piece} of it.
{person2} {recorded|took} {measure} at {place} until the {event}; {org} {asks|wonders} what {the
 rest|this} {tells|can tell} us.

method-developer | research software engineer
{org} {uses|runs} a method from {a paper|an old thesis}; {person2} at {place} wants it as code that
 {others|people} can {check|rerun}.
I {turn|make} scripts of {org} into software; the one from {place} has to {give|yield} the same
 {measure} {everywhere|on every machine}.
{person2} {defended|finished} a thesis on {measure} at {place}; {org} {keeps|inherits} the method,
 and I {rebuild|rewrite} it.
The {measure} group at {org} {reviews|tests} each piece of code twice; {person2} {did|was} the
 first, {this|yours} is the second.

= system_administration
sre | site reliability engineer
{org} runs its {thing} service from {place}, and the {last|latest} {event} {showed|taught us} how
 little of it is {set up|done} properly.
I {share|have} the rota at {org} with {person2}; the host at {place} has been {limping|unhappy}
 since {the weekend|Monday}.
The review after the {event} {left|gave} {org} {two|three} actions, and the one for {place} is
 {mine|on me}.
{person2} {patched|fixed} the {thing} host at {place} by hand, and {org} wants it {done|back} the
 {proper|right} way.

junior-admin | junior administrator
{person2} {showed me around {place}|explained {place} to me} once; now {org} has {me|only me}, and
 the {thing} host needs {this|attention}.
I am {new|three weeks in} at {org}; the list that {person2} left for {place} has {this|one} item
 which I cannot {do|finish} alone.
{person2} is on {leave|a plane}, {place} is {waiting|asking}, and {I have|{org} gave me} {rights|a
 login} but {no|little} experience with the {thing} set-up.
The {thing} machine of {org} {went|was moved} to {place} {without|with hardly any} notes, and it is
 my first {job|task} to {get|put} it right.

fleet-operator | fleet operator
{org} has {forty|sixty|ninety} small machines at sites like {place}, and {one|this one} {must|has
 to} become the pattern for the {others|rest}.
I {roll|push} changes out for {org}; {place} goes first, because {person2} is {there|on site} if it
 {breaks|fails}.
The boxes that count {things} for {org} are {set up|configured} by hand, {says|sighs} {person2}, and
 {place} is the {worst|oldest}.
After the {event}, {person2} rebuilt the {thing} box at {place} from memory; {org} {keeps
 finding|found} what was {forgotten|left out}.

mail-and-web-admin | web and mail administrator
People at {place} {complain|write} that the {thing} pages of {org} {answer|behave}
 {differently|oddly} since the {event}.
I keep the web and mail side of {org} {going|running}; {person2} {changed|touched} the {thing} host
 at {place} and {left|vanished}.
{org} {moved|moves} its {thing} site away from {a provider|the old host}, and {place} {should|must}
 not {see|feel} it.
{person2} at {place} {asked|has asked} {org} for {something|a change} that our {thing} front end
 cannot {do|handle} as it {stands|is}.

shift-operator | operations clerk
{place} is {staffed|manned} day and night, and the crew {wants|needs} the {thing} chores of {org} to
 {run|happen} without them.
I {do|have} the night shift for {org}; everything that {person2} does by hand at {place} I would
 {rather|like to} see {scripted|automated}.
{person2} {starts|does} the {thing} jobs of {org} from a checklist at {place}; {one|the longest}
 line of it is {below|this}.
The shift book at {place} {mentions|lists} the {thing} machine {nine|eleven|fourteen} times since
 the {event}; {org} has {had enough|seen enough}.

platform-engineer | platform engineer
{org} {offers|gives} its teams a {ready|prepared} host; the one for {place} {lacks|still lacks} {a
 piece|what {person2} asked for}.
I {prepare|build} machines for the {thing} teams at {org}, and {person2} from {place} has
 {strict|firm} {ideas|wishes}.
{place} {joins|comes to} the platform of {org} {on Monday|next week}; the {thing} part has to {be
 ready|stand} before {person2} does the {tour|handover}.
The {thing} team at {place} {outgrew|filled} its corner of {org} with the {event}; {person2} and I
 {rearrange|sort out} what runs where.
"""
"""A head `= domain`, then blocks: `name | title` and one opener a line."""
