// Package catalog is the room of courses: their chapters and lectures with what belongs to these,
// the catalogue of published courses and its search.
//
// It uses packages core, people and file, and comes before study: it says what a lecture is and who
// may read it, and does not know who is enrolled. That the quiz of a removed chapter goes with the
// chapter is one of its [Hooks]. It refuses content that would not fit every database, and edits of
// an old version of a course. Begin reading at [Service], and at course_edit.go for a change of a
// course.
package catalog
