package catalog

import "context"

// Titles are the titles of a course and of its lectures, at present.
type Titles struct {
	Course   string
	Lectures map[string]LectureTitle // by the ids of the lectures
}

// LectureTitle is the title of a lecture and that of its chapter.
type LectureTitle struct{ Chapter, Title string }

// TitleReader reads titles.
type TitleReader interface {
	// Titles reads the titles of courses, by their ids. A course that does not exist is left out.
	Titles(ctx context.Context, courseIDs []string) (map[string]Titles, error)
}
