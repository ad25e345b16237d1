// Package study is the room of students in their courses: enrolments, who may read a lecture,
// progress, positions, notes, the time that they spend, and the figures of one student.
//
// It uses packages core, people and catalog, and comes before assess: it says that an enrolment has
// ended, and does not know what is open in it (see [Hooks]). How an enrolment is paid belongs to a
// later room, which enrols by [ForRooms.Enroll] in its own transaction. It refuses marks, notes and
// positions of those who are not enrolled, and lectures that the course does not have. Begin
// reading at [Service], at enrollment.go for what an enrolment is, and at progress.go for a lecture
// that is completed.
package study
