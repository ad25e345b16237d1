package httpapi_test

import (
	"context"
	"errors"

	"github.com/openlectern/learning/learning"
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
func (broken) User(context.Context, string) (learning.User, error) {
	return learning.User{}, errInternal
}
func (broken) Standing(context.Context, string) (learning.Standing, error) {
	return learning.Standing{}, errInternal
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

// readOnly is a store in which no transaction succeeds.
type readOnly struct{ learning.Store }

func (readOnly) InTx(context.Context, func(learning.Tx) error) error { return errInternal }

// brokenMedia keeps nothing.
type brokenMedia struct{ learning.Media }

func (brokenMedia) Put(context.Context, string, string, []byte) error { return errInternal }
