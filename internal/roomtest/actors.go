package roomtest

import (
	"github.com/openlectern/openlectern/learning/core"
)

// Ada and bob are students.
var Ada, Bob = core.Actor{UserID: "ada", Role: core.Student}, core.Actor{UserID: "bob",
	Role: core.Student}

// Boss is an admin.
var Boss = core.Actor{UserID: "boss", Role: core.Admin}

// Teacher is the owner of the courses of a kit.
var Teacher = core.Actor{UserID: "educator", Role: core.Educator}

// Student is a signed-in user without a record.
func Student(id string) core.Actor { return core.Actor{UserID: id, Role: core.Student} }
