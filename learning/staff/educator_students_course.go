package staff

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

// StudentSort is an order of the students of a course.
type StudentSort string

// The orders of the students of a course.
const (
	StudentsByEnrollment StudentSort = "" // the oldest enrolment first
	StudentsRecent       StudentSort = "recent"
	// StudentsActive begins with the student who has used the course last. The enrolment counts as
	// the use of a student who has not used it yet.
	StudentsActive StudentSort = "active"
)

// StudentQuery selects enrolments in the courses of an educator. The zero StudentQuery selects all.
type StudentQuery struct {
	CourseID string // "" for all courses
	// Search has words, each of which is the beginning of a word of the name of the student; "" for
	// all students. It needs a course.
	Search string
	Sort   StudentSort // other than StudentsByEnrollment it needs a course
}

// check returns [core.ErrInvalidRequest] if the query is not valid. The search is checked by
// [core.FindWords].
func (q StudentQuery) check() error {
	const needsCourse = "needs a courseId"
	isKnown := slices.Contains(
		[]StudentSort{StudentsByEnrollment, StudentsRecent, StudentsActive}, q.Sort)
	return cmp.Or(
		core.Require(isKnown, "sort", "must be recent or active"),
		core.Require(q.CourseID != "" || q.Search == "", "q", needsCourse),
		core.Require(q.CourseID != "" || q.Sort == StudentsByEnrollment, "sort", needsCourse))
}

// StudentSelection is what a store reads for a [StudentQuery] in one course.
type StudentSelection struct {
	EducatorID string // of the course; no row is selected if it is not that of the course
	CourseID   string
	Sort       StudentSort
	Words      core.WordSearch // in the names of the students
}

// IsScan reports whether enrolments are read in their order of which not all are selected, because
// no word of the search is rare.
func (s StudentSelection) IsScan() bool { return len(s.Words.Also) > 0 && s.Words.Rare == "" }

// positionIn returns the position of the enrolment in a list of an order.
func (s TaughtStudent) positionIn(sort StudentSort) core.Position {
	p := s.position()
	if sort == StudentsActive && !s.LastActiveAt.IsZero() {
		p.At = s.LastActiveAt
	}
	return p
}

// studentsOfCourse is [Service.TaughtStudents] for one course, whose educator the actor must be.
func (s *Service) studentsOfCourse(
	ctx context.Context, actor core.Actor, q StudentQuery, page core.PageRequest,
) (core.Page[TaughtStudent], error) {
	const action = "list the students of a course"
	if _, err := s.catalog.Editable(ctx, actor, q.CourseID); err != nil {
		return core.Page[TaughtStudent]{}, err
	}
	if err := page.Check(); err != nil {
		return core.Page[TaughtStudent]{}, err
	}

	// The list of words is that of the names of all users. So a word that is rare there finds few
	// enrolments, and one that is frequent there may be rare in the course, where a page reads few
	// of them anyway.
	words, found, err := core.FindWords(ctx, s.store, people.NameWords, q.Search)
	if err != nil || !found {
		return core.Page[TaughtStudent]{}, core.Wrap(action, err)
	}
	selected := StudentSelection{EducatorID: actor.UserID, CourseID: q.CourseID, Sort: q.Sort,
		Words: words}
	read := func(ctx context.Context, page core.PageRequest) ([]TaughtStudent, error) {
		list, err := s.store.StudentsIn(ctx, selected, page)
		if err == nil {
			err = s.addProgress(ctx, list)
		}
		return list, err
	}
	position := func(t TaughtStudent) core.Position { return t.positionIn(q.Sort) }
	if !selected.IsScan() {
		return paging.ReadPage(ctx, action, page, read, position)
	}

	// Few of the students may have all words. So a page reads a bounded number of enrolments, and
	// ends after them even if it is not full.
	end := func(ctx context.Context, after core.Position) (core.Position, error) {
		return s.store.StudentsEnd(ctx, selected, after, min(scannedStudents, words.Rows()))
	}
	return paging.ReadScan(ctx, action, page, end, read, position)
}

// scannedStudents is how many enrolments a page of a scan reads at most. With so few, a page takes
// about as long in a course of 100,000 students as in one of 100.
const scannedStudents = 200

// addProgress sets what the students have completed, and whether their access has ended. It reads
// many enrolments at a time.
func (s *Service) addProgress(ctx context.Context, list []TaughtStudent) error {
	now := s.base.Now()
	for part := range slices.Chunk(list, paging.PartRows) {
		keys := make([]study.EnrollmentKey, len(part))
		versions := map[string]catalog.CourseVersion{}
		for i, t := range part {
			keys[i] = study.EnrollmentKey{UserID: t.Student.ID, CourseID: t.CourseID}
			versions[t.CourseID] = t.Version
		}
		lectures, err := s.catalog.LectureIDs(ctx, s.store, versions)
		if err != nil {
			return err
		}
		completed, err := s.store.CompletionsOf(ctx, keys)
		if err != nil {
			return fmt.Errorf("read the completed lectures of students: %w", err)
		}
		for i := range part {
			t := &part[i]
			t.IsExpired = study.Enrollment{ExpiresAt: t.ExpiresAt}.HasExpired(now)
			for _, id := range completed[keys[i]] {
				if lectures[t.CourseID][id] {
					t.CompletedLectures++
				}
			}
		}
	}
	return nil
}

// progressPart is how many students of a list that is sent in parts get their progress at a time.
const progressPart = 32

// eachWithProgress returns the students of a list with their progress. It ends after an error.
func (s *Service) eachWithProgress(
	ctx context.Context, all iter.Seq2[TaughtStudent, error],
) iter.Seq2[TaughtStudent, error] {
	return func(yield func(TaughtStudent, error) bool) {
		part := make([]TaughtStudent, 0, progressPart)
		flush := func() bool {
			err := s.addProgress(ctx, part)
			goesOn := paging.YieldRows(part, core.Wrap("list an educator's students", err), yield)
			part = part[:0]
			return goesOn && err == nil
		}
		for row, err := range all {
			if err != nil {
				// The rows before the error are complete.
				if flush() {
					yield(TaughtStudent{}, err)
				}
				return
			}
			if part = append(part, row); len(part) == progressPart && !flush() {
				return
			}
		}
		flush()
	}
}

// studentListReader reads the students of courses.
type studentListReader interface {
	// StudentsIn lists a page of the enrolments that are selected, in their order. They have no
	// progress.
	StudentsIn(ctx context.Context, s StudentSelection, page core.PageRequest) ([]TaughtStudent,
		error)
	// StudentsEnd returns the position of the last of so many enrolments in the course of s that
	// follow a position in the order of StudentsIn, or zero if there are fewer.
	StudentsEnd(ctx context.Context, s StudentSelection, after core.Position,
		rows int) (core.Position, error)
}
