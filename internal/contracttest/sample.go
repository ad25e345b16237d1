package contracttest

import (
	"os"
	"slices"
	"strings"
)

// Samples returns one success of each status, and one of each refusal, for each route. Refusals
// differ by their bodies. It overwrites cases.
func Samples(cases []*Case) []*Case {
	return Firsts(cases, func(c *Case) string {
		if c.Succeeds() {
			return c.Route + " " + c.Status()
		}
		return c.Route + " " + c.Status() + c.Body()
	})
}

// FewSamples returns one success of each status for each route, and one of each refusal for each
// noun, which a plain go test takes. It overwrites cases.
func FewSamples(cases []*Case) []*Case {
	return Firsts(cases, func(c *Case) string {
		if c.Succeeds() {
			return c.Route + " " + c.Status()
		}
		return c.noun() + " " + c.Status() + c.Body()
	})
}

// FirstOfEachNoun returns the first case of the routes with the same noun, such as user in
// user.export. It overwrites cases.
func FirstOfEachNoun(cases []*Case) []*Case {
	return Firsts(cases, (*Case).noun)
}

// noun is that of the route of a case.
func (c *Case) noun() string {
	noun, _, _ := strings.Cut(c.Route, ".")
	return noun
}

// Firsts returns the first case of each kind. It overwrites cases.
func Firsts(cases []*Case, kind func(*Case) string) []*Case {
	seen := map[string]bool{}
	return slices.DeleteFunc(cases, func(c *Case) bool {
		k := kind(c)
		defer func() { seen[k] = true }() // after the result is read
		return seen[k]
	})
}

// selection is the cases that a run takes: "all", or "most" for the checks of everyday work. A
// plain go test does not set it and takes fewer of those that are slow.
func selection() string { return os.Getenv("LEARNING_TEST_CONTRACT") }

// AllCases reports whether to run all cases on every engine.
func AllCases() bool { return selection() == "all" }
