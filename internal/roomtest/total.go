package roomtest

import (
	"github.com/openlectern/openlectern/learning"
)

// NewApplication applies as a user.
func (w *World) NewApplication(who learning.Actor) (learning.Actor, learning.Application, error) {
	a, err := w.Platform.Apply(ctx(), who, Submitted())
	return who, a.Application, err
}
