package roomtest

import (
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// NewApplication applies as a user.
func (w *World) NewApplication(who core.Actor) (core.Actor, people.Application, error) {
	a, err := w.Platform.Staff.Apply(ctx(), who, Submitted())
	return who, a.Application, err
}
