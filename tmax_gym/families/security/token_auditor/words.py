"""Words of the token-auditor family."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause


def goal(module: str, seen: str) -> Clause:
    """Return the symptom, and what to repair."""
    return Clause(
        "goal",
        (
            "{Tokens|Access tokens|The tokens} in {seen} were accepted {and|although they|but} "
            "should have been {refused|turned away}: {close|mend|stop} every {hole|gap} {of this "
            "sort|like these|of the kind} in {module}.",
            "{Audit|Review|Go through} {module}, {our|the} vendored token check. {seen} {shows|"
            "lists|has} tokens that it {let|has let|lets} through {against|in spite of|contrary "
            "to} its own rules; {harden|fix|correct} it.",
            "{module} is too {kind|trusting|lax}. {Make|Render} it as strict as it {claims|"
            "promises|says} to be; {examples|samples} of what slipped {through|past it} "
            "{are|stand} in {seen}.",
            "{An attacker|A tester|A stranger} got in {with|by} {the|some} tokens of {seen}. Find "
            "{out why|the reason|the fault} in {module} and {repair|correct|mend} the library.",
            "{Which lines|What lines} of {module} let the tokens {in|of} {seen} pass? {Correct|"
            "Change|Mend} them so that {forgeries|such tokens|bad tokens} are {refused|turned "
            "away|kept out}.",
            "The {penetration test|audit|last test} {left|gave|brought} us {seen}, tokens which "
            "{module} accepts {wrongly|by mistake|but should not}. {Put that right|Repair the "
            "library|Mend the check}.",
            "{According to|By} its {documentation|docstrings}, {module} {should|ought to} {refuse|"
            "turn away} {all|every one} of the tokens in {seen}, {yet|but} it accepts them. {Bring "
            "it in line|Make it do what it says}.",
            "{Somewhere|In some places} {module} {checks|asks|demands} too little, and {so|that is "
            "how} {seen} {came about|was filled}: {bad|false} tokens {it let in|that passed}. "
            "{Make|Let} the {check|library} {complete|as strict as documented}.",
            "{Harden|Tighten|Repair} {module}: {it|the check} {accepts|lets in} tokens that "
            "{break|violate} {its own rules|the documented rules}, {see|for example|as in} {seen}.",
            "{Our|The} token check, {module}, {has|is full of|suffers from} {holes|gaps}, {as|"
            "which} {seen} {proves|shows} {token by token|with real tokens|by example}. {Close|"
            "Mend} {all of them|every one}.",
        ),
        facts={"module": module, "seen": seen},
        role="goal",
        brief=(
            "Make {module} refuse what it should; {seen} holds tokens it accepts wrongly.",
            "{Repair|Harden|Mend} {module}, which {wrongly accepts|should refuse} {tokens like "
            "those|the tokens} in {seen}.",
            "{Tokens|The tokens} of {seen} {get past|pass} {module} and should not: {mend|harden|"
            "repair} {it|the check}.",
            "{Find|Close} {the|all} {holes|gaps} in {module} {through|by} which {tokens as in "
            "{seen}|the tokens of {seen}} {get in|pass}.",
        ),
    )


def truth(tool: str) -> Clause:
    """Return the rules, the tests, and what stays."""
    return Clause(
        "truth",
        (
            "{The docstrings are|The documentation in it is} the policy{, word for word|, to the "
            "letter|}. {tool} {runs the check on|puts to the check} lines of time, audience and "
            "token; {neither it nor the keys change|it and the keys stay unchanged|it and the keys "
            "remain as they are}.",
            "{Go by|Trust|Follow} the docstrings, {all of them|every word}: other tokens than "
            "{these|the shown ones|those shown} will be {tried|sent} through {tool}, which like "
            "the keys {must not|may not} {change|be edited}.",
            "{What is right|The truth|What counts} {stands|is written} in the docstrings. {Sound|"
            "Honest|Good} tokens must {pass|be accepted} as before, {bad|false} ones {get|need} "
            "the documented reason; {tool} and the keys {stay|are not yours to change}.",
            "{tool} prints {a|one} verdict {per|for each} line, and we {compare|check} {those|all "
            "verdicts} "
            "on {unseen|further|new} tokens against the docstrings; {leave|keep} tool and "
            "keys {alone|as they are}.",
            "The {docstrings|rules in the docstrings} {hold|apply|count}, in their order. {Try|"
            "Test} with {tool} ({time, audience and token|a time, an audience and a token} a "
            "line), which {stays|is kept} unchanged {like|along with} the keys.",
            "{Every|Each} token{, seen or not,|, shown here or not,|} will be {judged|measured|"
            "weighed} by the docstrings, {with|through} {tool}. Neither it nor "
            "the keys {are|get} changed, only the library.",
            "{Run|Use|Try} {tool} (it {takes|wants} lines of time, audience, token) but {change|"
            "edit} neither it nor the keys. {Verdicts|Its verdicts} {on|about} "
            "{unseen|other} tokens {have to|should} {match|follow} the docstrings.",
            "{Right|Correct} is {what|all that} the docstrings {say|lay down}, {reasons|the "
            "reasons} for {refusing|a refusal} included; {hidden|further} tokens go through "
            "{tool}. {That|This} {program|tool} and the keys {are fixed|stay the same}.",
            "{Beyond|Besides} the library {nothing|no file} changes, neither {tool} nor the "
            "keys. {How|The way} a token {fares|is judged} must {agree with|be as in|follow from} "
            "the docstrings, {sound|good} tokens {passing|accepted} as before.",
        ),
        facts={"tool": tool},
        role="constraint",
        brief=(
            "The docstrings are the policy; {tool} and the keys stay as they are.",
            "{Follow|Go by} the docstrings; {leave|keep} {tool} and the keys {alone|as they are}.",
            "{Right is what the docstrings say|Docstrings decide}; {change|edit} neither {tool} "
            "nor the keys.",
            "{Tried|Tested} {through|with} {tool} {against|by} the docstrings on {other|unseen} "
            "tokens; {it and|like it,} the keys {stay|remain}.",
        ),
    )


def batch(lines: str, verdicts: str) -> Clause:
    """Return the lines to judge again."""
    return Clause(
        "batch",
        (
            "{Then|Afterwards} judge {batch} {again|anew|once more} and {write|put|store} the "
            "verdicts, {a line|one line} each, {in|into} {verdicts}.",
            "{With|Using} the repaired library, {run|send|pass} {batch} through the tool; {its "
            "output|what it prints|the output} {belongs in|goes to} {verdicts}.",
            "{verdicts} {should|has to} {hold|have|list} the right verdict on every line of "
            "{batch}, in {its|their} order.",
            "Last week's tokens are in {batch}: {leave|store|write} {their|the} {correct|right} "
            "verdicts, line for line, {in|as|to} {verdicts}.",
            "{For the|As a} record, {verdicts} {gets|takes|receives} what the tool says {now|after "
            "the repair} about {each|every} line of {batch}.",
            "{We also need|There should be|Also write} {verdicts}, {with|containing} the verdict "
            "that {each|every} line of {batch} {deserves|ought to have had|should have got}.",
            "{One|A} file of tokens, {batch}, was {judged|checked} by the {faulty|old|lax} "
            "library; {redo|repeat} {this|that} and {keep|save} the {output|verdicts} {as|in} "
            "{verdicts}.",
        ),
        facts={"batch": lines, "verdicts": verdicts},
        role="output",
        brief=(
            "Write the right verdicts on {batch} to {verdicts}.",
            "{Judge|Check} {batch} {again|anew}; verdicts {go to|into} {verdicts}.",
            "{verdicts}: the {right|correct} verdicts on {batch}, line by line.",
        ),
    )
