"""Fixed phrases around the clauses: titles, greetings, closers, scenarios, lead-ins.

They are templates with the slots of `Skin.slots`.  None states a fact of a task, so each fits every
text of its domain.
"""

TITLES: dict[str, tuple[str, ...]] = {
    "security": (
        "{Close|Settle} the {open|remaining} {thing} finding at {place}",
        "{cap:{thing}} access at {place}: {follow-up|next step}",
        "Security {item|work} for {org}, {thing} side",
        "{Evidence|Result} needed on {thing} at {place}",
    ),
    "software_engineering": (
        "{cap:{thing}} {tool|component} for {place}",
        "{Finish|Complete} the {thing} work for {org}",
        "{place}: {thing} code, {last|next} piece",
        "{cap:{thing}} build item from {person2}",
    ),
    "debugging": (
        "{Wrong|Unexpected} {thing} {output|results} at {place}",
        "{cap:{thing}} fault {after|since} the {event}",
        "{Find|Track down} the {thing} problem {person2} reported",
        "{org}: {thing} {behaviour|trouble} to be explained",
    ),
    "file_operations": (
        "{cap:{thing}} files from {place}",
        "{Sort out|Put in order} the {thing} material of {org}",
        "File work after the {event}, {thing} share",
        "{place}: {thing} files {need|want} attention",
    ),
    "data_querying": (
        "{cap:{thing}} {figures|numbers} for {person2}",
        "{Query|Question} on {things}, {org}",
        "{place} asks about {things}",
        "{cap:{thing}} data {request|enquiry} from {place}",
    ),
    "data_science": (
        "{cap:{measure}} and {things} at {place}: {analysis|estimate}",
        "{cap:{thing}} {model|numbers} for {org}",
        "What the {thing} data of {place} {say|show}",
        "{Analysis|Evaluation} for {person2}: {things}",
    ),
    "data_processing": (
        "{cap:{thing}} {feed|batch} from {place}",
        "{Prepare|Process} the {thing} data of {org}",
        "{cap:{thing}} data after the {event}",
        "{place}: {thing} {delivery|export} to be {processed|worked through}",
    ),
    "scientific_computing": (
        "{cap:{measure}} {calculation|computation} for {place}",
        "{cap:{measure}} work {at|for} {org}",
        "{cap:{measure}}: {numbers|results} for {person2}",
        "{place}, {measure} series: {reduction|evaluation}",
    ),
    "system_administration": (
        "{cap:{thing}} host at {place}",
        "Admin {item|job} for {org}: {thing} machine",
        "{Set up|Straighten out} the {thing} side at {place}",
        "{place}: follow-up to the {event}",
    ),
}

GREETINGS = (
    "Hi,",
    "Hello,",
    "Good morning,",
    "Hi there,",
    "Hello from {place},",
    "Good afternoon,",
    "Morning,",
    "Dear colleague,",
)

CLOSERS = (
    "Thanks, {person}",
    "Thank you.\n\n{person}\n{org}",
    "{person2} picks it up from there.\n\n{person}",
    "Regards,\n{person}, {title}",
    "Best,\n{first}",
    "{person}\n{cap:{title}}, {org}",
    "I am at {place} {all day|until late} but cannot answer {quickly|mail}.\n\n{first}",
    "{person2} {covers|stands in} for me {tomorrow|from noon}.\n\n{person}",
    "Many thanks from {place}\n{person}",
    "That is all.\n\n{first} ({title})",
    "No reply needed; {person2} {looks at|goes by} what is {on disk|there}.\n\n{person}",
    "{first}, {title}",
)

SCENARIOS = (
    "{cap:{an:{label}}} called {org} keeps {records|data} about {things} and {things2}.",
    "At {org}, {an:{label}}, {person2} {is responsible|answers} for the {things} of {place}.",
    "You {assist|help} {person2}, {title} at {org}, on a machine that belongs to {place}.",
    "{org} is {an:{label}}. After the {event}, the {thing} side of {place} {is|was} handed to you.",
    "{person} works at {place} for {org}, {an:{label}}, and {is busy with|deals with} {things}.",
    "Consider {org}, {an:{label}} with {things}, {things2} and {a small|one} computer at {place}.",
    "The {event} at {place} kept {org} busy; {its|the} {thing} work is now up to you.",
    "{person2} {runs|leads} the {thing} team of {org} and {sets|gives} you this exercise.",
)

SCOPES = (
    "Applies to: {thing} machine at {place}, {org}. Owner: {person}.",
    "Scope: {place} ({org}). Written by {person} after the {event}.",
    "{org}, {place}. Last used by {person2}, {title}.",
    "Use when: {person2} or {place} asks for the {thing} part. Contact: {person}.",
    "For whoever is on shift at {place}. {org} keeps this page next to the {thing} one.",
    "Page owner {person}; reviewed by {person2} after the last {event}.",
)

REVIEWS = (
    "{person} reviewed the {thing} {change|branch}:",
    "Comments from {person} ({title}) on the {thing} {change|patch}:",
    "Review of the {thing} branch, {person} for {place}:",
    "{first} {requested changes|left a review} on the {thing} {work|branch} of {person2}:",
    "Second round on the {thing} {change|patch}, {person} to {person2}:",
)

TRAILERS = (
    "Requested-by: {person} ({place})",
    "Reported-by: {person}, {org}",
    "Reviewed-by: {person2}",
    "Cc: {person2}",
    "For: {org}",
)

LEADS = (
    "Rules:",
    "Details:",
    "What counts:",
    "To be exact:",
    "The particulars:",
    "Points to {keep to|respect}:",
    "Conventions:",
    "Please {note|mind}:",
)

ACCEPTANCE = ("Acceptance", "Acceptance criteria", "Done when", "Definition of done")

POINTERS = (
    "The {rules|details|particulars} are {written down|listed|laid down|set out} in {doc}.",
    "{doc} has the {rules|details|conventions} to follow{| here| in this}.",
    "{Read|See|Consult|Open} {doc} {first|before you begin}; {everything|what} it says "
    "{applies|holds} here.",
    "Follow {doc} for the {details|exact rules|particulars}.",
    "{Details|Conventions|The small print|Particulars}: see {doc}.",
    "How exactly is {described|laid down|written} in {doc}.",
    "{person2} {wrote|put} the {rules|details|conventions} {down |}{in|into} {doc}, and they "
    "{hold|count|apply}.",
    "{What|Everything} {place} {expects|wants} in detail is in {doc}.",
    "{For|As to} the {how|details|exact form}, {go by|stick to|keep to} {doc}.",
    "{doc} {settles|governs} the {details|particulars}{| of this}.",
)

SHORT_POINTERS = (
    "Rules: {doc}.",
    "{Details|Conventions|Particulars}: {doc}.",
    "{See|Read|Follow} {doc}{| for the rules| for details}.",
    "{doc} {applies|has the rules|has the details}.",
    "{Rules|Details} {in|as in} {doc}.",
)

DOC_HEADS = (
    "{cap:{thing}} notes for {place}",
    "{org}: {thing} conventions",
    "How {place} {wants|expects} it",
    "Notes by {person}, {title}",
    "{cap:{thing}} {rules|conventions}, {org}",
)

PARTS = (
    ("Part 1.", "Part 2.", "Part 3.", "Part 4.", "Part 5.", "Part 6.", "Part 7.", "Part 8."),
    ("First part.", "Second part.", "Third part.", "Fourth part.", "Fifth part.", "Sixth part."),
    ("(1)", "(2)", "(3)", "(4)", "(5)", "(6)", "(7)", "(8)", "(9)", "(10)", "(11)", "(12)"),
    ("Part A.", "Part B.", "Part C.", "Part D.", "Part E.", "Part F.", "Part G.", "Part H."),
)
"""Labels of the parts of a task with several stages; a longer task falls back to numbers."""
