package exchange

import (
	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/file"
)

// lectureOfQuizzes is the text of the lecture that a course of quizzes only gets.
const lectureOfQuizzes = "This course has quizzes only."

// fitCartridge makes the course of a cartridge follow the rules of a course, so that no part of it
// refuses the whole.
func (in *packageImport) fitCartridge() {
	in.fitQuizzes()
	in.dropLectures(func(l coursepackage.Lecture) string {
		for _, path := range filePaths(courseOf(l)) { // as if they were stored
			in.files[path] = file.File{ID: in.service.base.NewID()}
		}
		if !in.service.catalog.ForRooms().IsValidLecture(in.lecture(l)) {
			return "it has a title, a text, an address or a number that a lecture cannot have"
		}
		return ""
	})

	// A course has at least one lecture.
	lectures := 0
	for _, ch := range in.course.Chapters {
		lectures += len(ch.Lectures)
	}
	if lectures == 0 && len(in.course.Chapters) > 0 {
		first := &in.course.Chapters[0]
		first.Lectures = []coursepackage.Lecture{
			{Title: in.course.Title, Kind: string(catalog.KindText), Text: lectureOfQuizzes}}
		in.skip("lectures", "the cartridge has quizzes only, and a course has at least one lecture: "+
			"one with a short text was added to the first chapter, which you can change")
	}
}

// courseOf returns a course of one lecture.
func courseOf(l coursepackage.Lecture) coursepackage.Course {
	return coursepackage.Course{Chapters: []coursepackage.Chapter{
		{Lectures: []coursepackage.Lecture{l}}}}
}
