package learning

import "github.com/openlectern/openlectern/learning/core"

// The names of package core that hosts write most often. See there.
type (
	Actor         = core.Actor
	Role          = core.Role
	Error         = core.Error
	Event         = core.Event
	Page[Row any] = core.Page[Row]
	PageRequest   = core.PageRequest
)
