package roomtest

import (
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
)

// NewApplication applies as a user.
func (w *World) NewApplication(who core.Actor) (core.Actor, learning.Application, error) {
	a, err := w.Platform.Apply(ctx(), who, Submitted())
	return who, a.Application, err
}
