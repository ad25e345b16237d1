// Package catalog is the room of courses: their chapters and lectures with what belongs to these,
// the catalogue of published courses and its search, files, uploads and pictures.
//
// It uses packages core and people, and comes before study: it says what a lecture is and who may
// read it, and does not know who is enrolled. That the quiz of a removed chapter goes with the
// chapter is one of its [Hooks]. It refuses content that would not fit every database, files whose
// content is not of a known type, and edits of an old version of a course. Begin reading at
// [Service], at course_edit.go for a change of a course, and at upload_append.go for an upload.
package catalog
