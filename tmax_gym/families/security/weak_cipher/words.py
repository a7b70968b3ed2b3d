"""Words of the weak-cipher family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause


def goal(source: str, target: str) -> Clause:
    """Return where the messages are and where their texts go."""
    return Clause(
        "goal",
        (
            "{Break|Decrypt|Crack} the {messages|sealed messages} in {source} and {write|put|"
            "store} {their plain texts|what they say} {into|in} the directory {target}.",
            "{source} holds {intercepted|sealed|secret} messages, and we have no {key|keys}. "
            "{Recover|Get back|Find out} what they say, {one|a} file each, {in|below} {target}.",
            "We {intercepted|caught|got hold of} the {files|messages} in {source}. {Read|Break|"
            "Decrypt} them: {target} should {contain|end up with|hold} the plain text of {each|"
            "every} one.",
            "{Find out|Work out} what the messages {below|in} {source} say {without|although we "
            "lack|with none of} their keys, and {leave|store|save} the texts in {target}.",
            "{target} is to hold every message of {source} {in plain text|decrypted|in clear}; the "
            "keys {are lost|were never ours|are unknown}, the ciphers {are weak|home-made|poor}.",
            "Somebody {trusted|relied on|believed in} home-made ciphers: {crack|undo|break} what "
            "{is|lies} in {source}, {message by message|all of it|one file after another}, "
            "{into|to} {target}.",
            "{The|All} messages {in|of} {source} are {encrypted|under seal}, and {nobody gave us|"
            "we were not given} a key: {read|break} them {all the same|even so|anyway}, "
            "{leaving|putting} plain texts {in|into} {target}.",
            "{Attack|Go at|Take on} the weak ciphers {of|behind} {source} and {fill|stock} "
            "{target} with {the|all the} {plain texts|messages in clear}, {one file for each|a "
            "file each|one a message}.",
            "{What|All that} was {sealed|encrypted} in {source} {belongs|should stand}, "
            "{readable|decrypted|in plain text}, in {target}; {no key is at hand|you get no key|"
            "keys are missing}, so {break|crack} the {messages|ciphers}.",
        ),
        facts={"source": source, "target": target},
        role="goal",
        brief=(
            "Decrypt the messages in {source} into {target}.",
            "{Break|Crack} {source} {without keys|with no keys}; plain texts {go|belong} {to|in} "
            "{target}.",
            "{Recover|Get} the plain text of {each|every} message {in|of} {source}, {into|in} "
            "{target}.",
            "{target}: {the|all} messages of {source}, {decrypted|in plain text}{; no keys|, keys "
            "unknown|}.",
        ),
    )


def known(notes: str, header: str) -> Clause:
    """Return the known facts about the messages."""
    return Clause(
        "known",
        (
            "Every message {begins|starts|opens} with {header}, and {notes} {explains|describes|"
            "sets out} the {ciphers|kinds of cipher}.",
            "{What helps|There is a crib|One thing helps}: all of them {open|begin|start} with "
            "{header}. The {ciphers|methods} are {described|written down|explained} in {notes}.",
            "{notes} {says|tells|explains} how they are {sealed|encrypted|made}; {each|every one} "
            "{starts|opens|begins} with the words {header}.",
            "{How|The way in which} {they|the senders} {encrypt|seal} {is|stands} in {notes}, and "
            "{we know that|as always,|we are sure that} the first words of a message are {header}.",
            "{Thanks to|From} {an informer|a leak|a friend} we have {notes} on their ciphers, and "
            "{know|are sure of|can name} the opening words of {any|every} message: {header}.",
            "{A habit|One habit} of theirs {is|has always been} to {start|open|begin} each "
            "message with {header}; {more about|for} their ciphers {see|there is|look into} "
            "{notes}.",
            "{header} {opens|begins|stands first in} {each|every} {message|plain text}, {the "
            "ciphers|their ciphers} being {described|laid open|listed} in {notes}.",
            "{Plain text|The beginning} is {known|certain} {in one place|in part}: {messages|all "
            "messages} {start|begin} with {header}. {notes} {covers|is about} the {ciphers|"
            "encryption}.",
            "{Read|Use|Study} {notes} {on|about} {the ciphers|how sealing is done|their methods}, "
            "and {remember|note|use} that {no|not one} message {begins|opens} otherwise than with "
            "{header}.",
        ),
        facts={"notes": notes, "header": f"`{header}`"},
        role="input",
        brief=(
            "Every message begins with {header}; the ciphers are in {notes}.",
            "{Ciphers|The ciphers}: {notes}; {opening|first} words of {each|every} message: "
            "{header}.",
            "{header} {opens|begins} {every|each} message, {notes} {explains|describes} the "
            "ciphers.",
            "{Crib|Known start}: {header}, {in|for} {all|every one} of them; {see {notes} for|"
            "{notes} has} the ciphers.",
        ),
    )


def naming() -> Clause:
    """Return the names of the texts, and how they are compared."""
    return Clause(
        "naming",
        (
            "{Keep|Use} {a|each} message's number as {the name|the file name} {of its text|for its "
            "text}, with the suffix {suffix}, {byte for byte as it was written|and exactly the "
            "bytes that were sealed|no byte added or lost}.",
            "{A plain text|The text|Each text} is named {like|after} its message, but {ends|with "
            "its name ending} in {suffix}; what counts is {the share of its bytes that are|how "
            "many of its bytes are} right.",
            "{Swap the suffix of a message for|Replace the suffix of a message by|Let the suffix "
            "of a message give way to} {suffix} to name its text, and {change nothing inside|add "
            "nothing to the bytes}: the {score|mark} is the share of bytes that {agrees|is right}.",
            "{Names|File names} stay, except that the {ending|suffix} {becomes|turns into|is} "
            "{suffix}. {Each|Every} byte {in its place|at its position|where it belongs} counts.",
            "Give {every|each} text {its message's number|the number its message has} and "
            "{suffix} as {ending|suffix}; it is {compared|checked} {byte by byte|one byte after "
            "the other}.",
            "{Message 01|The first message} {becomes|goes to|is written to} `01` plus {suffix}, "
            "and so on; {texts|they|the texts} are {compared|judged} byte by byte{, line ends "
            "included|, with line ends|}.",
            "{Bytes|Single bytes} are {compared|counted}, {each|every one} at its {place|"
            "position}, in files {numbered|named} {like|as} the messages {and|but} {ending|with "
            "names ending} in {suffix}.",
            "{suffix} {takes the place of|replaces} {each|every} {message's suffix|suffix} in the "
            "{names|file names} of the texts, {whose|and their} bytes {have to|should} be {those "
            "of the original|the original ones}, {one by one|all of them}.",
        ),
        facts={"suffix": "`.txt`"},
        role="format",
        brief=(
            "Name each text like its message with the suffix {suffix}, byte for byte.",
            "{File names|Names}: {number|the number} of the message{, then| and} {suffix}; {bytes|"
            "all bytes} {count|are compared}.",
            "{Texts|The texts} {keep|bear} their messages' numbers, then {suffix}, and "
            "{every|each} byte {counts|matters}.",
        ),
    )


def tool(path: str) -> Clause:
    """Return the task of the program that stays."""
    return Clause(
        "tool",
        (
            "{Leave|Keep} the {attack|program} as {tool} in Python: {called with|given} a suffix "
            "{without its dot|such as `xor`} as its argument, it {reads|takes} a message "
            "from standard input and {prints|writes} its text. Other messages {come|will follow}.",
            "{tool}, a Python program, must {do the same|work} for messages {to come|still to be "
            "caught|not yet seen}: {sealed on standard input|a sealed one on standard input}, the "
            "cipher's suffix as its argument, {plain|the text} on standard output.",
            "More {of them|messages} {will come|are coming}, so {save|write|leave} a Python "
            "program {tool} that {decrypts|breaks} standard input to standard output; its "
            "{argument|only argument} {names|is} the cipher, {such as|like} `xor`.",
            "For {next week's|tomorrow's|later} messages {we need|leave|write} {tool} (Python, the "
            "suffix as {argument|its argument}), which {turns|makes} a message on standard input "
            "into {its text|plain text} on standard output.",
            "{Hand over|Deliver|Leave us} the attack {too|as well}: {tool} in Python takes {the "
            "name of a cipher|a suffix without dot} as argument, reads one message from "
            "standard input and {prints|writes} the text.",
            "{The program|The attack|What you write} stays as {tool}. It is Python, {gets|takes} "
            "the suffix "
            "{of the message|of its input} as its argument, the message on standard input, and "
            "{answers with|prints} the text {alone|and nothing else}.",
            "{One|A single} Python program, {tool}, {should|has to} {break|read} {further|new} "
            "messages {by itself|unaided}: {the suffix|a suffix} as "
            "argument, {cipher text|the sealed bytes} on standard input, {plain text|the text} on "
            "standard output.",
            "{Unseen|New|Further} messages {go|will go} through {tool}, {written in|in} Python: "
            "{its argument|the argument} is {the suffix|a suffix}{ (`xor`, say)| (say `xor`)| "
            "without its dot}, "
            "standard input {carries|is} the message, standard output {gets|is} the text.",
        ),
        facts={"tool": path},
        role="output",
        brief=(
            "Leave the attack as {tool} (Python; argument: the suffix; standard input to standard "
            "output).",
            "{tool} (Python) {does|has to do} the same for {other|new} messages: suffix as "
            "argument, {standard input to standard output|message on standard input, text on "
            "standard output}.",
            "{Also|Besides,} {leave|write} {tool} in Python: {argument|its argument} the suffix, "
            "{sealed|message} on standard input, {plain|text} on standard output.",
        ),
    )
