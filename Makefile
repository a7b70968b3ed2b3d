# One command a habit.  Each target makes .venv by itself; all that it needs is Python >= 3.11.
#
#   make demo   train a tiny policy on real tasks in real sandboxes; runs/demo/report.html
#   make test   the tests but the slow ones, on WORKERS processes; docker tests run where an engine
#               answers, else skip
#   make slow   the slow tests: two-rank trainers, whole demos, 1,024 environments, chaos
#   make lint   ruff (rules and format) and mypy --strict
#   make docs   the documentation as a site; site/index.html
#   make format let ruff repair what it can
#   make clean  remove .venv and caches
#
# PYTHON=/path/to/python3 chooses the interpreter, PYTEST="-k shell -x" adds to pytest, WORKERS=0
# runs the tests in one process.

SHELL := /bin/bash
candidates := python3 python3.13 python3.12 python3.11
PYTHON ?= $(shell for p in $(candidates); do \
    "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
    && command -v "$$p" && break; done)
# The name holds a checksum of what was installed: an edit of either file installs anew.
STAMP := .venv/.installed-$(shell cat pyproject.toml constraints.txt | cksum | cut -d' ' -f1)

# Tests start hundreds of Python processes: compiled once, modules cost each of them nothing more.
unexport PYTHONDONTWRITEBYTECODE

# Twice the cores of a small machine: many tests wait for a clock or for a process.  A file stays on
# one worker, so that what its tests share is made once; tests/conftest.py has the order of files.
WORKERS ?= 4

.PHONY: demo test slow lint docs format clean
.DEFAULT_GOAL := test

demo: $(STAMP)
	.venv/bin/tmax demo

PYTEST_ALL = .venv/bin/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

test: $(STAMP)
	$(PYTEST_ALL) -m "not slow" $(PYTEST)

slow: $(STAMP)
	$(PYTEST_ALL) -m slow $(PYTEST)

lint: $(STAMP)
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

docs: $(STAMP)
	.venv/bin/mkdocs build --strict

format: $(STAMP)
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

clean:
	rm -rf .venv .pytest_cache .ruff_cache .mypy_cache .hypothesis dist site

$(STAMP):
	@if [ -z "$(PYTHON)" ]; then \
	    echo "tmax-gym needs Python 3.11 or newer; tried $(candidates) on PATH." >&2; \
	    echo "Debian and Ubuntu: apt-get install python3 python3-venv" >&2; \
	    echo "Elsewhere: make PYTHON=/path/to/python3.12 ..." >&2; exit 1; fi
	@if ! "$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null; then \
	    echo "$(PYTHON) cannot make virtual environments: its ensurepip or venv is missing." >&2; \
	    echo "Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; fi
	[ -x .venv/bin/python ] || "$(PYTHON)" -m venv .venv
	.venv/bin/python -m pip install --quiet --editable '.[train,docker,dev,docs]' --constraint constraints.txt
	@rm -f .venv/.installed-*
	@touch $@
