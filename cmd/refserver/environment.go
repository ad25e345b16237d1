package main

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// environment holds the variables of the environment by their names.
type environment map[string]string

// processEnvironment returns the environment of this process.
func processEnvironment() environment {
	env := environment{}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	return env
}

// get returns the value of a variable; "" if it is not set.
func (e environment) get(name string) string { return e[name] }

// settingPrefix begins the names of all variables of settings.
const settingPrefix = "LEARNING_"

// otherVariables are variables with this prefix that are no settings and need no warning: those
// that exec sets for its command. The variables of the tests begin with testPrefix.
var otherVariables = []string{"LEARNING_URL", "LEARNING_SANDBOX_URL",
	"LEARNING_STUDENT_TOKEN", "LEARNING_EDUCATOR_TOKEN", "LEARNING_ADMIN_TOKEN"}

const testPrefix = settingPrefix + "TEST_"

// warnOfUnknown warns of variables that look like settings and are none, because a misspelt one
// would be ignored silently. It names the setting with the most similar name.
func (p *program) warnOfUnknown(env environment, flags []*kong.Flag) {
	// Flags of single commands are known too: for them the hint names the flag.
	known := map[string]string{} // what to use, by the name of a variable
	for _, flag := range flags {
		known[variable(flag.Name)] = "--" + flag.Name
		if flag.Group != nil && flag.Group.Key == settingsGroup {
			known[variable(flag.Name)] = variable(flag.Name)
		}
	}
	// Tests and the fault bench have variables of their own.
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !strings.HasPrefix(name, settingPrefix) || strings.HasPrefix(name, testPrefix) ||
			known[name] == name || slices.Contains(otherVariables, name) {
			continue
		}
		p.log.Warn("a variable of the environment is no setting and is ignored",
			"variable", name, "nearest", known[nearest(name, slices.Sorted(maps.Keys(known)))])
	}
}

// nearest returns the name that is most similar to another one.
func nearest(name string, names []string) string {
	return slices.MinFunc(names,
		func(a, b string) int { return difference(name, a) - difference(name, b) })
}

// difference returns the least cost of changing a into b. It is an edit distance in which inserted
// characters cost less, because people leave out parts of names: LEARNING_JWKS_URL means
// LEARNING_IDENTITY_JWKS_URL, and not LEARNING_AI_URL.
func difference(a, b string) int {
	const inserted, other = 1, 3
	row := make([]int, len(b)+1) // the costs for the beginning of a and each beginning of b
	for j := range row {
		row[j] = j * inserted
	}
	// Each row follows from the row above it, so one row of the matrix is kept.
	for i := range len(a) {
		diagonal := row[0]
		row[0] += other
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced += other
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+inserted, diagonal+other)
		}
	}
	return row[len(b)]
}
