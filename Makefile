# Every target takes PKG, the packages to look at: make test PKG=./learning/...
PKG ?= ./...
# How long make fuzz lasts; the fuzz targets share it.
FUZZ_SECONDS ?= 60

# What the machine sets for its other Go programs is nothing to go by here.
export GOFLAGS := -buildvcs=false
export GOWORK := off
unexport GOOS GOARCH GOEXPERIMENT CGO_ENABLED

.DEFAULT_GOAL := help
.PHONY: help run test short lint fuzz bench cover

help: ## say what can be made
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 8

run: ## start the reference server with the sandbox behind it
	go run ./cmd/refserver

test: ## everything, on MariaDB and MySQL too; installs what is missing on Debian (as root)
	@.ci/test $(FUZZ_SECONDS) $(PKG)

short: ## the tests that this machine can run as it is
	@.ci/gotest $(PKG)

lint: ## gofmt, go vet, staticcheck, go mod tidy
	@.ci/lint $(PKG)

fuzz: ## every fuzz target in turn, FUZZ_SECONDS in all
	@.ci/fuzz $(FUZZ_SECONDS) $(PKG)

bench: ## the benchmarks
	go test -run '^$$' -bench . -benchmem $(PKG)

cover: ## how much of the code the tests reach
	@mkdir -p .cache
	go test -coverpkg=./... -coverprofile=.cache/cover.out $(PKG)
	go tool cover -func=.cache/cover.out | tail -n 1
