package learning

import (
	"fmt"
	"regexp"
)

// eventTarget is a receiver of events.
type eventTarget struct {
	name    string
	handler EventHandler
}

var targetName = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// checkTargets returns an error if a target has no valid name or no handler, or if two
// have the same name.
func checkTargets(targets []eventTarget) error {
	names := map[string]bool{}
	for _, t := range targets {
		if !targetName.MatchString(t.name) || names[t.name] || t.handler == nil {
			return fmt.Errorf("learning: events to %q: a target needs a handler and a name of its own of 1 to 32 small letters, digits and hyphens", t.name)
		}
		names[t.name] = true
	}
	return nil
}
