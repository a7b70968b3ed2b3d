"""A small C project: a shared library, a static one, a generated table, options, a few tools.

This module knows every file of the sound project and what its tools print with given options.
What is broken in it is in `defects.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.families.contract import Context
from tmax_gym.rng import Rng

LIMIT = 1_000_003
BODIES = {
    "scale": "return (v * {a}L + {b}L) % LIMIT;",
    "flip": "return (v ^ {a}L) % LIMIT;",
    "fold": "return (v / {a}L + v % {a}L * {b}L) % LIMIT;",
    "wrap": "return v % {a}L + {b}L;",
    "mirror": "return v < {a}L ? {a}L - 1 - v : v - {a}L;",
    "shift": "return ((v << SHIFT) + {a}L) % LIMIT;",
    "table": "return (TABLE[v % {n}] + v / {n}) % LIMIT;",
    "weave": "return ({inner}(v % {a}L) + {b}L) % LIMIT;",
    "twist": "return ({inner}(v) ^ {a}L) % LIMIT;",
}
"""Form of a module to its body; `weave` and `twist` call a module of the core library."""
NAMES = {
    "scale": ("scale", "gain", "ramp"),
    "flip": ("flip", "toggle", "invert"),
    "fold": ("fold", "crease", "pleat"),
    "wrap": ("wrap", "cycle", "ring"),
    "mirror": ("mirror", "reflect", "facing"),
    "shift": ("shift", "slide", "lift"),
    "table": ("table", "lookup", "chart"),
    "weave": ("weave", "braid", "lace", "plait"),
    "twist": ("twist", "coil", "whirl", "spiral"),
}
EXPORTS = "core/exports.map"
TOOLS = ("encode", "digest", "blend", "trace", "stamp", "rate")
Options = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Module:
    """One function in a file of its own."""

    name: str
    form: str
    a: int
    b: int
    inner: str = ""
    """The module that it calls."""


@dataclass(frozen=True, slots=True)
class Project:
    """A project: its modules, tools and options."""

    name: str
    root: str
    core: tuple[Module, ...]
    extra: tuple[Module, ...]
    tools: tuple[tuple[str, tuple[str, ...]], ...]
    """Name of each tool and the modules that it applies, in order."""
    entries: int
    """Entries of the generated table."""
    factor: int
    abi: int
    """Version of the shared library's interface."""
    options: tuple[tuple[str, int], ...]

    @property
    def offered(self) -> tuple[str, ...]:
        """Return the symbols that the shared library exports."""
        return (*sorted(m.name for m in self.core), f"{self.name}_calls")

    @property
    def modules(self) -> dict[str, Module]:
        """Return every module by its name."""
        return {m.name: m for m in (*self.core, *self.extra)}


def drawn(ctx: Context, rng: Rng) -> Project:
    """Return the project of a stage."""
    plain = rng.sample(("scale", "flip", "fold", "wrap", "mirror"), ctx.knob(2, 5))
    forms = [*plain, "table", "shift"]
    names = {form: rng.choice(NAMES[form]) for form in forms}
    core = [_module(rng.fork(form), form, names[form]) for form in forms]
    # The extra library alone calls these two, so that the order of the libraries matters.
    inner = [names["table"], names[plain[0]]]
    more = rng.sample((*NAMES["weave"], *NAMES["twist"]), ctx.knob(2, 4))
    extra = []
    for number, name in enumerate(more):
        form = "weave" if name in NAMES["weave"] else "twist"
        extra.append(_module(rng.fork(name), form, name, inner[number % 2]))
    outer = [m.name for m in core if m.name not in inner]
    tools = []
    for number, tool in enumerate(rng.sample(TOOLS, ctx.knob(2, 4))):
        fork = rng.fork("tool", tool)
        steps = [names["shift"], *fork.sample(outer, fork.integer(0, min(2, len(outer))))]
        # Every tool has both inner modules behind it, and the first one has the whole of extra.
        steps += [m.name for m in (extra if not number else extra[:2])]
        tools.append((tool, tuple(fork.shuffled(steps))))
    title = ctx.skin.stem(rng).replace("_", "").replace("-", "").lower()
    return Project(
        name=title,
        root=ctx.path(rng.choice((title, f"vendor/{title}", f"src/{title}"))),
        core=tuple(rng.shuffled(core)),
        extra=tuple(extra),
        tools=tuple(tools),
        entries=rng.integer(5, 13),
        factor=rng.integer(1_000, 90_000),
        abi=rng.integer(2, 7),
        options=(("SHIFT", rng.integer(1, 6)), ("TOTAL", 1), ("COUNT", rng.integer(0, 1))),
    )


def _module(rng: Rng, form: str, name: str, inner: str = "") -> Module:
    low = 2000 if form in ("mirror", "wrap", "weave") else 11
    return Module(name, form, rng.integer(low, low * 40), rng.integer(3, 9999), inner)


def printed(project: Project, tool: str, numbers: list[int], *, options: Options) -> str:
    """Return the output of a tool for some numbers."""
    calls, total, lines = 0, 0, []

    def turned(name: str, v: int) -> int:
        nonlocal calls
        calls += 1
        module = project.modules[name]
        a, b, n = module.a, module.b, project.entries
        match module.form:
            case "scale":
                return (v * a + b) % LIMIT
            case "flip":
                return (v ^ a) % LIMIT
            case "fold":
                return (v // a + v % a * b) % LIMIT
            case "wrap":
                return v % a + b
            case "mirror":
                return a - 1 - v if v < a else v - a
            case "shift":
                return ((v << options["SHIFT"]) + a) % LIMIT
            case "table":
                return (entry(project, v % n) + v // n) % LIMIT
            case "weave":
                return (turned(module.inner, v % a) + b) % LIMIT
            case _:
                return (turned(module.inner, v) ^ a) % LIMIT

    for v in numbers:
        for step in dict(project.tools)[tool]:
            v = turned(step, v)
        total = (total + v) % LIMIT
        lines.append(f"{v}\n")
    lines += [f"total {total}\n"] if options["TOTAL"] else []
    lines += [f"calls {calls}\n"] if options["COUNT"] else []
    return "".join(lines)


def entry(project: Project, index: int) -> int:
    """Return one entry of the generated table."""
    return (index * index + 1) * project.factor % LIMIT


def files(project: Project) -> dict[str, str]:
    """Return every file of the sound project by its path below the root."""
    sources = {
        "Makefile": _makefile(project),
        "config.mk": "".join(f"{name} = {value}\n" for name, value in project.options),
        f"include/{project.name}.h": _common(project),
        "core/calls.c": f'#include "{project.name}.h"\n\nlong {project.name}_calls;\n',
        EXPORTS: _exports(project),
        "gen/mktable.c": _generator(project),
    }
    for module in (*project.core, *project.extra):
        place = "core" if module in project.core else "extra"
        sources[f"include/{module.name}.h"] = _header(project, module)
        sources[f"{place}/{module.name}.c"] = _source(project, module, helped=place == "extra")
    for tool, steps in project.tools:
        sources[f"tools/{tool}.c"] = _tool(project, steps)
    return sources


def _common(project: Project) -> str:
    guard = f"{project.name.upper()}_H"
    return (
        f"#ifndef {guard}\n#define {guard}\n\n#define LIMIT {LIMIT}L\n\n"
        f"struct {project.name}_state {{\n    long total;\n    long last;\n}};\n\n"
        f"extern long {project.name}_calls;\n\n#endif\n"
    )


def _exports(project: Project) -> str:
    lines = "".join(f"    {name};\n" for name in project.offered)
    return f"{{\n  global:\n{lines}  local:\n    *;\n}};\n"


def _header(project: Project, module: Module) -> str:
    guard = f"{module.name.upper()}_H"
    return (
        f'#ifndef {guard}\n#define {guard}\n\n#include "{project.name}.h"\n\n'
        f"long {module.name}(long v);\n\n#endif\n"
    )


def _source(project: Project, module: Module, *, helped: bool) -> str:
    lines = [f'#include "{project.name}.h"', f'#include "{module.name}.h"']
    lines += [f'#include "{module.inner}.h"'] if module.inner else []
    lines += ['#include "entries.h"'] if module.form == "table" else []
    body = BODIES[module.form].format(a=module.a, b=module.b, n=project.entries, inner=module.inner)
    count = f"    {project.name}_calls++;"
    if helped:
        lines += ["", "static long step(long v)", "{", f"    {body}", "}"]
        body = "return step(v);"
    lines += ["", f"long {module.name}(long v)", "{", count, f"    {body}", "}"]
    return "\n".join(lines) + "\n"


def _tool(project: Project, steps: tuple[str, ...]) -> str:
    state = f"struct {project.name}_state s"
    lines = ["#include <stdio.h>", "", f'#include "{project.name}.h"']
    lines += [f'#include "{step}.h"' for step in sorted(set(steps))]
    lines += ["", "int main(void)", "{", f"    {state} = {{0, 0}};", ""]
    lines += ['    while (scanf("%ld", &s.last) == 1) {']
    lines += [f"        s.last = {step}(s.last);" for step in steps]
    lines += ["        s.total = (s.total + s.last) % LIMIT;"]
    lines += ['        printf("%ld\\n", s.last);', "    }", "#ifdef TOTAL"]
    lines += ['    printf("total %ld\\n", s.total);', "#endif", "#ifdef COUNT"]
    lines += [f'    printf("calls %ld\\n", {project.name}_calls);', "#endif"]
    return "\n".join([*lines, "    return 0;", "}"]) + "\n"


def _generator(project: Project) -> str:
    return (
        "#include <stdio.h>\n\nint main(void)\n{\n    long n;\n\n"
        f'    printf("static const long TABLE[{project.entries}] = {{\\n");\n'
        f"    for (n = 0; n < {project.entries}; n++)\n"
        f'        printf("    %ldL,\\n", (n * n + 1) * {project.factor}L % {LIMIT}L);\n'
        '    printf("};\\n");\n    return 0;\n}\n'
    )


def _makefile(project: Project) -> str:
    name = project.name
    core = f"build/lib{name}.so"
    compiled = "$(CC) $(STRICT) $(PIC) $(CPPFLAGS) -c -o $@ $<"
    rules = "".join(
        f"build/{place}/%.o: {place}/%.c{' build/entries.h' if place == 'core' else ''}\n"
        f"\t@mkdir -p $(@D)\n\t{compiled}\n\n"
        for place in ("core", "extra", "tools")
    )
    return (
        "include config.mk\n\nCC = gcc\nSTRICT = -O1 -std=c99 -pedantic -Wall -Wextra -Werror\n"
        "CPPFLAGS = -Iinclude -Ibuild -DSHIFT=$(SHIFT)\n"
        "ifeq ($(TOTAL),1)\nCPPFLAGS += -DTOTAL\nendif\n"
        "ifeq ($(COUNT),1)\nCPPFLAGS += -DCOUNT\nendif\n"
        f"PIC = -fPIC\nSONAME = lib{name}.so.{project.abi}\n\n"
        f"CORE = {' '.join(m.name for m in project.core)} calls\n"
        f"EXTRA = {' '.join(m.name for m in project.extra)}\n"
        f"TOOLS = {' '.join(tool for tool, _ in project.tools)}\n"
        "CORE_OBJECTS = $(CORE:%=build/core/%.o)\nEXTRA_OBJECTS = $(EXTRA:%=build/extra/%.o)\n\n"
        "all: $(TOOLS:%=bin/%)\n\n"
        f"bin/%: build/tools/%.o build/lib{name}x.a {core}\n\t@mkdir -p bin\n"
        f"\t$(CC) -o $@ $< -Lbuild -l{name}x -l{name} -Wl,-rpath,'$$ORIGIN/../build'\n\n"
        f"{core}: build/$(SONAME)\n\tln -sf $(SONAME) $@\n\n"
        f"build/$(SONAME): $(CORE_OBJECTS) {EXPORTS}\n"
        f"\t$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--version-script={EXPORTS} -o $@ "
        "$(CORE_OBJECTS)\n\n"
        f"build/lib{name}x.a: $(EXTRA_OBJECTS)\n\tar rcs $@ $^\n\n{rules}"
        "build/entries.h: build/mktable\n\tbuild/mktable > $@\n\n"
        "build/mktable: gen/mktable.c\n\t@mkdir -p build\n\t$(CC) $(STRICT) -o $@ $<\n\n"
        "clean:\n\trm -rf build bin\n\n.PHONY: all clean\n"
    )
