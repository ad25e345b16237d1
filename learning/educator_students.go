package learning

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// TaughtStudent is one enrolment in a course of an educator.
type TaughtStudent struct {
	CourseID    string
	CourseTitle string
	Student     Person
	EnrolledAt  time.Time
}

func (s TaughtStudent) position() Position {
	return Position{At: s.EnrolledAt, ID: s.Student.ID, ID2: s.CourseID}
}

// TaughtStudents lists the enrolments in the actor's courses, the oldest first. It holds some
// of each course at a time. Errors: [ErrUnauthenticated], [ErrForbidden].
func (p *Platform) TaughtStudents(ctx context.Context, actor Actor) (*List[TaughtStudent], error) {
	if err := actor.RequireRole(Educator); err != nil {
		return nil, err
	}
	return p.studentsInOrder(ctx, actor.UserID, OldestFirst)
}

// TaughtStudentsPage returns a page of the enrolments in the actor's courses, and the position
// after which the next one begins, zero at the end. The enrolments are in the order of the ids
// of their courses, the oldest of a course first, so that a page reads no other enrolments.
// Errors: [ErrUnauthenticated], [ErrForbidden], [ErrInvalidRequest].
func (p *Platform) TaughtStudentsPage(ctx context.Context, actor Actor, page Page) ([]TaughtStudent, Position, error) {
	if err := actor.RequireRole(Educator); err != nil {
		return nil, Position{}, err
	}
	return readPage(ctx, "list an educator's students", page, func(ctx context.Context, page Page) ([]TaughtStudent, error) {
		return p.studentsByCourse(ctx, actor.UserID, page)
	}, func(s TaughtStudent) Position { return s.position() })
}

// studentsByCourse reads the rest of the course in which the page begins, and then one course
// after the other until the page is full.
func (p *Platform) studentsByCourse(ctx context.Context, educatorID string, page Page) (list []TaughtStudent, err error) {
	after := page.After.ID2
	if after != "" {
		if list, err = p.store.StudentsIn(ctx, educatorID, after, OldestFirst, page); err != nil {
			return nil, err
		}
	}
	for len(list) < page.Limit {
		ids, err := p.store.CoursesWithStudents(ctx, educatorID, after, page.Limit)
		if err != nil || len(ids) == 0 {
			return list, err
		}
		for _, after = range ids {
			if len(list) == page.Limit {
				break
			}
			rest := Page{Limit: page.Limit - len(list)}
			rows, err := p.store.StudentsIn(ctx, educatorID, after, OldestFirst, rest)
			if err != nil {
				return nil, err
			}
			list = append(list, rows...)
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
	studentBytes = 300
	// coursesPart is the number of courses that are read at a time.
	coursesPart = 1000
)

// studentsInOrder returns the list of the enrolments in an educator's courses. No index has
// that order, and to sort the rows takes the longer, the more there are. But an index has those of
// a course in their order, so the list merges the courses.
func (p *Platform) studentsInOrder(
	ctx context.Context, educatorID string, order ListOrder,
) (*List[TaughtStudent], error) {
	var courses []string
	for after, more := "", true; more; {
		ids, err := p.store.CoursesWithStudents(ctx, educatorID, after, coursesPart)
		if err != nil {
			return nil, fmt.Errorf("list an educator's students: %w", err)
		}
		courses = append(courses, ids...)
		if more = len(ids) == coursesPart; more {
			after = ids[len(ids)-1]
		}
	}
	part := max(studentsPart, studentsHeld/max(1, len(courses)))
	m := &studentMerge{order: order}
	m.read = func(ctx context.Context, courseID string, after Position) ([]TaughtStudent, error) {
		page := Page{After: after, Limit: part}
		rows, err := p.store.StudentsIn(ctx, educatorID, courseID, order, page)
		return rows, wrap("list an educator's students", err)
	}
	next := func(ctx context.Context, rows int, fn func(TaughtStudent) error) (bool, error) {
		if err := m.open(ctx, courses); err != nil {
			return false, err
		}
		courses = nil // they are open
		return m.next(ctx, rows, fn)
	}
	return &List[TaughtStudent]{next: next, held: len(courses) * part * studentBytes}, nil
}

// studentMerge merges the enrolments of courses.
type studentMerge struct {
	order ListOrder
	read  func(ctx context.Context, courseID string, after Position) ([]TaughtStudent, error)
	// courses are the rows of each course that are read and not yet merged. None is empty, and they
	// are in the order of their first rows.
	courses [][]TaughtStudent
}

// open reads the first rows of courses.
func (m *studentMerge) open(ctx context.Context, courses []string) error {
	for _, id := range courses {
		rows, err := m.read(ctx, id, Position{})
		if err != nil {
			return err
		}
		m.add(rows)
	}
	return nil
}

// add adds rows of a course to those that are not yet merged.
func (m *studentMerge) add(rows []TaughtStudent) {
	if len(rows) == 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(m.courses, rows, func(a, b []TaughtStudent) int {
		return m.order.compare(a[0].position(), b[0].position())
	})
	m.courses = slices.Insert(m.courses, at, rows)
}

// next calls fn with at most the given number of rows, like [List.Next].
func (m *studentMerge) next(
	ctx context.Context, rows int, fn func(TaughtStudent) error,
) (more bool, err error) {
	for ; rows > 0 && len(m.courses) > 0; rows-- {
		row, rest := m.courses[0][0], m.courses[0][1:]
		if len(rest) == 0 {
			if rest, err = m.read(ctx, row.CourseID, row.position()); err != nil {
				return false, err
			}
		}
		m.courses = slices.Delete(m.courses, 0, 1)
		m.add(rest)
		if err := fn(row); err != nil {
			return true, err
		}
	}
	return len(m.courses) > 0, nil
}
