"""What an instruction of the build-rescue family says."""

from __future__ import annotations

from tmax_gym.texts.clauses import Clause


def goal(root: str, targets: str) -> Clause:
    """Return the goal."""
    return Clause(
        "goal",
        (
            "The C project {in|below} {root} {no longer builds|does not build any more}. {Repair|"
            "Mend} it so that a plain `make` there {makes|produces} {targets}.",
            "`make` {fails|breaks} in {root}; {get|bring} the {vendored|} project to build {again|"
            "once more}, with {targets} as the outcome.",
            "{Somebody|A colleague} {tidied|reorganised} {root}, and now {it does not build|the "
            "build is broken}: {make|have} `make` {yield|give} {targets} again.",
            "We {took over|vendored} {root} and cannot build it. {Find|Track down} {what|"
            "whatever} is wrong and {leave|have} {targets} built by `make`.",
            "{root} {has to|must} build {before noon|today}: {after|with} your {fixes|repairs}, "
            "`make` in that directory {should leave|leaves} {targets}.",
            "{Rescue|Fix} the build of {root}; {what is wanted|wanted} is that `make` {ends well|"
            "succeeds} and {leaves|makes} {targets}.",
        ),
        facts={"root": root, "targets": targets},
        role="goal",
        brief="Repair {root} so that `make` builds {targets}.",
    )


def samples(place: str) -> Clause:
    """Return the right behaviour of the tools."""
    return Clause(
        "samples",
        (
            "{Each|Every} tool reads numbers from standard input; {place} holds an input and the "
            "{right|proper} output of each, {built|as built} with {the options as they are|the "
            "present options}.",
            "{place} has, for {each|every} tool, {an input|numbers} and what the {old|last good} "
            "build printed {for it|from them} with the options {as set|of today}.",
            "{Compare|Check} with {place}: {an input|numbers} and the output of a {good|sound} "
            "build with {default|the default} options, one pair a tool.",
            "{What|That which} a {sound|working} build prints under the {default|present} options "
            "is {kept|to be seen} in {place}, {tool by tool|a pair of files a tool}.",
            "{In|Below} {place} {lie|are} pairs of input and output, {one for each|a pair per} "
            "tool, from a build that {worked|was right} (options {unchanged|as now}).",
            "{Outputs|The outputs} of the last {good|working} build, options as {now|they stand}, "
            "are {in|below} {place} {beside|with} their inputs.",
        ),
        facts={"place": place},
        role="input",
        brief="{place} has inputs and right outputs of every tool.",
    )


def options(file: str, trial: str) -> Clause:
    """Return how options are given, and what tries them."""
    return Clause(
        "options",
        (
            "{file} {sets|has} the options, and each {must|has to} keep its {effect|meaning} when "
            "given {otherwise|another value} as in {trial}.",
            "The options {of|in} {file} {count|matter} too, also when {set|given} on the command "
            "line of make, {as in|say} {trial}.",
            "{Options|All options} of {file} {should work|are to work} from the command line as "
            "well, {say|for example} {trial}.",
            "Builds with other {values|options} than those in {file} are {tried|tested} as well, "
            "{like|such as} {trial}.",
            "{trial} {builds|has to build} the project with other options than {file} {says|has}, "
            "and {the tools|what the tools print} must {show it|follow}.",
            "{What is set|The options} in {file} can be {overruled|overridden}, {by|with} {trial} "
            "for one, and {that|this} {must|has to} {work|have its effect}.",
        ),
        facts={"file": file, "trial": f"`{trial}`"},
        brief="Options of {file} must work when given otherwise, as in {trial}.",
    )


def meaning(readme: str) -> Clause:
    """Return where it stands what the options mean."""
    return Clause(
        "meaning",
        (
            "{readme} {says|tells} what the options mean{ and how the parts lie|}.",
            "{See|Read} {readme} for {the layout|how it is laid out} and the {options|meaning of "
            "the options}.",
            "The {meaning|effect} of {every|each} option is {given|described} in {readme}.",
            "{Layout|How it is laid out} and options are {explained|described} in {readme}.",
            "What an option does {is said|stands} in {readme}{, with the layout|}.",
            "{Start|Begin} with {readme}, which {explains|names} the {options|parts and the "
            "options}.",
        ),
        facts={"readme": readme},
        role="input",
    )


def strict(script: str) -> Clause:
    """Return how it is judged."""
    return Clause(
        "strict",
        (
            "{It is|You are} {judged|graded} by {script}, which builds {afresh|anew} with all "
            "warnings as errors and {runs|tries} a tool on {unseen|other} numbers; {it|that "
            "script} {stays|is to stay} as it is.",
            "{script} {judges|decides}: a {clean|fresh} build, warnings being errors, and {then|"
            "after it} the tools on {unseen|other} numbers. {It stays|Keep it} as it is.",
            "{Unseen|Other} numbers {go|are sent} through {script}, {untouched|as it stands}; it "
            "builds {anew|from nothing} and {takes|counts} every warning {as|for} an error.",
            "{Leave|Keep} {script} {alone|as it is}: with it the {project|whole} is built {from "
            "scratch|anew} under {strict|all} warnings and tried on {further|hidden} numbers.",
            "Warnings are errors in {script}, which {builds|starts} from a clean tree and {feeds|"
            "gives} the tools {new|hidden} numbers; {that file|it} {stays|must stay} unedited.",
            "{What counts|The test} is a {fresh|clean} build by {script} ({unedited|left as it "
            "is}, warnings as errors) and what {the tools|its tools} make of {unknown|hidden} "
            "numbers.",
        ),
        facts={"script": script},
        role="constraint",
        brief="{script} builds afresh, warnings as errors, and tries unseen numbers; it stays.",
    )
