package staff

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// TaughtStudent is one enrolment in a course of an educator.
type TaughtStudent struct {
	CourseID    string
	CourseTitle string
	Version     catalog.CourseVersion // of the course
	Lectures    int                   // that the course has
	Student     core.Person
	EnrolledAt  time.Time
	// LastActiveAt is when the student has saved a position or completed a lecture last during this
	// enrolment; zero for never.
	LastActiveAt time.Time
	ExpiresAt    time.Time // when the access ends; zero for no end
	IsExpired    bool      // whether it has ended
	// CompletedLectures is how many lectures that the course has now the student has completed. It
	// is 0 in the students of a [Dashboard], which do not show it.
	CompletedLectures int
}

// position returns the position of the enrolment in a list: its time, student and course.
func (s TaughtStudent) position() core.Position {
	return core.Position{At: s.EnrolledAt, ID: s.Student.ID, ID2: s.CourseID}
}

// AllTaughtStudents lists the enrolments in the actor's courses, the oldest first. The rows are
// read, and may give an error, while the caller ranges over them. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden].
func (s *Service) AllTaughtStudents(
	ctx context.Context, actor core.Actor,
) (core.OrderedRows[TaughtStudent], error) {
	if err := actor.RequireRole(core.Educator); err != nil {
		return core.OrderedRows[TaughtStudent]{}, err
	}
	list, err := s.studentsInOrder(ctx, actor.UserID, core.OldestFirst)
	if err != nil {
		return core.OrderedRows[TaughtStudent]{}, err
	}
	list.All = s.eachWithProgress(ctx, list.All)
	return list, nil
}

// TaughtStudents returns a page of the enrolments that q selects in the actor's courses. Those of
// all courses are in the order of the ids of their courses, the oldest of a course first, so that a
// page reads no other enrolments. A search in a course reads a bounded number of enrolments for a
// page, which may therefore have fewer than page.Limit, or none, before the end. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [catalog.ErrCourseNotFound],
// [core.ErrInvalidRequest] if page has no valid limit, for a search that is too long, for an
// unknown order, and for a search or an order without a course.
func (s *Service) TaughtStudents(
	ctx context.Context, actor core.Actor, q StudentQuery, page core.PageRequest,
) (core.Page[TaughtStudent], error) {
	if err := actor.RequireRole(core.Educator); err != nil {
		return core.Page[TaughtStudent]{}, err
	}
	if err := q.check(); err != nil {
		return core.Page[TaughtStudent]{}, err
	}
	if q.CourseID != "" {
		return s.studentsOfCourse(ctx, actor, q, page)
	}
	read := func(ctx context.Context, page core.PageRequest) ([]TaughtStudent, error) {
		list, err := s.studentsByCourse(ctx, actor.UserID, page)
		if err == nil {
			err = s.addProgress(ctx, list)
		}
		return list, err
	}
	// The next page begins after the position of the last row, which has the id of its course.
	return paging.ReadPage(ctx, "list an educator's students", page, read, TaughtStudent.position)
}

// studentsByCourse returns a page of the enrolments in an educator's courses, in the order of
// [Service.TaughtStudents]. It reads the rest of the course in which the page begins, and then
// one course after the other until it has page.Limit enrolments, or there are no more courses.
func (s *Service) studentsByCourse(
	ctx context.Context, educatorID string, page core.PageRequest,
) (list []TaughtStudent, err error) {
	// Go on in the course in which the previous page ended: ID2 is the course of its last row, or
	// "" for the first page.
	lastCourse := page.After.ID2 // the last course that was read
	if lastCourse != "" {
		list, err = s.store.StudentsIn(ctx,
			StudentSelection{EducatorID: educatorID, CourseID: lastCourse}, page)
		if err != nil {
			return nil, err
		}
	}

	// Fill the page from the courses after it. Each has a student, so page.Limit courses are
	// enough, but one that has lost its students meanwhile makes the outer loop read more.
	for len(list) < page.Limit {
		ids, err := s.store.CoursesWithStudents(ctx, educatorID, lastCourse, page.Limit)
		if err != nil || len(ids) == 0 {
			return list, err
		}
		for _, courseID := range ids {
			if len(list) == page.Limit {
				break
			}
			rest := core.PageRequest{Limit: page.Limit - len(list)} // begins with the first student
			rows, err := s.store.StudentsIn(ctx,
				StudentSelection{EducatorID: educatorID, CourseID: courseID}, rest)
			if err != nil {
				return nil, err
			}
			list = append(list, rows...)
			lastCourse = courseID
		}
	}
	return list, nil
}

// Each course of a list of students is read in parts. All courses together hold about
// studentsHeld rows, and each at least studentsPart.
const (
	studentsHeld = 1000
	studentsPart = 4
	// studentBytes is about what a row takes in memory.
	studentBytes = 400
	// coursesPart is the number of courses that are read at a time.
	coursesPart = 1000
)

// studentsInOrder returns the list of the enrolments in an educator's courses, in an order by time.
// No index has that order, and to sort all rows in the database would take too long if there are
// many. But an index has those of a course in their order, so the list merges the courses. The
// courses are listed now; the enrolments are read while the caller ranges over the result.
func (s *Service) studentsInOrder(
	ctx context.Context, educatorID string, order core.ListOrder,
) (core.OrderedRows[TaughtStudent], error) {
	// List the courses that have students.
	var courses []string
	for after, more := "", true; more; { // after is the id of the last course that was listed
		ids, err := s.store.CoursesWithStudents(ctx, educatorID, after, coursesPart)
		if err != nil {
			return core.OrderedRows[TaughtStudent]{}, fmt.Errorf("list an educator's students: %w",
				err)
		}
		courses = append(courses, ids...)
		if more = len(ids) == coursesPart; more {
			after = ids[len(ids)-1]
		}
	}

	// Merge their lists. A part of each is held, so the parts get smaller with many courses.
	part := max(studentsPart, studentsHeld/max(1, len(courses)))
	sort := StudentsByEnrollment
	if order == core.NewestFirst {
		sort = StudentsRecent
	}
	selected := func(courseID string) StudentSelection {
		return StudentSelection{EducatorID: educatorID, CourseID: courseID, Sort: sort}
	}
	m := &studentMerge{order: order}
	m.read = func(courseID string, after core.Position) ([]TaughtStudent, error) {
		page := core.PageRequest{After: after, Limit: part}
		rows, err := s.store.StudentsIn(ctx, selected(courseID), page)
		return rows, core.Wrap("list an educator's students", err)
	}
	return core.OrderedRows[TaughtStudent]{All: m.all(courses),
		Held: len(courses) * part * studentBytes}, nil
}

// studentMerge merges the enrolments of courses.
type studentMerge struct {
	order core.ListOrder
	read  func(courseID string, after core.Position) ([]TaughtStudent, error)
	// courses are the rows of each course that are read and not yet merged. None is empty, and they
	// are in the order of their first rows.
	courses [][]TaughtStudent
}

// all returns the enrolments in some courses, in the order of the merge. It ends after an error.
func (m *studentMerge) all(courses []string) iter.Seq2[TaughtStudent, error] {
	return func(yield func(TaughtStudent, error) bool) {
		// Begin with the first part of each course: nothing of it is read yet, and the zero
		// Position is the beginning of its list.
		for _, id := range courses {
			if err := m.continueWith(nil, id, core.Position{}); err != nil {
				yield(TaughtStudent{}, err)
				return
			}
		}
		// Take the first row of all, and put its course back where its next row belongs.
		for len(m.courses) > 0 {
			row, rest := m.courses[0][0], m.courses[0][1:]
			m.courses = slices.Delete(m.courses, 0, 1)
			if !yield(row, nil) {
				return
			}
			if err := m.continueWith(rest, row.CourseID, row.position()); err != nil {
				yield(TaughtStudent{}, err)
				return
			}
		}
	}
}

// continueWith adds rest: those rows of a course that were read and are not yet merged. If there
// are none, it reads those after a position, and adds these. A course without further rows is left
// out.
func (m *studentMerge) continueWith(rest []TaughtStudent, courseID string,
	after core.Position) error {
	if len(rest) == 0 {
		var err error
		if rest, err = m.read(courseID, after); err != nil {
			return err
		}
	}
	m.add(rest)
	return nil
}

// add adds rows of a course to those that are not yet merged, in the order of the first rows.
func (m *studentMerge) add(rows []TaughtStudent) {
	if len(rows) == 0 {
		return
	}
	// No two rows have the same position, so it does not matter whether at is that of an equal one.
	at, _ := slices.BinarySearchFunc(m.courses, rows, func(a, b []TaughtStudent) int {
		return m.order.Compare(a[0].position(), b[0].position())
	})
	m.courses = slices.Insert(m.courses, at, rows)
}
