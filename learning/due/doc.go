// Package due is the room of what is due: the assignments of a student in all courses, and the due
// times, of which students are told a day before.
//
// It uses packages core, catalog, study and assess. It decides what a student still has to hand in,
// and who is told when. It refuses to tell of a lecture that is not open. It takes no work: that is
// decided in room assess. Begin reading at [Service.OwnAssignments], and at [AssignmentDue] for
// how students are told.
package due
