package catalog

import (
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// Limits of a new course (docs/api.md §5). Lengths count code points.
const (
	MaxCourseTitle       = 200 // also of chapters and lectures
	MaxCourseDescription = 20_000
	MaxContentID         = 100 // of chapters and lectures
	MaxLectureURL        = 2_000
	MaxLectures          = 1_000
	MaxLectureMinutes    = 100_000
	MaxCoursePrice       = core.Money(10_000_000_00)
	MinCoursePrice       = core.Money(1_00) // the smallest amount of the gateway; 0 is allowed too
)

// MaxCourseID is the length of the longest id of a course, in bytes.
const MaxCourseID = 40

// reservedCourseIDs are words in the place of the id of a course in paths.
var reservedCourseIDs = map[string]bool{
	"all": true, "attempts": true, "course-results": true, "results": true,
}

// NewCourse is the data of a course that an educator sends. The totals are computed
// from it.
type NewCourse struct {
	ID          string // generated if empty; given by imports that may be repeated
	Title       string
	Description string
	Price       core.Money
	Discount    core.Percent
	Published   bool
	Terms       Terms
	Metadata    core.Metadata
	Content     []Chapter // missing ids and orders are generated
}

// normal checks all of n, and returns a copy of its content, in order and with all ids. It returns
// [core.ErrInvalidRequest] if n exceeds a limit or has no title, or for the reasons of
// normalContent.
func (n NewCourse) normal(newID func() string, embedHosts map[string]bool) ([]Chapter, error) {
	if !n.valid() {
		return nil, core.ErrInvalidRequest
	}
	return normalContent(n.Content, nil, newID, embedHosts)
}

// normalContent returns a copy of given, in order and with all ids. before is the stored content if
// a course is edited, and else nil; its ids are always accepted. It returns
// [core.ErrInvalidRequest] if an id, a chapter or a lecture is not valid, or if there are no
// lectures or too many.
func normalContent(
	given, before []Chapter, newID func() string, embedHosts map[string]bool,
) ([]Chapter, error) {
	// Given ids are kept. Those of the stored course stay valid, whatever they look like, because
	// progress and quizzes refer to them. A chapter and a lecture may have the same id, so each
	// kind has its own set of used ids.
	old := contentIDs(before)
	chapterIDs := ids{newID: newID, used: map[string]bool{}, old: old}
	lectureIDs := ids{newID: newID, used: map[string]bool{}, old: old}

	// A lecture that is sent without a kind keeps the material that it has.
	stored := LecturesByID(before)

	// Check and number the lectures of each chapter, and then the chapters.
	content := slices.Clone(given)
	lectures := 0
	for i := range content {
		ch := &content[i]
		ch.Lectures = slices.Clone(ch.Lectures)
		lectures += len(ch.Lectures)
		if !chapterIDs.take(&ch.ID) || !text.Is(ch.Title, 1, MaxCourseTitle) {
			return nil, core.ErrInvalidRequest
		}
		for j := range ch.Lectures {
			l := &ch.Lectures[j]
			if !lectureIDs.take(&l.ID) || !l.valid() {
				return nil, core.ErrInvalidRequest
			}
			var isValid bool
			if *l, isValid = l.keepMaterial(stored[l.ID]).material(embedHosts); !isValid {
				return nil, core.ErrInvalidRequest
			}
		}
		number(ch.Lectures, func(l *Lecture) *int { return &l.Order })
	}
	if lectures < 1 || lectures > MaxLectures {
		return nil, core.ErrInvalidRequest
	}
	number(content, func(ch *Chapter) *int { return &ch.Order })
	sortContent(content)
	return content, nil
}

// number sets the orders of a list to 1, 2, … if all are 0, which means that none was given. Other
// lists, also those that count from 0, stay unchanged. order returns a pointer to the order of an
// element.
func number[T any](list []T, order func(*T) *int) {
	if slices.ContainsFunc(list, func(e T) bool { return *order(&e) != 0 }) {
		return
	}
	for i := range list {
		*order(&list[i]) = i + 1
	}
}

// valid reports whether n is within the limits, except for its content: see normalContent.
func (n NewCourse) valid() bool {
	final := core.ApplyDiscount(n.Price, n.Discount) // what a student pays
	return (n.ID == "" || text.ValidID(n.ID, MaxCourseID)) && !reservedCourseIDs[n.ID] &&
		text.Is(n.Title, 1, MaxCourseTitle) && text.Is(n.Description, 0, MaxCourseDescription) &&
		n.Price >= 0 && n.Price <= MaxCoursePrice &&
		n.Metadata.Check() == nil &&
		n.Discount >= 0 && n.Discount <= 100_00 && // 100 %
		(final == 0 || final >= MinCoursePrice) // the gateway accepts no smaller amount
}

// valid reports whether l is within the limits, except for its id, see ids, and for its URL and its
// material, see Lecture.material.
func (l Lecture) valid() bool {
	return text.Is(l.Title, 1, MaxCourseTitle) && l.Minutes >= 0 && l.Minutes <= MaxLectureMinutes
}

// ids checks and generates the ids of the chapters, or of the lectures, of a course.
type ids struct {
	newID func() string
	used  map[string]bool
	old   map[string]bool // ids in the stored course, which need not be usable in a path
}

// take generates *id if it is empty. It reports whether the id is valid, and then marks it as used:
// it must be not used yet, short enough, without leading or trailing space, and usable in the path
// of a URL or an id of the stored course.
func (s ids) take(id *string) bool {
	if *id == "" {
		*id = s.newID()
	}
	hasSpace := strings.TrimSpace(*id) != *id
	isUsable := s.old[*id] || text.IsPathSegment(*id)
	if s.used[*id] || !text.Is(*id, 1, MaxContentID) || hasSpace || !isUsable {
		return false
	}
	s.used[*id] = true
	return true
}

// contentIDs returns the set of the ids of chapters and lectures.
func contentIDs(content []Chapter) map[string]bool {
	all := map[string]bool{}
	for _, ch := range content {
		all[ch.ID] = true
		for _, l := range ch.Lectures {
			all[l.ID] = true
		}
	}
	return all
}
