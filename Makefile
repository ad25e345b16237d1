# Every target takes PKG, the packages to use: make test PKG=./learning/...
PKG ?= ./...
# The time of make fuzz and of fuzzing in make verify; the fuzz targets share it.
FUZZ_SECONDS ?= 60

# Do not inherit the machine's settings for other Go programs.
export GOFLAGS := -buildvcs=false
export GOWORK := off
unexport GOOS GOARCH GOEXPERIMENT CGO_ENABLED

.DEFAULT_GOAL := help
.PHONY: help run quick test verify lint fuzz bench cover

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 8

run: ## start the reference server with the sandbox as its providers
	go run ./cmd/refserver

quick: ## the tests on SQLite only
	@LEARNING_TEST_LEAVE_OUT=mariadb,mysql .ci/gotest $(PKG)

test: ## the checks of everyday work, on SQLite, MariaDB and MySQL; installs what is missing (root, Debian)
	@.ci/test $(PKG)

verify: ## what takes longer: all contract cases on every engine, all other tests with the race detector, fuzzing
	@.ci/verify $(FUZZ_SECONDS) $(PKG)

lint: ## gofmt, go vet, staticcheck, go mod tidy
	@.ci/lint $(PKG)

fuzz: ## every fuzz target, in FUZZ_SECONDS altogether
	@.ci/fuzz $(FUZZ_SECONDS) $(PKG)

bench: ## run the benchmarks
	go test -run '^$$' -bench . -benchmem $(PKG)

cover: ## the share of the code that the tests execute
	@mkdir -p .cache
	go test -coverpkg=./... -coverprofile=.cache/cover.out $(PKG)
	go tool cover -func=.cache/cover.out | tail -n 1
