# Each target does its own set-up; plain `make` prints this list.
.DEFAULT_GOAL := help
.PHONY: help run test check bench lock clean

PYTEST = .venv/bin/python -m pytest
# Tests wait on databases and servers part of the time: three at once keep two cores busy, and
# still leave a server under test the time it needs to answer within its limits.
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 1); [ $$n -gt 3 ] && echo $$n || echo 3)
ARGS ?=

help: ## print this list
	@echo 'token-gateway: USSD and SMS gateway for payment tokens'
	@echo
	@awk -F ': ## ' '/^[a-z]+: ## / {printf "  make %-7s%s\n", $$1, $$2}' Makefile
	@echo
	@echo 'Needs Python 3.11 or newer. Packages go into .venv; test and bench also install by apt-get'
	@echo 'the servers they start (MariaDB, Chromium, Kannel, nginx) where those are missing.'

run: ## start the gateway with demo data and a phone in the browser
	@tools/python.sh run
	@GATEWAY_MODE=demo exec .venv/bin/gateway demo

test: ## run every test (ARGS='-k word' for some of them)
	@tools/python.sh dev
	@tools/system.sh mariadb chromium kannel nginx
	@$(PYTEST) -q -n $(JOBS) --dist worksteal $(ARGS)

check: ## lint, types and house style, without the tests
	@tools/python.sh dev
	@.venv/bin/ruff check .
	@.venv/bin/mypy
	@$(PYTEST) -q tests/test_style.py

bench: ## measure speed on a private MariaDB, print the table, write var/bench.json
	@tools/python.sh dev
	@tools/system.sh mariadb
	@.venv/bin/python -m bench $(ARGS)

lock: ## take the newest versions that pyproject.toml allows into the lock files
	@tools/python.sh dev
	@tools/lock.sh

clean: ## remove .venv and caches; var/ with the demo's data and keys stays
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build *.egg-info
	find . -name __pycache__ -not -path './.venv/*' -type d -prune -exec rm -rf {} +
