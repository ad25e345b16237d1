package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// The public failures of courses.
var (
	ErrCourseNotFound = &core.Error{Kind: core.NotFound, Code: "course_not_found",
		Message: "Course not found"}
	ErrCourseDenied = &core.Error{Kind: core.Forbidden, Code: "course_denied",
		Message: "Access denied or course not found"}
	ErrCourseChanged = &core.Error{Kind: core.Conflict, Code: "course_changed",
		Message: "The course has changed. Please load it again."}
	ErrCourseHasStudents = &core.Error{Kind: core.Conflict, Code: "course_has_students",
		Message: "This course has students. Unpublish it instead."}
)

// TotalCourses counts courses, drafts too.
const TotalCourses core.TotalKind = "courses"

// The events of courses.
const (
	EventCoursePublished   core.EventType = "course.published"
	EventCourseUpdated     core.EventType = "course.updated"
	EventCourseUnpublished core.EventType = "course.unpublished"
)

// Course is a course without its content.
type Course struct {
	ID          string
	Title       string
	Description string
	Thumbnail   string     // name in the media store; see [FileService.MediaURL]
	Price       core.Money // in the currency of the platform
	Prices      []Price    // in other currencies
	Discount    core.Percent
	Published   bool
	Educator    core.Person
	Ratings     Ratings
	Lectures    int // how many
	Minutes     int // of all lectures, rounded
	Students    int // enrolled
	Terms       Terms
	HasOpenings bool          // whether a chapter opens later than the course
	Metadata    core.Metadata // of the host, and public
	Version     int64         // 1 at first; grows by one with each edit
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Ratings is the sum and the number of a course's ratings.
type Ratings struct{ Sum, Count int }

// CourseWithContent is a course with its chapters.
type CourseWithContent struct {
	Course
	Content []Chapter
}

// Chapter is a part of a course.
type Chapter struct {
	ID       string // unique within the course
	Order    int
	Title    string
	Lectures []Lecture
	Opens    Opening
	HasQuiz  bool // whether a quiz is stored; set where the content of a course is shown
}

// Lecture is a part of a chapter.
type Lecture struct {
	ID          string // unique within the course
	Order       int
	Title       string
	Minutes     float64
	URL         string // "" if the caller has no access to it; signed if the lecture has a file
	PreviewFree bool

	// What follows is material, which only lectures with a kind have. A caller without access to a
	// lecture gets no more of it than its kind.
	Kind        LectureKind // "" for a lecture that was stored without one
	FileID      string      // of the file that the lecture is; for editors only
	Captions    []Caption
	Attachments []Attachment
	// Text is Markdown. In a request, nil keeps the text that the lecture has.
	Text *string
	// Assignment is set in a lecture of the kind assignment that the caller may read.
	Assignment *Assignment
}

// equal reports whether the courses have the same values.
func (c Course) equal(other Course) bool {
	sameMetadata := maps.Equal(c.Metadata, other.Metadata)
	c.Metadata, other.Metadata = nil, nil
	return sameMetadata && reflect.DeepEqual(c, other)
}

// FinalPrice returns the price after the discount, rounded half away from zero to the
// smallest unit.
func (c Course) FinalPrice() core.Money { return core.ApplyDiscount(c.Price, c.Discount) }

// PublishedCourse returns a published course with its chapters. Of lectures that are not free
// previews it has neither URLs nor material. It needs no actor. It returns [ErrCourseNotFound] if
// there is no such course or it is a draft.
func (s *Service) PublishedCourse(ctx context.Context, id string) (CourseWithContent, error) {
	c, err := s.ForRooms().Published(ctx, id)
	if err != nil {
		return CourseWithContent{}, err
	}
	content, err := ContentOf(ctx, s.store, id)
	if err != nil {
		return CourseWithContent{}, err
	}
	if content, err = WithQuizzes(ctx, s.store, id, content); err != nil {
		return CourseWithContent{}, err
	}
	if content, err = s.ForRooms().Shown(ctx, Access{Caller: Outsider}, id, content); err != nil {
		return CourseWithContent{}, err
	}
	return CourseWithContent{c, content}, nil
}

// WithQuizzes returns a copy of the content of a course that says which chapters have a quiz.
func WithQuizzes(
	ctx context.Context, r ChapterQuizReader, courseID string, content []Chapter,
) ([]Chapter, error) {
	ids, err := r.QuizChapters(ctx, courseID)
	if err != nil {
		return nil, fmt.Errorf("list the quizzes of a course: %w", err)
	}
	content = slices.Clone(content)
	for i := range content {
		content[i].HasQuiz = slices.Contains(ids, content[i].ID)
	}
	return content, nil
}

// Any returns a course, which may be a draft. Error: [ErrCourseNotFound].
func (s *ForRooms) Any(ctx context.Context, id string) (Course, error) {
	c, err := s.store.Course(ctx, id)
	if errors.Is(err, core.ErrNoRecord) {
		return Course{}, ErrCourseNotFound
	}
	return c, core.Wrap("read a course", err)
}

// Published returns a published course, or [ErrCourseNotFound].
func (s *ForRooms) Published(ctx context.Context, id string) (Course, error) {
	c, err := s.Any(ctx, id)
	if err == nil && !c.Published {
		return Course{}, ErrCourseNotFound
	}
	return c, err
}

// OwnCourse returns a course of the actor, published or not. If the course is another educator's,
// it returns [core.ErrForbidden], or [ErrCourseNotFound] for a draft, so that the existence of
// drafts stays unknown. Other errors: [core.ErrUnauthenticated], and [core.ErrForbidden] for an
// actor who is no educator.
func (s *ForRooms) OwnCourse(
	ctx context.Context, actor core.Actor, courseID string,
) (Course, error) {
	if err := actor.RequireRole(core.Educator); err != nil {
		return Course{}, err
	}
	c, err := s.store.Course(ctx, courseID)
	isOwn := c.Educator.ID == actor.UserID
	isHidden := err == nil && !isOwn && !c.Published
	switch {
	case errors.Is(err, core.ErrNoRecord), isHidden:
		return Course{}, ErrCourseNotFound
	case err != nil:
		return Course{}, fmt.Errorf("read a course: %w", err)
	case !isOwn:
		return Course{}, core.ErrForbidden
	}
	return c, nil
}

// AddCourse adds a course of an educator, published or as a draft, and returns its
// id. The image must be a JPEG, PNG or WebP. It is decoded and encoded again before
// it is stored. Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [core.ErrInvalidRequest],
// [file.ErrThumbnailMissing], [file.ErrThumbnailRefused], [file.ErrThumbnailBusy],
// [file.ErrMediaNotConfigured]. An id in n that a course has already is an internal error, which
// wraps [core.ErrDuplicate].
func (s *Service) AddCourse(ctx context.Context, actor core.Actor, n NewCourse,
	image []byte) (id string, err error) {
	if err := actor.RequireRole(core.Educator); err != nil {
		return "", err
	}
	if !s.files.HasMedia() {
		return "", file.ErrMediaNotConfigured
	}
	c, err := s.ForRooms().DraftCourse(actor, n)
	if err != nil {
		return "", err
	}

	// Store the file before the transaction. StoreThumbnail also adds it to the list of unused
	// files, so that it is deleted later if no course gets it.
	c.Thumbnail, err = s.files.StoreThumbnail(ctx, image)
	if err != nil {
		return "", err
	}
	err = s.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
		return s.ForRooms().InsertCourse(ctx, tx, changes, c)
	})
	if err != nil {
		// Delete the file, unless err says that the course may have been stored, because only the
		// answer to COMMIT was lost.
		s.files.DiscardThumbnail(ctx, c.Thumbnail, err)
		return "", core.Wrap("add a course", err)
	}
	return c.ID, nil
}

// InsertCourse stores a new course with its content and texts in a transaction. Its thumbnail, if
// it has one, must be reserved. [core.Error]s: those of setCourseFiles and storeTexts.
func (s *ForRooms) InsertCourse(
	ctx context.Context, tx InsertTx, changes *core.Changes, c CourseWithContent,
) error {
	// Lock the educator, whose name is copied to the words of the course: a change of the name
	// comes before or after.
	if err := core.LockUser(ctx, tx, c.Educator.ID); err != nil {
		return err
	}
	tx.AfterCommit((*Service)(s).catalogueChanged) // so that caches of the catalogue read it again
	if c.Published {
		addCourseEvent(changes, EventCoursePublished, c.Course)
	}
	// Only the educator of the course can have chosen what a new one requires.
	owner := core.Actor{UserID: c.Educator.ID, Role: core.Educator}
	if err := checkRequires(ctx, tx, owner, c.ID, c.Terms.Requires); err != nil {
		return err
	}
	// Take the file from the list of unused files.
	if c.Thumbnail != "" {
		if err := file.UseFile(ctx, tx, c.Thumbnail); err != nil {
			return err
		}
	}
	changes.Count(c.ID, core.Total{Kind: TotalCourses, Number: 1}) // stored before COMMIT
	if err := tx.InsertCourse(ctx, c.Course, c.Content); err != nil {
		return err
	}
	if err := setCourseFiles(ctx, tx, c.Course, nil, c.Content, s.base.Now()); err != nil {
		return err
	}
	if err := storeTexts(ctx, tx, c.ID, nil, c.Content); err != nil {
		return err
	}
	return tx.ContentStored(ctx, c.ID, c.Content)
}

// DraftCourse returns the course that n describes, which may be published, with its totals and its
// content. It is not stored yet, and has no thumbnail. The actor is its educator. Error:
// [core.ErrInvalidRequest].
func (s *ForRooms) DraftCourse(actor core.Actor, n NewCourse) (CourseWithContent, error) {
	content, err := n.normal(s.base.NewID, s.embedHosts)
	if err != nil {
		return CourseWithContent{}, err
	}
	terms, err := n.Terms.normal()
	if err == nil {
		left := core.ApplyDiscount(n.Price, n.Discount)
		err = cmp.Or(s.prices.check(coursePriceField, n.Prices),
			s.prices.checkPlatform(coursePriceField, left))
	}
	if err != nil {
		return CourseWithContent{}, err
	}
	lectures, minutes := totals(content)
	now := s.base.Now()
	return CourseWithContent{Course{
		ID: cmp.Or(n.ID, s.base.NewID()), Title: n.Title, Description: n.Description,
		Price: n.Price, Discount: n.Discount, Published: n.Published,
		Educator: core.Person{ID: actor.UserID}, Lectures: lectures, Minutes: minutes,
		Terms: terms, HasOpenings: hasOpenings(content), Metadata: n.Metadata, Prices: n.Prices, Version: 1,
		CreatedAt: now, UpdatedAt: now,
	}, content}, nil
}

// totals returns the number of the lectures and the sum of their minutes, rounded half
// away from zero. The minutes are added in millionths, because a sum of binary
// fractions such as 0.1 can be slightly less than a half.
func totals(content []Chapter) (lectures, minutes int) {
	const whole = 1_000_000 // a minute in millionths
	sum := 0.0              // a whole number of millionths, so that additions are exact
	for _, ch := range content {
		lectures += len(ch.Lectures)
		for _, l := range ch.Lectures {
			sum += math.Round(l.Minutes * whole)
		}
	}
	return lectures, int((sum + whole/2) / whole)
}

// sortContent sorts chapters, and the lectures in each, by their order. The sort is
// stable.
func sortContent(content []Chapter) {
	slices.SortStableFunc(content, func(a, b Chapter) int { return cmp.Compare(a.Order, b.Order) })
	for _, ch := range content {
		slices.SortStableFunc(ch.Lectures,
			func(a, b Lecture) int { return cmp.Compare(a.Order, b.Order) })
	}
}

// Average returns the mean of the ratings to one decimal, rounded half away from zero,
// or 0 if there are no ratings.
func (r Ratings) Average() float64 {
	return float64(r.tenths()) / 10
}

// tenths returns the average in tenths. The store orders courses by the same number.
func (r Ratings) tenths() int {
	if r.Count <= 0 {
		return 0
	}
	return (20*r.Sum + r.Count) / (2 * r.Count) // 10*Sum/Count plus a half, without fractions
}

// ChapterQuizReader tells which chapters have a quiz. The quizzes belong to a later room.
type ChapterQuizReader interface {
	// QuizChapters lists the ids of the chapters of a course that have a quiz.
	QuizChapters(ctx context.Context, courseID string) ([]string, error)
}

// ContentReader reads the content of courses.
type ContentReader interface {
	// CourseContent reads the chapters of one course, in order.
	CourseContent(ctx context.Context, courseID string) ([]Chapter, error)
}

// LectureIDReader reads which lectures courses have.
type LectureIDReader interface {
	// LectureIDsOf reads the ids of the lectures of courses by the id of the course. A course
	// that does not exist is left out.
	LectureIDsOf(ctx context.Context, courseIDs []string) (map[string][]string, error)
	// LectureIDs reads the ids of the lectures of one course, in order.
	LectureIDs(ctx context.Context, courseID string) ([]string, error)
}

// courseReader reads courses. Each course includes its educator.
type courseReader interface {
	ContentReader
	LectureIDReader
	ChapterQuizReader

	// Courses lists a page of the published courses that q and s select, in the order of q. It does
	// not read the text of the search of q. The value of a position is the number of students, the
	// average rating in tenths, or the price after the discount in millionths.
	Courses(ctx context.Context, q CourseQuery, s core.WordSearch, page core.PageRequest) ([]Course,
		error)
	// CatalogueEnd returns the position of the last of so many courses that follow a position in
	// the order of q, or zero if there are fewer: of the published courses, and in an order by
	// time, if q has an educator, of the educator's courses, drafts too. It does not read the
	// text of the search of q.
	CatalogueEnd(ctx context.Context, q CourseQuery, after core.Position, rows int) (core.Position,
		error)
	// CatalogueRevision returns the revision of the list of published courses. It changes
	// whenever the list changes.
	CatalogueRevision(ctx context.Context) (Revision, error)
	CourseReader
	// CourseInUse reports whether a user is or was enrolled in a course, or a purchase of it
	// is open, completed or refunded.
	CourseInUse(ctx context.Context, id string) (bool, error)
	LectureKindReader
}

// LockTx locks courses.
type LockTx interface {
	// LockCourse locks the row of a course until the transaction ends, and reports whether
	// there is one.
	LockCourse(ctx context.Context, id string) (bool, error)
}

// RatingsTx changes the ratings that courses show.
type RatingsTx interface {
	// MarkCourseChanged marks one course as changed in the list. It returns [core.ErrNoRecord]
	// if there is no such course.
	MarkCourseChanged(ctx context.Context, id string) error
	// AddToRatings adds to the sum and the number of a course's ratings, and marks it
	// as changed in the list. It returns [core.ErrNoRecord] if there is no such course.
	AddToRatings(ctx context.Context, courseID string, change Ratings) error
}

// CourseReader reads one course.
type CourseReader interface {
	// Course reads one course, published or not.
	Course(ctx context.Context, id string) (Course, error)
	// CoursesByID reads courses, published or not, in any order. Those that do not exist are left
	// out. There must be one id at least.
	CoursesByID(ctx context.Context, ids []string) ([]Course, error)
}

// LectureKindReader reads the kinds of the lectures of a course.
type LectureKindReader interface {
	// LectureKinds reads the ids and the kinds of the lectures of one course, in order.
	LectureKinds(ctx context.Context, courseID string) (
		ids []string, kinds []LectureKind, err error)
}

// StudentCountTx changes how many students courses have. Who is a student belongs to a later room.
type StudentCountTx interface {
	// AddToStudentCount adds to the number of students of a course. It returns
	// [core.ErrNoRecord] if there is no such course.
	AddToStudentCount(ctx context.Context, courseID string, by int) error
}

// InsertTx is what a transaction needs that adds a course with the texts of its lectures, and with
// files that they use.
type InsertTx interface {
	core.Tx
	CourseReader
	courseFileTx
	lectureTextWriter
	courseInserter
	Hooks
}

// courseInserter adds courses.
type courseInserter interface {
	// InsertCourse stores a course, its chapters and its words, with version 1. It returns
	// [core.ErrDuplicate] if the id exists.
	InsertCourse(ctx context.Context, c Course, content []Chapter) error
}

// courseWriter writes courses.
type courseWriter interface {
	LockTx
	RatingsTx
	courseInserter

	// LockRequirements locks what courses require of each other until the end of the transaction:
	// who adds a requirement reads those of other courses, which belong to other educators.
	LockRequirements(ctx context.Context) error
	// MarkCoursesChanged marks the courses of an educator as changed in the list,
	// because the list shows the educator. It reports whether there are any.
	MarkCoursesChanged(ctx context.Context, educatorID string) (bool, error)
	// UpdateCourse overwrites a course of the same version, except its thumbnail, educator,
	// ratings, students and creation time. It increments the version, marks the course as
	// changed in the list, and reports whether the course had the version. The caller must replace
	// the words of the course.
	UpdateCourse(ctx context.Context, c Course) (bool, error)
	// SetThumbnail sets the thumbnail and update time of a course, increments its version and
	// marks it as changed in the list. It returns [core.ErrNoRecord] if there is no such course.
	SetThumbnail(ctx context.Context, courseID, name string, at time.Time) error
	// InsertDeletedCourse keeps the title and the revision of a course that is about to be
	// deleted. id is the id of the deletion.
	InsertDeletedCourse(ctx context.Context, id, courseID string, at time.Time) error
	// DeleteCourse deletes the row of a course. It returns [core.ErrNoRecord] if there is none.
	DeleteCourse(ctx context.Context, id string) error
	// DeleteContent deletes the chapters of a course. It returns [core.ErrNoRecord] if there is no
	// such course.
	DeleteContent(ctx context.Context, courseID string) error
	// UpdateContent overwrites the chapters of a course. It returns [core.ErrNoRecord] if there
	// is no such course.
	UpdateContent(ctx context.Context, courseID string, content []Chapter) error
}

// addCourseEvent adds an event of a course.
func addCourseEvent(changes *core.Changes, t core.EventType, c Course) {
	changes.Add(t, "course", c.ID,
		core.EventData{CourseID: c.ID, CourseTitle: c.Title, EducatorID: c.Educator.ID})
}

// EventTitle returns the title of a course for an event, or "" if nothing gets events.
func (s *ForRooms) EventTitle(ctx context.Context, courseID string) (string, error) {
	if !s.base.HasEvents() {
		return "", nil
	}
	c, err := s.store.Course(ctx, courseID)
	if errors.Is(err, core.ErrNoRecord) { // the title of a deleted course is ""
		err = nil
	}
	return c.Title, core.Wrap("read the course of an event", err)
}
