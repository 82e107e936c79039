# Two commands for everyone: `make demo` and `make test`. Both set up what they need and are safe to repeat.
.PHONY: demo test test-slow mutations mutations-sample lint setup setup-dev setup-bench pictures docs wheel sbom audit clean
.DEFAULT_GOAL := help
# Bytecode and grammars are kept between processes also where the environment forbids it: tests start hundreds.
export PYTHONDONTWRITEBYTECODE :=

help:
	@echo "make demo            watch one whole turn: photographed orders arrive by mail, are read, judged and answered"
	@echo "make demo FAST=1     the same, fully automatic and checked, within a minute"
	@echo "make demo HANDS=1    the same, and you read the doubtful lines yourself in a browser"
	@echo "make demo VARIANT=V  another game: bretwalda, britain1066, war1648, brittania"
	@echo "make test            set up and pass the quick tests"
	@echo "make test-slow       the long suites, and the tests of benches, tools and training"
	@echo "make mutations       small faults put into the judge: which of them the tests miss (an hour)"
	@echo "make mutations-sample  200 small faults in intake, mail, games, letters, reading and grammar"
	@echo "make pictures        every page as a picture, at the widths of a desk, a tablet and a telephone, in build/pictures"
	@echo "make docs            these documents as a site, in build/docs, with its links checked"
	@echo "make audit           known faults of those packages, asked of PyPI by pip-audit (needs a network)"
	@echo "make sbom            the list of every package that a site runs, with digests (CycloneDX), in build"
	@echo "make lint            style, types and import contracts"

setup:
	@tools/setup run

setup-dev:
	@tools/setup dev

setup-bench:
	@tools/setup bench

demo: setup
	@.venv/bin/galloper demo $(if $(VARIANT),--variant $(VARIANT),) $(if $(FAST),--fast,) $(if $(HANDS),--hands,)

# A file's tests stay on one worker, so that what they share is set up once. Three workers fit two cores: many tests
# wait for a server, a killed process or a clock.
test: setup-dev
	@echo "Running the tests (make test-slow has the long suites)."
	.venv/bin/python -m pytest -n 3 --dist loadfile -m "not slow" $(ARGS)

test-slow: setup-bench
	.venv/bin/python -m pytest -m slow --timeout 3600 $(ARGS)

mutations: setup-bench
	.venv/bin/python -m tools.mutate judge --all $(ARGS)

mutations-sample: setup-bench
	.venv/bin/python -m tools.mutate $(ARGS)

pictures: setup-bench
	.venv/bin/python -m tools.pictures build/pictures

docs: setup-dev
	@tools/setup-docs
	.venv/bin/python -m tools.documents build/docs

lint: setup-dev
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/mypy -p tests
	.venv/bin/lint-imports
	@tools/house
	@tools/prose

# The same bytes from the same commit, in build/dist.
wheel: setup-dev
	tools/wheel

audit:
	@uvx pip-audit --strict --disable-pip --require-hashes -r requirements.lock

sbom:
	@tools/sbom

clean:
	rm -rf .venv build *.egg-info .mypy_cache .ruff_cache .hypothesis demo-site
