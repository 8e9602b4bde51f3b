# Wordline's commands. `make help` lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CARGO ?= cargo
DIST ?= out/dist

# What the extension is built from.
RUST_SOURCES := Cargo.toml Cargo.lock rust-toolchain.toml $(shell find crates presets -name "*.rs" -o -name "*.toml" -o -name "*.csv")

PYTHON_SOURCES := $(shell find python/wordline papers/wordline_papers -name "*.py")

.DEFAULT_GOAL := help
.PHONY: help setup demo docs tuned wheel capi test checked verify advisories short-forms release-check fuzz mutants soak bench coverage lint lint-rust lint-python test-rust test-python format clean

help: ## list these commands
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 16

setup: $(VENV)/.built $(VENV)/.compiled ## make .venv with .venv/bin/wordline in it (Rust and Python 3.11 or later are there)

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is older than Python 3.11: name a newer one, as in make setup PYTHON=python3.12" >&2; exit 1; }
	@command -v $(CARGO) >/dev/null || \
	  { echo "there is no $(CARGO): install Rust from https://rustup.rs" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# uv takes half of pip's time. It does not read pip's settings, such as those of a mirror: if it fails, pip takes over.
INSTALL := pip install --quiet --no-deps --require-hashes --requirement

$(VENV)/.installed: requirements-dev.txt requirements-uv.txt $(VENV)/.created
	$(BIN)/python -m $(INSTALL) requirements-uv.txt --disable-pip-version-check
	$(BIN)/uv $(INSTALL) requirements-dev.txt --python $(BIN)/python --compile-bytecode || \
	  $(BIN)/python -m $(INSTALL) requirements-dev.txt --disable-pip-version-check
	@touch $@

# Python sources are used where they are; only the extension needs building. Cargo cannot reach make's job server.
DEVELOP := PIP_QUIET=1 MAKEFLAGS= VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --quiet --locked

# The fast extension: link-time optimisation over all crates takes minutes.
$(VENV)/.built: $(RUST_SOURCES) pyproject.toml $(VENV)/.installed
	$(DEVELOP) --release
	@touch $@ $(VENV)/.testable

# The extension for the tests: the fast one if it is current, else one of the crates that the Rust tests have compiled.
# Results are the same. It checks assertions and overflows; `make setup` puts the fast one in its place.
$(VENV)/.testable: $(RUST_SOURCES) pyproject.toml $(VENV)/.installed
	@rm -f $(VENV)/.built
	$(DEVELOP) --profile dev
	@touch $@

# The second package of this repository. uv builds it itself and needs no network.
$(VENV)/.papers: papers/pyproject.toml $(VENV)/.installed
	$(BIN)/uv pip install --quiet --no-deps --editable papers --python $(BIN)/python || \
	  $(BIN)/python -m pip install --quiet --no-deps --editable papers --disable-pip-version-check
	@touch $@

# Where the environment forbids Python to write bytecode, as containers often do, each start would compile anew.
$(VENV)/.compiled: $(PYTHON_SOURCES) $(VENV)/.installed $(VENV)/.papers
	$(BIN)/python -m compileall -q python/wordline papers/wordline_papers
	@touch $@

# tools/train.py runs in between, and shows the compiler which paths are taken. The results stay the same: the self-test of
# `wordline doctor` looks.
tuned: $(VENV)/.installed ## the extension of `make setup` compiled a second time for speed, in five minutes; it needs rustup
	@command -v rustup >/dev/null || { echo "there is no rustup, which brings llvm-profdata: https://rustup.rs" >&2; exit 1; }
	rustup --quiet component add llvm-tools
	@rm -f $(VENV)/.built
	$(DEVELOP) --pgo
	$(BIN)/wordline doctor
	@touch $(VENV)/.built $(VENV)/.testable

demo: setup ## simulate a workload, print a table, leave the result in out/demo
	@mkdir -p out
	@rm -rf out/demo
	$(BIN)/wordline run pnar2 --workload ycsb/a --set read.retry=baseline --set reliability.pec=1000 --set reliability.retention_months=3 \
	  --out out/demo --plot
	@echo "Look at out/demo: report.html to open in a browser, result.json, run.toml and the figures."

$(VENV)/.wheel-tools: requirements-wheel.txt $(VENV)/.installed
	$(BIN)/python -m $(INSTALL) requirements-wheel.txt --disable-pip-version-check
	@touch $@

# zig links against the glibc of 2014, which all clusters have. Results do not depend on it: the core has its own mathematics.
wheel: $(VENV)/.wheel-tools ## build out/dist/*.whl for x86_64 Linux since 2014 (glibc 2.17); it needs no Rust where it is installed
	$(BIN)/python tools/gen_notices.py
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/maturin build --release --locked --strip --zig --target x86_64-unknown-linux-gnu \
	  --compatibility manylinux2014 --out $(DIST)

# The header is kept in the sources. It is made anew here, so that it is that of the library beside it.
CAPI ?= $(CURDIR)/out/capi
CAPI_PROFILE ?= release
CBINDGEN := target/tools/bin/cbindgen
$(CBINDGEN):
	$(CARGO) install --quiet --locked --root target/tools cbindgen@0.29.0

capi: $(CBINDGEN) ## build libwordline, for programs in C and others, into out/capi
	$(CBINDGEN) --quiet --config crates/wordline-capi/cbindgen.toml --output crates/wordline-capi/include/wordline.h crates/wordline-capi
	$(CARGO) build --locked --quiet --package wordline-capi --profile $(CAPI_PROFILE)
	@mkdir -p $(CAPI)/include $(CAPI)/lib/pkgconfig
	cp crates/wordline-capi/include/wordline.h $(CAPI)/include/
	cp target/$(subst dev,debug,$(CAPI_PROFILE))/libwordline.so $(CAPI)/lib/ || cp target/$(subst dev,debug,$(CAPI_PROFILE))/libwordline.dylib $(CAPI)/lib/
	cp target/$(subst dev,debug,$(CAPI_PROFILE))/libwordline.a $(CAPI)/lib/
	sed -e 's|@PREFIX@|$(CAPI)|' -e "s|@VERSION@|$$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)|" crates/wordline-capi/wordline.pc.in \
	  > $(CAPI)/lib/pkgconfig/wordline.pc
	@echo "out/capi has include/wordline.h, lib/libwordline and lib/pkgconfig/wordline.pc"

docs: $(VENV)/.built ## build these pages into out/site; a warning is an error
	$(BIN)/sphinx-build --quiet --fresh-env --write-all --fail-on-warning --keep-going --conf-dir docs --doctree-dir out/doctrees . out/site
	@echo "Open out/site/index.html."

# One job installs packages or checks Python while Cargo compiles or tests. Two Cargos that compile wait for each other: the
# tests come first, then the extension, and the linter works while the tests run.
test: checked test-python ## check and test everything

checked:
	+@$(MAKE) --no-print-directory --jobs=3 --output-sync=target LINT_AFTER=$(VENV)/.testable test-rust lint-python lint-stubs lint-rust

lint: lint-rust lint-python lint-stubs ## formatters, linters and type checkers alone

lint-rust: $(LINT_AFTER)
	$(CARGO) fmt --all --check
	MAKEFLAGS= $(CARGO) clippy --locked --workspace --all-targets --quiet -- -D warnings

lint-python: $(VENV)/.installed
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy

lint-stubs: $(VENV)/.testable
	$(BIN)/stubtest wordline._core

# Properties are checked on the same inputs each time: a test must not fail for a reason that no change has caused.
# The linter has checked that examples compile, and no comment holds code to run.
test-rust:
	MAKEFLAGS= PROPTEST_RNG_SEED=1 $(CARGO) test --locked --workspace --quiet --tests

test-python: $(VENV)/.testable $(VENV)/.compiled
	$(BIN)/pytest --numprocesses=logical --dist=worksteal

# Other random drives and inputs each time: SEED=<number> repeats those of a run that failed.
SEED ?= $(shell date +%s)
CASES ?= 1500
verify: setup test ## everything that `make test` checks, and what takes longer: packages, power cuts, licences
	@echo "random drives and inputs of make verify SEED=$(SEED) CASES=$(CASES)"
	$(BIN)/pytest -m verify
	WORDLINE_TREES=900 $(BIN)/pytest --numprocesses=logical tests/python/test_paths.py -k not_listed
	WORDLINE_SEED=$(SEED) WORDLINE_FORGED=500 $(BIN)/pytest --numprocesses=logical tests/python/test_forged_states.py
	WORDLINE_SEED=$(SEED) WORDLINE_CASES=$(CASES) $(CARGO) test --locked --quiet --package wordline-core --test all -- checked_mode power journal frontiers write_amplification live aged
	WORDLINE_SEED=$(SEED) WORDLINE_CASES=400 $(CARGO) test --locked --quiet --package wordline-run --test aging -- --include-ignored
	WORDLINE_REQUESTS=1000000 $(CARGO) test --locked --quiet --package wordline-core --test all -- --include-ignored large_drive real_traces
	WORDLINE_SEED=$(SEED) WORDLINE_CASES=1000000 $(CARGO) test --locked --quiet --package wordline-serve --test fuzz
	WORDLINE_SEED=$(SEED) WORDLINE_CASES=100000 $(CARGO) test --locked --quiet --package wordline-serve --lib -- durability
	$(CARGO) install --quiet --locked --root target/tools cargo-deny@0.20.2
	target/tools/bin/cargo-deny check licenses bans sources

advisories: $(VENV)/.installed ## look up known vulnerabilities of all crates and packages; it needs the network, and says so where there is none
	$(CARGO) install --quiet --locked --root target/tools cargo-deny@0.20.2
	$(BIN)/python tools/advisories.py $(ADVISORIES)

short-forms: $(VENV)/.built $(VENV)/.compiled ## write the fingerprints of the studies' short forms, after a change of results
	$(BIN)/wordline reproduce all --short-forms

release-check: verify ## what a release needs: all of `make verify`, and full runs of all studies
	$(BIN)/pytest -m release

fuzz: ## check the properties of the core and of the trace readers on inputs that nobody has seen
	$(CARGO) test --locked --workspace --quiet

# What it has found is kept: it goes on where it stopped. It takes a few minutes to build, and seconds for each fault.
mutants: $(VENV)/.built ## put faults into a copy of the sources, see whether the tests find them, and write it down
	$(BIN)/python tools/mutants.py --page

SECONDS ?= 3600
soak: $(VENV)/.built ## hunt for faults for so many SECONDS more: random SSDs with power cuts, damaged input for all readers
	$(BIN)/python tools/soak.py --seconds $(SECONDS) --page

REPETITIONS ?= 200
coverage: $(VENV)/.built ## see how often the intervals of results cover the truth, in so many REPETITIONS of each case, and write it down
	$(BIN)/python tools/coverage.py --repetitions $(REPETITIONS)

format: $(VENV)/.installed ## bring all sources into form
	$(CARGO) fmt --all
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .

bench: $(VENV)/.built ## print speed and memory as JSON; BASE=<commit> measures an older version beside it, MQSIM=<program> MQSim
	@$(BIN)/python tools/bench.py $(if $(BASE),--base $(BASE)) $(if $(MQSIM),--mqsim $(MQSIM))

clean: ## remove everything that was built
	rm -rf $(VENV) target out .mypy_cache .ruff_cache .pytest_cache .hypothesis python/wordline/_core*.so
