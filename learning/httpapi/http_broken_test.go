package httpapi_test

import (
	"context"
	"errors"

	"github.com/openlectern/openlectern/learning"
)

// errInternal says what no caller may read.
var errInternal = errors.New("open /var/lib/learning/secret.db: INSERT INTO users VALUES ('password=hunter2') failed: panic: token eyJhbGciOi")

// traces are parts of it, any of which would be a leak.
var traces = []string{"/var/lib", "secret", "INSERT", "hunter2", "panic", "eyJ", "learning.", ".go:", "goroutine"}

// broken is a store of which nothing works, and which says why.
type broken struct{ learning.Store }

func (broken) PublishedCourses(context.Context) ([]learning.Course, error) { return nil, errInternal }
func (broken) CatalogueRevision(context.Context) (learning.Revision, error) {
	return learning.Revision{}, errInternal
}
func (broken) Course(context.Context, string) (learning.Course, error) {
	return learning.Course{}, errInternal
}
func (broken) CourseContent(context.Context, string) ([]learning.Chapter, error) {
	return nil, errInternal
}
func (broken) LectureIDs(context.Context, string) ([]string, error) { return nil, errInternal }
func (broken) User(context.Context, string) (learning.User, error) {
	return learning.User{}, errInternal
}
func (broken) AccountState(context.Context, string) (learning.AccountState, error) {
	return learning.AccountState{}, errInternal
}
func (broken) Purchase(context.Context, string) (learning.Purchase, error) {
	return learning.Purchase{}, errInternal
}
func (broken) PurchaseByOrder(context.Context, string) (learning.Purchase, error) {
	return learning.Purchase{}, errInternal
}
func (broken) OpenPurchase(context.Context, string, string) (learning.Purchase, error) {
	return learning.Purchase{}, errInternal
}
func (broken) Enrolled(context.Context, string, string) (bool, error) { return false, errInternal }
func (broken) InTx(context.Context, func(learning.Tx) error) error    { return errInternal }

func (broken) EnrolledCourses(context.Context, string) ([]learning.EnrolledCourse, error) {
	return nil, errInternal
}
func (broken) EnrolledCourse(context.Context, string, string) (learning.EnrolledCourse, error) {
	return learning.EnrolledCourse{}, errInternal
}
func (broken) CompletedLectures(context.Context, string, string) ([]learning.CompletedLecture, error) {
	return nil, errInternal
}
func (broken) Rating(context.Context, string, string) (learning.Rating, error) {
	return learning.Rating{}, errInternal
}

func (broken) EachGroupID(context.Context, func(string) error) error { return errInternal }
func (broken) GroupsByID(context.Context, []string, string) ([]learning.Group, error) {
	return nil, errInternal
}
func (broken) Group(context.Context, string, string) (learning.Group, error) {
	return learning.Group{}, errInternal
}
func (broken) Post(context.Context, string, string) (learning.Post, error) {
	return learning.Post{}, errInternal
}
func (broken) EachPost(context.Context, learning.PostQuery, string, learning.Page, func(learning.Post) error) error {
	return errInternal
}
func (broken) EachPostID(context.Context, learning.PostQuery, string, int, int, func(string) error) error {
	return errInternal
}
func (broken) PostsByID(context.Context, []string, string) ([]learning.Post, error) {
	return nil, errInternal
}
func (broken) PostTotal(context.Context, learning.PostQuery, string) (int, error) {
	return 0, errInternal
}
func (broken) Replies(context.Context, string, string, learning.Page) ([]learning.Reply, error) {
	return nil, errInternal
}
func (broken) Reply(context.Context, string, string, string) (learning.Reply, error) {
	return learning.Reply{}, errInternal
}

func (broken) Application(context.Context, string) (learning.Application, error) {
	return learning.Application{}, errInternal
}
func (broken) ApplicationOf(context.Context, string) (learning.Application, error) {
	return learning.Application{}, errInternal
}
func (broken) Applications(context.Context, learning.ApplicationStatus) ([]learning.Application, error) {
	return nil, errInternal
}
func (broken) CoursesOf(context.Context, string) ([]learning.Course, error) { return nil, errInternal }
func (broken) StudentsOf(context.Context, string) ([]learning.TaughtStudent, error) {
	return nil, errInternal
}
func (broken) Stats(context.Context, string) (learning.Stats, error) {
	return learning.Stats{}, errInternal
}
func (broken) TopCourses(context.Context, int) ([]learning.TopCourse, error) { return nil, errInternal }
func (broken) CourseReports(context.Context, string) ([]learning.CourseReport, error) {
	return nil, errInternal
}
func (broken) EachPurchase(context.Context, learning.PurchaseStatus, learning.Page, func(learning.PurchaseReport) error) error {
	return errInternal
}
func (broken) EachUser(context.Context, learning.Page, func(learning.UserReport) error) error {
	return errInternal
}

// knowing is a store that knows who calls, and nothing else.
type knowing struct{ broken }

func (k knowing) AccountState(ctx context.Context, id string) (learning.AccountState, error) {
	return k.Store.AccountState(ctx, id)
}

// readOnly is a store in which no transaction succeeds.
type readOnly struct{ learning.Store }

func (readOnly) InTx(context.Context, func(learning.Tx) error) error { return errInternal }

// brokenMedia keeps nothing.
type brokenMedia struct{ learning.Media }

func (brokenMedia) Put(context.Context, string, string, []byte) error { return errInternal }
