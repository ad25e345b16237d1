package contracttest

import (
	"os"
	"slices"
)

// Samples returns one success and one of each refusal for each route.
func Samples(cases []*Case) []*Case {
	return Firsts(cases, func(c *Case) string {
		if c.Succeeds() {
			return c.Status()
		}
		return c.Status() + c.Body()
	})
}

// Firsts returns the first case of each kind for each route.
func Firsts(cases []*Case, kind func(*Case) string) []*Case {
	seen := map[string]bool{}
	return slices.DeleteFunc(cases, func(c *Case) bool {
		k := c.Route + " " + kind(c)
		defer func() { seen[k] = true }()
		return seen[k]
	})
}

var contractVariable = os.Getenv("LEARNING_TEST_CONTRACT")

// AllCases reports whether to run all cases on every engine.
func AllCases() bool { return contractVariable == "all" }

// OnlySQLite reports whether to run the cases on SQLite only.
func OnlySQLite() bool { return contractVariable == "sqlite" }
