# The entry point for everything.  `make` without a target prints what it can do.
#
# Any target that needs the environment in .venv creates it or brings it up to date.  Stamp files
# in .venv are named after the checksum of what they were made from, so that a change of content
# (not of a date) makes them stale.

PYTHON ?= python3
CORES ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
NATIVE ?= 0
SCALE ?=
RUN ?=
ARTEFACT ?=
CONFIG ?=
ARGS ?=

# Without it, Snakemake and others do not start for a user who has no account.
export HOME ?= $(CURDIR)/.snakemake

# The tests and the workflow use the installed package, and no other copy.
unexport PYTHONPATH
unexport PYTHONHOME

ifneq ($(words $(CURDIR)),1)
$(error The path of the project, $(CURDIR), contains a blank, with which Snakemake cannot start \
	jobs; move the project to a folder without blanks)
endif

BIN := .venv/bin
SAY := @printf '%s\n'
SNAKEMAKE = PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m snakemake --cores $(CORES) \
	--workflow-profile workflow/profiles/default
# Snakemake uses only the last --config option.
KEYS = $(if $(filter -C% --config --config=%,$(ARGS)),$(error Pass keys of the configuration with \
	CONFIG='key=value', because --config in ARGS would override the scale))$(strip $(CONFIG))
with_keys = $(if $(and $(1),$(filter scale=%,$(KEYS))),$(error CONFIG names a scale, and so does \
	$(1); give one of them))$(if $(strip $(1) $(KEYS)),--config $(strip $(1) $(KEYS)))

# Variables that each target uses; any other of these is an error, because it would be ignored.
VARIABLES := SCALE RUN ARTEFACT CONFIG ARGS CLONES
USES_demo := CONFIG ARGS
USES_all := SCALE CONFIG ARGS
USES_report := SCALE CONFIG ARGS
USES_missing := SCALE CONFIG ARGS
USES_derive := CLONES ARGS
USES_verify := RUN ARTEFACT
USES_publish := $(if $(RUN),RUN,SCALE) ARGS
USES_test := ARGS
USES_cluster-test := ARGS
USES_faults := ARGS
USES_machines := ARGS
USES_surroundings := ARGS
USES_wheel := ARGS
USES_bench := ARGS
# What to do instead.
HINT_demo_SCALE = : use make all SCALE=$(SCALE)
HINT_publish_SCALE = : RUN=$(RUN) names the run
HINT_CONFIG = : name a run with RUN=NAME
HINT_RUN = : name a run with CONFIG=run=NAME
HINT_SCALE = : name a run with RUN=NAME
HINT_ARTEFACT = : for one artefact use snakemake NAME
given = $(filter command,$(firstword $(origin $(1))))
ignored = $(if $(call given,$(2)),$(if $(filter $(2),$(USES_$(1))),,$(error $(2) has no effect on \
	$(1)$(or $(HINT_$(1)_$(2)),$(if $(filter $(1),$(TAKES_HINTS)),$(HINT_$(2)))))))
# Hints about runs make sense for these.
TAKES_HINTS := demo all report missing verify publish
# Targets with a dot are made by others, which pass all variables on.
$(foreach target,$(filter-out .%,$(MAKECMDGOALS)),$(foreach name,$(VARIABLES),$(call ignored,$(target),$(name))))
$(if $(filter-out 0 1,$(NATIVE)),$(error NATIVE is $(NATIVE); it must be 0 or 1))

ifeq ($(NATIVE),1)
FLAVOUR := native
SETUP_ARGS := --config-settings=setup-args=-Dnative=true
else
FLAVOUR := portable
SETUP_ARGS := --config-settings=setup-args=-Dnative=false
endif

# The sources of the package, without anything that was compiled in place.
SOURCES = find README.md LICENSE pyproject.toml meson.build meson.options tools/translate.py src -type f \
	! -path '*/__pycache__/*' ! -name '*.so' ! -name '*.c' ! -name '.*' | LC_ALL=C sort
checksum = $(shell $(1) | cksum | tr -cd 0-9)

MADE := .venv/.python-$(call checksum,printf '%s' '$(CURDIR)')
LOCKED := .venv/.locked-$(call checksum,cat requirements.lock)
INSTALLED := .venv/.reseat-$(FLAVOUR)-$(call checksum,$(SOURCES) | tr '\n' '\0' | xargs -0 cksum)

.PHONY: help env demo all report missing derive list verify publish docs test cluster-test faults machines surroundings lint wheel bench clean
.DEFAULT_GOAL := help

help:
	@echo "make demo     the whole workflow on generated data: a few minutes, no download"
	@echo "make all      every table and figure on real data (SCALE=paper: as long as published)"
	@echo "make report   the report, and all results that it shows and that are not there yet"
	@echo "make missing  list missing data, where to get them, and what cannot be made without them"
	@echo "make derive   rebuild the derived tables of data/, byte for byte (CLONES=FOLDER: all of them)"
	@echo "make list     list every table and figure, with what it shows and what it cost"
	@echo "make verify   check which published numbers your newest run confirms (RUN=name, ARTEFACT=docs_table2)"
	@echo "make publish  copy a finished run to reports/published in the repository (RUN=name)"
	@echo "make docs     build the documentation in docs/_build/html"
	@echo "make test     run the tests (ARGS='-k gibbs' and the like are passed to pytest)"
	@echo "make cluster-test  run the whole demo on a SLURM started for the test (as root, on Debian)"
	@echo "make faults   test recovery from power cuts, full disks and the like, and print a tally"
	@echo "make machines make the demo as on a new and an old processor, and compare all numbers"
	@echo "make surroundings  run half of the tests without a home, in other locales and the like (ARGS='--only umask')"
	@echo "make lint     run ruff, cython-lint, snakefmt, snakemake --lint and mypy"
	@echo "make wheel    build the wheel and try it where there is no compiler (ARGS: interpreters)"
	@echo "make bench    compare speed and memory with other programs (ARGS=--quick: on small data)"
	@echo "make env      only create the environment in .venv"
	@echo "make clean    remove the environment and compiled files; data and results are kept"
	@echo ""
	@echo "Settings, with their current values:"
	@echo "  PYTHON=$(PYTHON)  interpreter for the environment, Python 3.11 or newer"
	@echo "  CORES=$(CORES)  processor cores that the workflow may use"
	@echo "  SCALE=$(SCALE)  demo, standard or paper; if empty, the scale in config/config.yaml"
	@echo "  NATIVE=$(NATIVE)  1 tunes the compiled code for this processor (-march=native)"
	@echo "  CONFIG=$(CONFIG)  keys of the configuration, such as seed=1"
	@echo "  ARGS=$(ARGS)  further arguments for Snakemake, pytest or the benchmarks"

env: $(INSTALLED)
	$(SAY) "The environment in .venv is up to date."

demo: $(INSTALLED)
	$(SAY) "Running the workflow at demo scale on $(CORES) cores"
	$(SNAKEMAKE) all $(call with_keys,scale=demo) $(ARGS)
	@$(MAKE) --no-print-directory -s .where

all: $(INSTALLED)
	$(SNAKEMAKE) all $(call with_keys,$(SCALE:%=scale=%)) $(ARGS)
	@$(MAKE) --no-print-directory -s .where

report: $(INSTALLED)
	$(SNAKEMAKE) page $(call with_keys,$(SCALE:%=scale=%)) $(ARGS)
	@$(MAKE) --no-print-directory -s .where

missing: $(INSTALLED)
	@$(SNAKEMAKE) missing --quiet all $(call with_keys,$(SCALE:%=scale=%)) $(ARGS) || \
		$(SNAKEMAKE) missing $(call with_keys,$(SCALE:%=scale=%)) $(ARGS)  # to say what is wrong

derive: $(INSTALLED)
	$(BIN)/python data/derive.py $(if $(CLONES),--clones $(CLONES)) $(ARGS)

list: $(INSTALLED)
	@$(BIN)/python workflow/scripts/report/list.py

verify: $(INSTALLED)
	@$(BIN)/python -m reseat.command verify $(ARTEFACT) $(RUN:%=--run %)

publish: $(INSTALLED)
	@$(BIN)/python -m reseat.command publish $(or $(RUN),$(SCALE),standard) $(ARGS)
	@$(BIN)/python tools/write_findings.py
	@$(BIN)/python tools/readme.py

# Built from scratch each time, to remove pages of names that no longer exist; it takes a minute.
docs: $(INSTALLED)
	@rm -rf docs/_build docs/reference/api
	$(BIN)/python -m sphinx -W --keep-going -q -j $(CORES) -d docs/_build/doctrees docs docs/_build/html
	$(SAY) "" "The documentation is $(CURDIR)/docs/_build/html/index.html"

# One process more than there are processors, because the first files mostly wait for others.
test: $(INSTALLED)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -n $$(($$(getconf _NPROCESSORS_ONLN) + 1)) \
		--maxprocesses 8 --dist loadfile --no-loadscope-reorder $(ARGS)

# `make test` already includes a part of the next two. Without ARGS, they note their outcome in
# tests/last_runs.csv.
cluster-test: $(INSTALLED)
	PATH="$(CURDIR)/$(BIN):$$PATH" RESEAT_CLUSTER=whole RESEAT_TARGET=$(if $(ARGS),,$@) \
		$(BIN)/python -m pytest tests/cluster $(ARGS)

# This takes three quarters of an hour.
faults: $(INSTALLED)
	PATH="$(CURDIR)/$(BIN):$$PATH" RESEAT_FAULTS=whole RESEAT_TARGET=$(if $(ARGS),,$@) \
		$(BIN)/python -m pytest tests/faults tests/cluster/test_slurm_faults.py $(ARGS)

machines: $(INSTALLED)
	PATH="$(CURDIR)/$(BIN):$$PATH" RESEAT_MACHINES=whole $(BIN)/python -m pytest \
		tests/workflow/test_machines.py $(ARGS)

# It takes most of an hour.
surroundings: $(INSTALLED)
	@$(BIN)/python tools/surroundings.py $(ARGS)

lint: $(INSTALLED)
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh tools/lint.sh

wheel: $(INSTALLED)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tools/wheel.py $(ARGS)

bench: $(INSTALLED)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python benchmarks/run.py $(ARGS)
	$(if $(findstring --only,$(ARGS)),,$(BIN)/python benchmarks/own_data.py $(filter --quick,$(ARGS)))

clean:
	rm -rf .venv .venv-peers build .pytest_cache .ruff_cache .hypothesis
	find src tests benchmarks workflow -name __pycache__ -type d -prune -exec rm -rf {} +
	$(SAY) "data/, results/ and reports/ were kept."

.PHONY: .where
.where:
	@if [ -n "$(filter -n --dry-run --directory% -d,$(ARGS))" ]; then :; \
	elif [ -f reports/index.html ]; then \
		printf '\nThe report is %s\n' "$(CURDIR)/reports/index.html"; \
	else \
		printf '\nThe results are in %s\n' "$(CURDIR)/results"; \
	fi

# An existing environment is not replaced: targets would silently keep using its interpreter.
ifneq ($(and $(call given,PYTHON),$(wildcard $(MADE)),$(filter-out help clean,$(MAKECMDGOALS))),)
WHICH := -c 'import sys; print(sys.base_prefix, sys.version)'
ifneq ($(shell "$(PYTHON)" $(WHICH) 2>&1),$(shell $(BIN)/python $(WHICH) 2>&1))
$(error PYTHON=$(PYTHON) has no effect, because .venv was made with another interpreter; run make \
	clean first)
endif
endif

# ---- the environment ---------------------------------------------------------------------

$(MADE):
	@command -v "$(PYTHON)" >/dev/null 2>&1 || { \
		echo "$(PYTHON) was not found: install Python 3.11 or newer, or specify one with" \
			"make PYTHON=/path/to/python3." >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$(PYTHON) is $$("$(PYTHON)" -V 2>&1), but Python 3.11 or newer is needed:" \
			"specify one with make PYTHON=/path/to/python3." >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot make virtual environments: install its venv package" \
			"(python3-venv on Debian and Ubuntu)." >&2; exit 1; }
	$(SAY) "[1/3] Creating the environment .venv with $$("$(PYTHON)" -V)"
	@rm -rf .venv build/portable build/native
	@"$(PYTHON)" -m venv .venv
	@touch $@

$(LOCKED): $(MADE)
	$(SAY) "[2/3] Installing the packages of requirements.lock, each checked by its hash"
	@$(BIN)/python tools/install_locked.py requirements.lock
	@rm -f .venv/.locked-* .venv/.reseat-*
	@touch $@

$(INSTALLED): $(LOCKED)
	@set -- $${CC:-cc}; command -v "$$1" >/dev/null 2>&1 || { \
		[ -z "$$CC" ] && { command -v gcc || command -v clang; } >/dev/null 2>&1; } || { \
		echo "No C compiler was found: install one (gcc or clang), or specify it with" \
			"CC=/path/to/cc in the environment." >&2; exit 1; }
	@$(BIN)/python -c 'import os, sys, sysconfig as s; \
		sys.exit(not os.path.exists(os.path.join(s.get_path("include"), "Python.h")))' || { \
		echo "The C headers of Python are missing: install its development package" \
			"(python3-dev on Debian and Ubuntu)." >&2; exit 1; }
	$(SAY) "[3/3] Compiling and installing reseat ($(FLAVOUR) build); the first time takes about two minutes"
	@$(SOURCES) | PATH="$(CURDIR)/$(BIN):$$PATH" \
		$(BIN)/python tools/install.py build/$(FLAVOUR) $(SETUP_ARGS)
	@rm -f .venv/.reseat-*
	@touch $@
