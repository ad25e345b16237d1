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
	// Flags that are no settings, such as --sandbox-addr, have no variable: for them the hint names
	// the flag.
	known := map[string]string{} // what to use, by the name of a variable
	for _, flag := range flags {
		known[variable(flag.Name)] = "--" + flag.Name
		if flag.Group != nil && flag.Group.Key == settingsGroup {
			known[variable(flag.Name)] = variable(flag.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		isSetting := known[name] == name
		if !strings.HasPrefix(name, settingPrefix) || strings.HasPrefix(name, testPrefix) ||
			isSetting || slices.Contains(otherVariables, name) {
			continue
		}
		p.log.Warn("a variable of the environment is no setting and is ignored",
			"variable", name, "nearest", known[nearest(name, slices.Sorted(maps.Keys(known)))])
	}
}

// nearest returns that one of names that is most similar to name. names must not be empty. A
// setting that is a URL, such as LEARNING_DATABASE, often has that word in the names of other
// programs.
func nearest(name string, names []string) string {
	if base, isURL := strings.CutSuffix(name, "_URL"); isURL && slices.Contains(names, base) {
		return base
	}
	return slices.MinFunc(names,
		func(a, b string) int { return difference(name, a) - difference(name, b) })
}

// difference returns the least cost of changing a into b, by inserting, deleting and replacing
// bytes. It is an edit distance in which insertions cost less, because people leave out parts of
// names: LEARNING_JWKS_URL means LEARNING_IDENTITY_JWKS_URL, and not LEARNING_AI_URL.
func difference(a, b string) int {
	const inserted, other = 1, 3
	row := make([]int, len(b)+1) // the costs for the beginning of a and each beginning of b
	for j := range row {
		row[j] = j * inserted
	}
	// Each row follows from the row above it, so one row of the matrix is kept.
	for i := range len(a) {
		diagonal := row[0] // the cost above and to the left of the one that is computed
		row[0] += other    // deletes one byte more of a
		for j := range len(b) {
			above := row[j+1] // not yet replaced
			replaced := diagonal
			if a[i] != b[j] {
				replaced += other
			}
			row[j+1] = min(replaced, row[j]+inserted, above+other)
			diagonal = above // of the next column
		}
	}
	return row[len(b)]
}
