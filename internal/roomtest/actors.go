package roomtest

import (
	"github.com/openlectern/openlectern/learning"
)

// Ada and bob are students.
var Ada, Bob = learning.Actor{UserID: "ada", Role: learning.Student}, learning.Actor{UserID: "bob",
	Role: learning.Student}

// Boss is an admin.
var Boss = learning.Actor{UserID: "boss", Role: learning.Admin}

// Teacher is the owner of the courses of a kit.
var Teacher = learning.Actor{UserID: "educator", Role: learning.Educator}

// Student is a signed-in user without a record.
func Student(id string) learning.Actor { return learning.Actor{UserID: id, Role: learning.Student} }
