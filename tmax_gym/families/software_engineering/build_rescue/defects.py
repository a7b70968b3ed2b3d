"""Defects that keep a project from building, or its options from working.

They are in the make file, in headers and in sources.  Each is one replacement in one file, and so
is its repair.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tmax_gym.families.contract import Context
from tmax_gym.families.software_engineering.build_rescue.project import EXPORTS, Project, files
from tmax_gym.rng import Rng

Kind = Literal["shared", "options", "other"]


@dataclass(frozen=True, slots=True)
class Defect:
    """One defect."""

    name: str
    file: str
    right: str
    wrong: str
    kind: Kind = "other"


def drawn(ctx: Context, project: Project, rng: Rng) -> tuple[Defect, ...]:
    """Return the defects of a stage, in the order of their repair.

    One concerns the shared library and one the options, in every stage.
    """
    sound = files(project)
    defects = [d for d in known(project, rng) if sound[d.file].count(d.right) == 1]
    of = {
        kind: rng.shuffled([d for d in defects if d.kind == kind]) for kind in ("shared", "options")
    }
    first = (of["shared"][0], of["options"][0])
    chosen: list[Defect] = []
    for defect in (*first, *rng.shuffled([d for d in defects if d not in first])):
        # Two defects in one place would hide each other.
        apart = not any(c.right in defect.right or defect.right in c.right for c in chosen)
        if len(chosen) < ctx.knob(2, 7) and apart:
            chosen.append(defect)
    # Defects of options come last: they show only once something is built.
    return tuple(sorted(rng.shuffled(chosen), key=lambda defect: defect.kind == "options"))


def known(project: Project, rng: Rng) -> Iterator[Defect]:
    """Yield every defect that this project can have."""
    yield from _in_make(project, rng.fork("make"))
    yield from _in_options(project, rng.fork("options"))
    yield from _in_sources(project, rng.fork("sources"))
    yield from _in_shared(project, rng.fork("shared"))


def _in_shared(project: Project, rng: Rng) -> Iterator[Defect]:
    path = " -Wl,-rpath,'$$ORIGIN/../build'"
    wrong = rng.choice(("", path.replace("build", "lib"), path.replace("../", "")))
    yield Defect("run path", "Makefile", path, wrong, "shared")
    yield Defect("no position-independent code", "Makefile", "PIC = -fPIC", "PIC =", "shared")
    soname = "-Wl,-soname,$(SONAME)"
    other = f"lib{project.name}.so.{project.abi + rng.choice((-1, 1))}"
    yield Defect("soname", "Makefile", soname, f"-Wl,-soname,{other}", "shared")
    yield Defect("link to nowhere", "Makefile", "ln -sf $(SONAME) $@",
                 rng.choice(("ln -sf build/$(SONAME) $@", "ln -sf $(SONAME) $(@F)")),
                 "shared")  # fmt: skip
    hidden = rng.choice((*(m.inner for m in project.extra), f"{project.name}_calls"))
    yield Defect("symbol not exported", EXPORTS, f"    {hidden};\n", "", "shared")


def _in_make(project: Project, rng: Rng) -> Iterator[Defect]:
    tab = rng.choice(("\tbuild/mktable > $@", "\trm -rf build bin"))
    yield Defect("blanks for a tab", "Makefile", tab, " " * 8 + tab[1:])
    elsewhere = rng.choice(("-Iincludes ", "-Iinc ", ""))
    yield Defect("include path", "Makefile", "-Iinclude ", elsewhere)
    yield Defect("library path", "Makefile", "-Lbuild", rng.choice(("-Llib", "-L.", "-Lbin")))
    moved = rng.choice(("gen/entries.c", "mktable.c"))
    yield Defect("generator moved", "Makefile", "gen/mktable.c", moved)
    yield Defect("table not asked for", "Makefile", "core/%.c build/entries.h", "core/%.c")
    inner = rng.choice([m.inner for m in project.extra])
    names = f"CORE = {' '.join(m.name for m in project.core)} calls"
    yield Defect("module not listed", "Makefile", names, names.replace(f" {inner}", "", 1))
    yield Defect("misspelt list", "Makefile", "$(SONAME): $(CORE_OBJECTS)",
                 "$(SONAME): $(CORE_OBJS)")  # fmt: skip
    name = project.name
    link = f"$< -Lbuild -l{name}x -l{name}"
    yield Defect("libraries before objects", "Makefile", link, f"{link[3:]} $<")


def _in_options(project: Project, rng: Rng) -> Iterator[Defect]:
    name = rng.choice(("TOTAL", "COUNT"))
    wrong = rng.choice((f"ifdef {name}", f"ifneq ($({name}),)"))
    yield Defect("option by presence", "Makefile", f"ifeq ($({name}),1)", wrong, "options")
    fixed = f"-DSHIFT={dict(project.options)['SHIFT']}"
    yield Defect("option not passed on", "Makefile", "-DSHIFT=$(SHIFT)", fixed, "options")
    tool = rng.choice(project.tools)[0]
    line = '    printf("total %ld\\n", s.total);\n#endif\n'
    yield Defect("condition not closed", f"tools/{tool}.c", line, line[:-7], "options")
    tool = rng.choice(project.tools)[0]
    yield Defect("misspelt condition", f"tools/{tool}.c", "#ifdef COUNT", "#ifdef COUNTS",
                 "options")  # fmt: skip


def _in_sources(project: Project, rng: Rng) -> Iterator[Defect]:
    name = project.name
    common = f"include/{name}.h"
    guard = f"#ifndef {name.upper()}_H\n#define {name.upper()}_H\n"
    yield Defect("wrong guard", common, guard, guard.replace("#define", "#undef"))
    extern = f"extern long {name}_calls"
    yield Defect("definition in a header", common, extern, extern[7:])
    module = rng.choice((*project.core, *project.extra)).name
    proto = f"long {module}(long v);"
    other = rng.choice((f"int {module}(long v);", f"long {module}(int v);"))
    yield Defect("prototype", f"include/{module}.h", proto, other)
    extra = rng.choice(project.extra)
    include = f'#include "{extra.inner}.h"\n'
    yield Defect("missing include", f"extra/{extra.name}.c", include, "")
    extra = rng.choice(project.extra)
    include = f'#include "{extra.name}.h"'
    large = include.replace(extra.name, extra.name.capitalize())
    yield Defect("case of a name", f"extra/{extra.name}.c", include, large)
    tool = rng.choice(project.tools)[0]
    yield Defect("no stdio", f"tools/{tool}.c", "#include <stdio.h>\n", "")
    tool = rng.choice(project.tools)[0]
    start = "\nint main(void)\n{\n"
    more = f"{start}    long spare;\n"
    yield Defect("value unused", f"tools/{tool}.c", start, more)


def broken(project: Project, defects: tuple[Defect, ...]) -> dict[str, str]:
    """Return every file with some defects in it."""
    sources = files(project)
    for defect in defects:
        sources[defect.file] = sources[defect.file].replace(defect.right, defect.wrong, 1)
    return sources
