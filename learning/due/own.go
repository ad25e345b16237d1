package due

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// OwnStatus is what an assignment is to a student.
type OwnStatus string

// The states of an assignment to a student: those of the latest submission, or without one open and
// missed, which is that no work is taken any more.
const (
	OwnOpen      OwnStatus = "open"
	OwnMissed    OwnStatus = "missed"
	OwnSubmitted OwnStatus = OwnStatus(assess.SubmissionWaiting)
	OwnGraded    OwnStatus = OwnStatus(assess.SubmissionGraded)
	OwnReturned  OwnStatus = OwnStatus(assess.SubmissionReturned)
)

// OwnStatuses lists all states.
func OwnStatuses() []OwnStatus {
	return []OwnStatus{OwnOpen, OwnMissed, OwnSubmitted, OwnGraded, OwnReturned}
}

// OwnAssignment is an assignment of a course in which a student is enrolled.
type OwnAssignment struct {
	CourseID    string
	CourseTitle string
	LectureID   string
	Title       string // of the lecture
	Status      OwnStatus
	// IsLocked is whether the lecture is not open to the student now. Nothing of the assignment is
	// set then.
	IsLocked bool
	assess.WorkBounds
	// IsLate is whether the latest submission was late or, without one, whether work is late now.
	IsLate bool
	Points *int // of the latest submission, if it has some
	Total  int  // the most points; of the latest submission, or else of the assignment
	// SubmittedAt and GradedAt are of the latest submission; zero for none.
	SubmittedAt time.Time
	GradedAt    time.Time
}

// OwnAssignmentQuery selects own assignments.
type OwnAssignmentQuery struct {
	CourseID string    // "" for all courses
	Status   OwnStatus // "" for all
}

// OwnAssignments returns a page of the assignments of the courses to which the actor has access:
// open and returned ones by their due time, those without one last, and then the others, the newest
// first. It reads all of the actor's courses that have assignments, in a few statements. Errors:
// [core.ErrUnauthenticated], [core.ErrInvalidRequest] for an unknown status and if page has no
// valid limit.
func (s *Service) OwnAssignments(
	ctx context.Context, actor core.Actor, q OwnAssignmentQuery, page core.PageRequest,
) (core.Page[OwnAssignment], error) {
	const action = "list own assignments"
	if err := actor.Require(); err != nil {
		return core.Page[OwnAssignment]{}, err
	}
	if q.Status != "" && !slices.Contains(OwnStatuses(), q.Status) {
		return core.Page[OwnAssignment]{}, core.InvalidField("status",
			"must be open, missed, submitted, graded or returned")
	}
	read := func(ctx context.Context, page core.PageRequest) ([]OwnAssignment, error) {
		list, err := s.ownAssignments(ctx, actor.UserID, q.CourseID, s.base.Now())
		if err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(list, func(a OwnAssignment) bool {
			return q.Status != "" && a.Status != q.Status ||
				!page.After.IsZero() && comparePositions(a.position(), page.After) <= 0
		})
		slices.SortFunc(list, func(a, b OwnAssignment) int {
			return comparePositions(a.position(), b.position())
		})
		return list[:min(len(list), page.Limit)], nil
	}
	return paging.ReadPage(ctx, action, page, read, OwnAssignment.position)
}

// ownAssignments lists the assignments of the courses to which a user has access, in no order:
// those of all courses, or of the one with an id.
func (s *Service) ownAssignments(
	ctx context.Context, userID, courseID string, now time.Time,
) (list []OwnAssignment, err error) {
	courses, err := s.store.AssignmentCourses(ctx, userID, courseID, now)
	if err != nil || len(courses) == 0 {
		return nil, err
	}
	var courseIDs []string
	for _, c := range courses {
		courseIDs = append(courseIDs, c.ID)
	}
	submissions, err := s.store.LatestSubmissions(ctx, userID, courseIDs)
	if err != nil {
		return nil, err
	}
	latest := map[string]map[string]assess.AssignmentSubmission{} // by the ids of course and lecture
	for _, s := range submissions {
		if latest[s.CourseID] == nil {
			latest[s.CourseID] = map[string]assess.AssignmentSubmission{}
		}
		latest[s.CourseID][s.LectureID] = s
	}
	locked, err := s.lockedIn(ctx, userID, courses, latest, now)
	if err != nil {
		return nil, err
	}
	for _, c := range courses {
		for _, chapter := range c.Content {
			for _, l := range chapter.Lectures {
				if l.Assignment == nil {
					continue
				}
				a := l.Assignment
				if _, isLocked := locked[c.ID][l.ID]; isLocked {
					a = nil
				}
				own := ownAssignment(a, c.EnrolledAt, latest[c.ID][l.ID], now)
				own.CourseID, own.CourseTitle = c.ID, c.Title
				own.LectureID, own.Title = l.ID, l.Title
				list = append(list, own)
			}
		}
	}
	return list, nil
}

// lockedIn returns the lectures that are not open to a user in courses, by the ids of course and
// lecture. latest has the submissions in them, likewise. It reads the progress in all courses that
// are gated together.
func (s *Service) lockedIn(
	ctx context.Context, userID string, courses []study.EnrolledContent,
	latest map[string]map[string]assess.AssignmentSubmission, now time.Time,
) (map[string]map[string]catalog.Lock, error) {
	var gated []string
	for _, c := range courses {
		if c.IsGated() && !c.OpenAll {
			gated = append(gated, c.ID)
		}
	}
	if len(gated) == 0 {
		return nil, nil
	}
	completed, err := s.store.CompletedLecturesOf(ctx, userID, gated)
	if err != nil {
		return nil, err
	}
	locked := map[string]map[string]catalog.Lock{}
	for _, c := range courses {
		if !slices.Contains(gated, c.ID) {
			continue
		}
		done := study.Studied{Completed: map[string]bool{}, Submitted: map[string]bool{}}
		for _, id := range completed[c.ID] {
			done.Completed[id] = true
		}
		for id := range latest[c.ID] {
			done.Submitted[id] = true
		}
		locked[c.ID] = study.LockedLectures(c.Course, c.Content, c.CountsFrom(), done, now)
	}
	return locked, nil
}

// ownAssignment returns what an assignment is to a student who was enrolled at a time. a is nil if
// the student may not read it now, and last is zero without a submission. The state is that of the
// first row that fits:
//
//	latest submission  time                state
//	one                any                 its state
//	none               over                missed
//	none               in time or unknown  open
func ownAssignment(
	a *catalog.Assignment, enrolledAt time.Time, last assess.AssignmentSubmission, now time.Time,
) (own OwnAssignment) {
	own.IsLocked, own.Status = a == nil, OwnOpen
	if a != nil {
		own.WorkBounds = assess.BoundsOf(*a, enrolledAt, last)
		own.Total = rubricPoints(a.Rubric)
		own.IsLate = !own.DueAt.IsZero() && !now.Before(own.DueAt)
		if !own.ClosesAt.IsZero() && !now.Before(own.ClosesAt) {
			own.Status = OwnMissed
		}
	}
	if last.ID == "" {
		return own
	}
	own.Status, own.IsLate = OwnStatus(last.Status), last.IsLate
	own.SubmittedAt, own.GradedAt = last.SubmittedAt, last.GradedAt
	own.Total = rubricPoints(last.Rubric)
	if len(last.Points) > 0 {
		points := 0
		for _, p := range last.Points {
			points += p
		}
		own.Points = &points
	}
	return own
}

// isToDo reports whether the student can still do something.
func (a OwnAssignment) isToDo() bool { return a.Status == OwnOpen || a.Status == OwnReturned }

// withoutDueTime is the number of an assignment to do without a due time. It is between those with
// one and those that are not to do.
const withoutDueTime = math.MaxInt64 / 4

// position returns the position of the assignment in the list: its number is the due time of what
// is to do, and for the others a larger one that falls with the time.
func (a OwnAssignment) position() core.Position {
	number := int64(withoutDueTime)
	switch latest := core.Latest(a.SubmittedAt, a.GradedAt); {
	case a.isToDo() && !a.DueAt.IsZero():
		number = a.DueAt.UnixMicro()
	case !a.isToDo() && latest.IsZero(): // missed
		number = 3*withoutDueTime - a.ClosesAt.UnixMicro()
	case !a.isToDo():
		number = 3*withoutDueTime - latest.UnixMicro()
	}
	return core.Position{Value: number, ID: a.CourseID, ID2: a.LectureID}
}

// comparePositions compares positions of the list.
func comparePositions(a, b core.Position) int {
	return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.ID2, b.ID2))
}

// rubricPoints returns the most points that can be given by a rubric.
func rubricPoints(rubric []catalog.Criterion) (n int) {
	for _, c := range rubric {
		n += c.Points
	}
	return n
}
