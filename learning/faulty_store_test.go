package learning_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

var errInjected = errors.New("broken on purpose")

// faultyStore is a store that fails once, at a chosen step. Each statement is a step.
// The end of a transaction has two steps: a COMMIT that fails, and a COMMIT that takes
// effect but returns an error.
type faultyStore struct {
	faultyReader
	store learning.Store

	mu     sync.Mutex
	left   int    // steps until it breaks; 0 when it will not
	broken string // the step that did

	beforeCommit, afterBreak func() // when set, called then
}

// withFaultyStore makes a kit use a faultyStore.
func withFaultyStore(b *faultyStore) learningtest.Option {
	return learningtest.WithStore(func(s learning.Store) learning.Store {
		b.store, b.faultyReader = s, faultyReader{s, b}
		return b
	})
}

// failAt makes the n-th step from now fail.
func (b *faultyStore) failAt(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left, b.broken = n, ""
}

// disarm cancels a pending fault. It returns the step that failed, or "".
func (b *faultyStore) disarm() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = 0
	return b.broken
}

func (b *faultyStore) step(name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left == 0 {
		return nil
	}
	if b.left--; b.left > 0 {
		return nil
	}
	b.broken = name
	if b.afterBreak != nil {
		b.afterBreak()
	}
	return errInjected
}

const lostAnswer = "COMMIT without an answer"

func (b *faultyStore) InTx(ctx context.Context, fn func(tx learning.Tx) error) error {
	err := b.store.InTx(ctx, func(tx learning.Tx) error {
		if err := fn(&faultyTx{faultyReader{tx, b}, tx, tx, b}); err != nil {
			return err
		}
		if b.beforeCommit != nil {
			b.beforeCommit()
		}
		return b.step("COMMIT")
	})
	if err != nil {
		return err
	}
	return b.step(lostAnswer)
}

func (b *faultyStore) Ping(ctx context.Context) error { return b.store.Ping(ctx) }

// faultyReader makes reads fail.
type faultyReader struct {
	learning.Reader
	b *faultyStore
}

func read[T any](b *faultyStore, name string, get func() (T, error)) (T, error) {
	if err := b.step(name); err != nil {
		var none T
		return none, err
	}
	return get()
}

func (r faultyReader) Course(ctx context.Context, id string) (learning.Course, error) {
	return read(r.b, "Course", func() (learning.Course, error) { return r.Reader.Course(ctx, id) })
}

func (r faultyReader) AccountState(ctx context.Context, id string) (learning.AccountState, error) {
	return read(r.b, "AccountState", func() (learning.AccountState, error) { return r.Reader.AccountState(ctx, id) })
}

func (r faultyReader) Purchase(ctx context.Context, id string) (learning.Purchase, error) {
	return read(r.b, "Purchase", func() (learning.Purchase, error) { return r.Reader.Purchase(ctx, id) })
}

func (r faultyReader) PurchasesByOrder(ctx context.Context, id string) ([]learning.Purchase, error) {
	return read(r.b, "PurchasesByOrder", func() ([]learning.Purchase, error) { return r.Reader.PurchasesByOrder(ctx, id) })
}

func (r faultyReader) OpenPurchase(ctx context.Context, userID, courseID string) (learning.Purchase, error) {
	return read(r.b, "OpenPurchase", func() (learning.Purchase, error) { return r.Reader.OpenPurchase(ctx, userID, courseID) })
}

func (r faultyReader) Enrolled(ctx context.Context, userID, courseID string) (bool, error) {
	return read(r.b, "Enrolled", func() (bool, error) { return r.Reader.Enrolled(ctx, userID, courseID) })
}

// writes is a transaction without its readers.
type writes interface {
	learning.CourseWriter
	learning.UserWriter
	learning.PurchaseWriter
	learning.EnrollmentWriter
	learning.ProgressWriter
	learning.RatingWriter
	learning.ApplicationWriter
	learning.CertificateWriter
	learning.QuizWriter
	learning.QuizResultWriter
	learning.ChatWriter
	learning.TimeEntryWriter
	learning.AIWriter
	learning.CommunityWriter
}

// faultyTx breaks what they write.
type faultyTx struct {
	faultyReader
	writes
	tx learning.Tx
	b  *faultyStore
}

func (t *faultyTx) AfterCommit(f func()) { t.tx.AfterCommit(f) }

func (t *faultyTx) write(name string, do func() error) error {
	if err := t.b.step(name); err != nil {
		return err
	}
	return do()
}

func (t *faultyTx) InsertCourse(ctx context.Context, c learning.Course, content []learning.Chapter) error {
	return t.write("InsertCourse", func() error { return t.tx.InsertCourse(ctx, c, content) })
}

func (t *faultyTx) IncrementEnrollments(ctx context.Context, id string) error {
	return t.write("IncrementEnrollments", func() error { return t.tx.IncrementEnrollments(ctx, id) })
}

func (t *faultyTx) MarkCoursesChanged(ctx context.Context, id string) (bool, error) {
	return read(t.b, "MarkCoursesChanged", func() (bool, error) { return t.tx.MarkCoursesChanged(ctx, id) })
}

func (t *faultyTx) UpdateUser(ctx context.Context, u learning.User) (bool, error) {
	return read(t.b, "UpdateUser", func() (bool, error) { return t.tx.UpdateUser(ctx, u) })
}

func (t *faultyTx) InsertUser(ctx context.Context, u learning.User) error {
	return t.write("InsertUser", func() error { return t.tx.InsertUser(ctx, u) })
}

func (t *faultyTx) LockUser(ctx context.Context, id string) (bool, error) {
	return read(t.b, "LockUser", func() (bool, error) { return t.tx.LockUser(ctx, id) })
}

func (t *faultyTx) ScrubUser(ctx context.Context, id string, at time.Time) (bool, error) {
	return read(t.b, "ScrubUser", func() (bool, error) { return t.tx.ScrubUser(ctx, id, at) })
}

func (t *faultyTx) UpdateRole(ctx context.Context, id string, d learning.RoleAssignment) (bool, error) {
	return read(t.b, "UpdateRole", func() (bool, error) { return t.tx.UpdateRole(ctx, id, d) })
}

func (t *faultyTx) InsertRole(ctx context.Context, id string, d learning.RoleAssignment) error {
	return t.write("InsertRole", func() error { return t.tx.InsertRole(ctx, id, d) })
}

func (t *faultyTx) DeleteRole(ctx context.Context, id string) error {
	return t.write("DeleteRole", func() error { return t.tx.DeleteRole(ctx, id) })
}

func (t *faultyTx) RestoreUser(ctx context.Context, u learning.User, deletedAt time.Time) (bool, error) {
	return read(t.b, "RestoreUser", func() (bool, error) { return t.tx.RestoreUser(ctx, u, deletedAt) })
}

func (t *faultyTx) InsertPurchase(ctx context.Context, p learning.Purchase) error {
	return t.write("InsertPurchase", func() error { return t.tx.InsertPurchase(ctx, p) })
}

func (t *faultyTx) TakeOverPurchase(ctx context.Context, p learning.Purchase, oldHolder string) (bool, error) {
	return read(t.b, "TakeOverPurchase", func() (bool, error) { return t.tx.TakeOverPurchase(ctx, p, oldHolder) })
}

func (t *faultyTx) SetPurchaseOrder(ctx context.Context, id, holder, orderID string, at time.Time) (bool, error) {
	return read(t.b, "SetPurchaseOrder", func() (bool, error) { return t.tx.SetPurchaseOrder(ctx, id, holder, orderID, at) })
}

func (t *faultyTx) DeletePurchaseClaim(ctx context.Context, id, holder string) (bool, error) {
	return read(t.b, "DeletePurchaseClaim", func() (bool, error) { return t.tx.DeletePurchaseClaim(ctx, id, holder) })
}

func (t *faultyTx) FailPurchase(ctx context.Context, id string, at time.Time) (bool, error) {
	return read(t.b, "FailPurchase", func() (bool, error) { return t.tx.FailPurchase(ctx, id, at) })
}

func (t *faultyTx) CompletePurchase(ctx context.Context, id, paymentID string, firstUse bool, at time.Time) (bool, error) {
	return read(t.b, "CompletePurchase", func() (bool, error) { return t.tx.CompletePurchase(ctx, id, paymentID, firstUse, at) })
}

func (t *faultyTx) InsertEnrollment(ctx context.Context, e learning.Enrollment) error {
	return t.write("InsertEnrollment", func() error { return t.tx.InsertEnrollment(ctx, e) })
}
