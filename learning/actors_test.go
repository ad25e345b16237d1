package learning_test

import "github.com/openlectern/openlectern/learning"

// ada and bob are students.
var ada, bob = learning.Actor{UserID: "ada", Role: learning.Student}, learning.Actor{UserID: "bob",
	Role: learning.Student}

// boss is an admin.
var boss = learning.Actor{UserID: "boss", Role: learning.Admin}

// teacher is the owner of the courses of a kit.
var teacher = learning.Actor{UserID: "educator", Role: learning.Educator}

// student is a signed-in user without a record.
func student(id string) learning.Actor { return learning.Actor{UserID: id, Role: learning.Student} }
