// Package load has the benchmarks that make bench runs on the reference server: the program is
// built, started as its users start it, and measured from outside. Beside it runs a bare server,
// which does the least that the same answer needs, so that other load on the machine slows both.
// docs/performance.md has the results.
package load
