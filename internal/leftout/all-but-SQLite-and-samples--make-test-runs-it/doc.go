// Package leftout has neither code nor tests. Its path is a line in the output of go test ./...,
// which shows nothing else of packages that pass: it says that the tests on other databases, in a
// browser and with other programs were left out, and of tests that do the same for each route or
// step all but samples, and which command runs them.
package leftout
