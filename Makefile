# Every target takes PKG, the packages to use: make test PKG=./learning/...
PKG ?= ./...
# The parts of make bench.
BENCH ?= list headers selling log user posts pages search purchase enrolled positions answers files uploads hotrow events growth
# The time of make fuzz and of fuzzing in make verify; the fuzz targets share it.
FUZZ_SECONDS ?= 60
# The time of the faults, the engines (comma-separated) and the seed of make torture. Without a seed it chooses one.
TIME ?= 10m
ENGINE ?= sqlite,mariadb,postgres
SEED ?=

# Do not inherit the machine's settings for other Go programs. What go run and go test have compiled
# is used again. In continuous integration each run is in another folder: with -trimpath it uses what
# was compiled before.
export GOFLAGS := -buildvcs=false $(if $(CI),-trimpath)
export GOWORK := off
unexport GOOS GOARCH GOEXPERIMENT CGO_ENABLED

.DEFAULT_GOAL := help
.PHONY: help run quick check test verify race lint fuzz torture soak bench cover release

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 8

run: ## start the reference server with the sandbox as its providers
	go run ./cmd/refserver

quick: ## what a plain go test runs, on SQLite only, with a list of what it leaves out
	@.ci/gotest $(PKG)

check: ## the tests that concern a noun, on SQLite, in seconds: make check NOUN=coupon
	@.ci/check "$(NOUN)"

test: ## the checks of everyday work, on SQLite, MariaDB, MySQL and PostgreSQL; installs what is missing (root, Debian)
	@.ci/test $(PKG)

verify: ## what takes longer: all contract cases on every engine, all other tests with the race detector, fuzzing
	@.ci/verify $(FUZZ_SECONDS) $(PKG)

race: ## the tests of concurrency with the race detector, on SQLite: make race PKG=./learning
	@.ci/race concurrent $(PKG)

lint: ## gofmt, go vet, staticcheck, actionlint, go mod tidy
	@.ci/lint $(PKG)

fuzz: ## every fuzz target, in FUZZ_SECONDS altogether
	@.ci/fuzz $(FUZZ_SECONDS) $(PKG)

torture: ## servers in use while faults happen, for TIME on ENGINE with SEED; then the books are checked
	@.ci/torture $(TIME) $(ENGINE) $(SEED)

soak: ## ordinary requests beside idle and stalled clients, for TIME on ENGINE: memory and times of answers
	@LEARNING_SOAK_TIME=$(TIME) LEARNING_TORTURE_ENGINE=$(ENGINE) LEARNING_TEST_REQUIRE=$(ENGINE),redis,pgbouncer go -C checks test -count=1 -timeout 24h -v -run '^TestSoak$$' ./faultbench

bench: ## measure and write the tables of docs/performance.md; BENCH="list user": only these; with PKG: the Go benchmarks
ifeq ($(origin PKG),file)
	@.ci/bench $(BENCH)
else
	go test -run '^$$' -bench . -benchmem $(PKG)
endif

cover: ## the share of the code that the tests execute
	@mkdir -p .cache
	go test -coverpkg=./... -coverprofile=.cache/cover.out $(PKG)
	go tool cover -func=.cache/cover.out | tail -n 1

release: ## build the files of a release, from the tag VERSION
	@.ci/release "$(VERSION)"
