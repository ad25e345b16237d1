package catalog

import (
	"cmp"
	"fmt"
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
	Prices      []Price   // in other currencies than that of the platform
	Content     []Chapter // missing ids and orders are generated
}

// normal checks all of n, and returns a copy of its content, in order and with all ids. It returns
// [core.ErrInvalidRequest] if n exceeds a limit or has no title, or for the reasons of
// normalContent.
func (n NewCourse) normal(newID func() string, embedHosts map[string]bool) ([]Chapter, error) {
	if err := n.check(); err != nil {
		return nil, err
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
		at := fmt.Sprint("courseContent/", i) // in the request
		ch.Lectures = slices.Clone(ch.Lectures)
		lectures += len(ch.Lectures)
		err := cmp.Or(chapterIDs.take("chapterId", &ch.ID),
			core.RequireText("chapterTitle", ch.Title, 1, MaxCourseTitle))
		if err == nil {
			ch.Opens, err = ch.Opens.normal()
		}
		if err != nil {
			return nil, core.InField(at, err)
		}
		for j := range ch.Lectures {
			l := &ch.Lectures[j]
			err := cmp.Or(lectureIDs.take("lectureId", &l.ID), l.check())
			if err == nil {
				*l, err = l.keepMaterial(stored[l.ID]).material(embedHosts)
			}
			if err != nil {
				return nil, core.InField(fmt.Sprint(at, "/chapterContent/", j), err)
			}
		}
		number(ch.Lectures, func(l *Lecture) *int { return &l.Order })
	}
	if lectures < 1 || lectures > MaxLectures {
		return nil, core.InvalidField("courseContent", fmt.Sprintf(
			"must have at least one lecture and at most %d altogether", MaxLectures))
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

// check returns an error if n is not within the limits, except for its content: see normalContent.
func (n NewCourse) check() error {
	isID := (n.ID == "" || text.ValidID(n.ID, MaxCourseID)) && !reservedCourseIDs[n.ID]
	return cmp.Or(
		core.Require(isID, "courseId", "must be an id of a course, and not a reserved word"),
		core.RequireText("courseTitle", n.Title, 1, MaxCourseTitle),
		core.RequireText("courseDescription", n.Description, 0, MaxCourseDescription),
		checkPrice(coursePriceField, n.Price, n.Discount),
		n.Metadata.Check())
}

// check returns an error if l is not within the limits, except for its id, see ids, and for its URL
// and its material, see Lecture.material.
func (l Lecture) check() error {
	return cmp.Or(core.RequireText("lectureTitle", l.Title, 1, MaxCourseTitle),
		core.RequireBetween("lectureDuration", l.Minutes, 0, MaxLectureMinutes))
}

// ids checks and generates the ids of the chapters, or of the lectures, of a course.
type ids struct {
	newID func() string
	used  map[string]bool
	old   map[string]bool // ids in the stored course, which need not be usable in a path
}

// take generates *id, the value of a field, if it is empty, and marks it as used. It returns an
// error unless the id is not used yet, short enough, without leading or trailing space, and usable
// in the path of a URL or an id of the stored course.
func (s ids) take(field string, id *string) error {
	if *id == "" {
		*id = s.newID()
	}
	hasSpace := strings.TrimSpace(*id) != *id
	isUsable := s.old[*id] || text.IsPathSegment(*id)
	err := cmp.Or(core.Require(!s.used[*id], field, "must be unique within the course"),
		core.RequireText(field, *id, 1, MaxContentID),
		core.Require(!hasSpace && isUsable, field, "must be usable as a part of a path"))
	s.used[*id] = true
	return err
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
