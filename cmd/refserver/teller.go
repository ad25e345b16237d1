package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// When the demo's story begins, before all sales and applications: people join in
// the first week, then a course comes every day and a half.
const (
	joinDays, joinEvery     = 80, 8 * time.Hour
	courseDays, courseEvery = 70, 36 * time.Hour
)

// teller fills a database with the demo as if it had happened: by the use cases,
// with their rules, on a clock that is set to each moment. What is there already it
// leaves alone, so that it can go on where another was cut short.
type teller struct {
	demo
	store    learning.Store
	in       importer
	currency string
	now      time.Time
	clock    *pastClock
	past     *learning.Platform // whose orders the gateway does not know: they were paid long ago
	open     *learning.Platform // whose orders can be paid
}

// pastClock is read in no other goroutine than the one that sets it.
type pastClock struct{ at time.Time }

func (c *pastClock) Now() time.Time { return c.at }

type pastGateway struct{ learning.Gateway }

func (pastGateway) CreateOrder(_ context.Context, o learning.NewOrder) (string, error) {
	return "order_" + o.PurchaseID, nil
}

func (h *host) newTeller(d demo, now time.Time) (*teller, error) {
	payments, err := h.newGateway()
	if err != nil {
		return nil, err
	}
	clock := &pastClock{now}
	options := append(slices.Clone(h.options), learning.WithClock(clock))
	open, err := learning.New(h.store, options...)
	if err != nil {
		return nil, err
	}
	past, err := learning.New(h.store, append(options, learning.WithGateway(pastGateway{payments}), learning.WithAI(nil))...)
	if err != nil {
		return nil, err
	}
	in := importer{courses: h.store, platform: past}
	return &teller{demo: d, store: h.store, in: in, currency: h.Currency, now: now, clock: clock, past: past, open: open}, nil
}

// wanted tells whether the demo is to be filled in: there are no courses, or those
// of a demo that was not finished. What comes last tells whether it was.
func (t *teller) wanted(ctx context.Context) (bool, error) {
	first, last := t.Courses[0], t.Courses[len(t.Courses)-1]
	c, err := t.store.Course(ctx, first.ID)
	if errors.Is(err, learning.ErrNoRecord) || err == nil && c.Educator.ID != first.Educator {
		listed, err := t.past.Catalogue(ctx)
		return len(listed) == 0, err
	}
	if err != nil {
		return false, err
	}
	if n := len(t.Sales); n > 0 {
		there, err := t.sold(ctx, t.Sales[n-1])
		return !there, err
	}
	_, err = t.store.Course(ctx, last.ID)
	if errors.Is(err, learning.ErrNoRecord) {
		return true, nil
	}
	return false, err
}

// join gives records to the demo's people, dated by when they came.
func (t *teller) join(ctx context.Context) error {
	t.clock.at = t.now.AddDate(0, 0, -joinDays)
	for _, p := range slices.Concat(t.People, t.Students, t.buyers()) {
		t.clock.at = t.clock.at.Add(joinEvery)
		if err := t.in.introduce(ctx, p); err != nil {
			return fmt.Errorf("person %s: %w", p.ID, err)
		}
	}
	return nil
}

// buyers are those of the history who are no people of its own: the demo's student,
// where there is a history.
func (t *teller) buyers() []person {
	if len(t.Sales) == 0 {
		return nil
	}
	s := demoPeople[0]
	return []person{{ID: s.ID, FirstName: s.FirstName, LastName: s.LastName, Email: s.Email, ImageURL: s.ImageURL}}
}

// tell brings in courses, quizzes, applications, visits, the community and sales, each sale
// with what the student made of it. Sales are last, see wanted; of the last one
// nothing is made.
func (t *teller) tell(ctx context.Context) error {
	for i, c := range t.Courses {
		t.clock.at = t.now.AddDate(0, 0, -courseDays).Add(time.Duration(i) * courseEvery)
		if _, err := t.in.add(ctx, c); err != nil {
			return fmt.Errorf("course %s: %w", c.ID, err)
		}
	}
	for _, q := range t.Quizzes {
		if err := t.setQuiz(ctx, q); err != nil {
			return fmt.Errorf("quiz of %s: %w", q.Course, err)
		}
	}
	for _, a := range t.Applications {
		if err := t.apply(ctx, a); err != nil {
			return fmt.Errorf("application of %s: %w", a.Student, err)
		}
	}
	for _, v := range t.Visits {
		if err := t.spend(ctx, v); err != nil {
			return fmt.Errorf("time of %s at %s: %w", v.Student, v.Path, err)
		}
	}
	if err := t.discuss(ctx); err != nil {
		return fmt.Errorf("community: %w", err)
	}
	for _, s := range t.Sales {
		if err := t.sell(ctx, s); err != nil {
			return fmt.Errorf("sale of %s to %s: %w", s.Course, s.Student, err)
		}
		if err := t.learn(ctx, s); err != nil {
			return fmt.Errorf("progress of %s in %s: %w", s.Student, s.Course, err)
		}
		if err := t.answerQuizzes(ctx, s); err != nil {
			return fmt.Errorf("quizzes of %s in %s: %w", s.Student, s.Course, err)
		}
	}
	return nil
}

// apply makes an application, and decides on it.
func (t *teller) apply(ctx context.Context, a application) error {
	made, err := t.store.ApplicationOf(ctx, a.Student)
	if errors.Is(err, learning.ErrNoRecord) {
		t.clock.at = a.before(t.now)
		made, _, err = t.past.Apply(ctx, learning.Actor{UserID: a.Student, Role: learning.Student}, learning.NewApplication{
			ProfessionalTitle: a.ProfessionalTitle, Bio: a.Bio, Expertise: a.Expertise, LinkedinURL: &a.LinkedinURL})
	}
	if err != nil || made.Status != learning.ApplicationPending {
		return err
	}
	t.clock.at = later(a.Decided.before(t.now), made.LeaseUntil)
	admin := learning.Actor{UserID: demoAdmin, Role: learning.Admin}
	switch a.Status {
	case learning.ApplicationApproved:
		return t.past.Approve(ctx, admin, made.ID)
	case learning.ApplicationRejected:
		return t.past.Reject(ctx, admin, made.ID, a.Reason)
	}
	return nil
}

// later is when somebody can go on who finds the claim of one who was cut short:
// on a clock in the past it would never be over.
func later(at, leaseUntil time.Time) time.Time {
	if leaseUntil.After(at) {
		return leaseUntil
	}
	return at
}

// spend tracks the time of a visit, unless the student was there on that day.
func (t *teller) spend(ctx context.Context, v visit) error {
	t.clock.at = v.before(t.now)
	there := learning.TimeEntry{UserID: v.Student, Day: t.clock.at.Truncate(24 * time.Hour), Page: v.Page, Path: v.Path}
	if day, err := t.store.TimeDayOf(ctx, there); err != nil || day.Known {
		return err
	}
	return t.past.TrackTime(ctx, learning.Actor{UserID: v.Student, Role: learning.Student},
		learning.NewTimeEntry{Page: v.Page, Path: v.Path, Seconds: v.Minutes * 60})
}

// sell makes a sale that is not there yet.
func (t *teller) sell(ctx context.Context, s sale) error {
	there, err := t.sold(ctx, s)
	if err != nil || there {
		return err
	}
	t.clock.at = s.before(t.now)
	switch s.Status {
	case learning.PurchaseCompleted:
		return t.pay(ctx, s)
	case learning.PurchasePending:
		_, err := t.order(ctx, t.open, s)
		return err
	default:
		return t.record(ctx, s)
	}
}

// learn lets a student complete lectures and rate the course, at even distances
// between the sale and now.
func (t *teller) learn(ctx context.Context, s sale) error {
	if s.Lectures == 0 && s.Stars == 0 {
		return nil
	}
	lectures, err := t.store.LectureIDs(ctx, s.Course)
	if err != nil {
		return err
	}
	done, err := t.store.CompletedLectures(ctx, s.Student, s.Course)
	if err != nil {
		return err
	}
	student, parts := learning.Actor{UserID: s.Student, Role: learning.Student}, s.Lectures+2
	for i, id := range lectures[:min(s.Lectures, len(lectures))] {
		if slices.ContainsFunc(done, func(l learning.CompletedLecture) bool { return l.LectureID == id }) {
			continue
		}
		t.clock.at = s.since(t.now, i+1, parts)
		if _, err := t.past.CompleteLecture(ctx, student, s.Course, id); err != nil {
			return err
		}
	}
	if s.Stars == 0 {
		return nil
	}
	if _, err := t.store.Rating(ctx, s.Student, s.Course); !errors.Is(err, learning.ErrNoRecord) {
		return err // or the student has rated it
	}
	t.clock.at = s.since(t.now, s.Lectures+1, parts)
	return t.past.Rate(ctx, student, s.Course, s.Stars)
}

// sold tells whether a sale is there. One that was pending may have been paid since.
func (t *teller) sold(ctx context.Context, s sale) (bool, error) {
	var err error
	switch s.Status {
	case learning.PurchaseCompleted:
		return t.store.Enrolled(ctx, s.Student, s.Course)
	case learning.PurchasePending:
		var p learning.Purchase
		if p, err = t.store.OpenPurchase(ctx, s.Student, s.Course); errors.Is(err, learning.ErrNoRecord) {
			return t.store.Enrolled(ctx, s.Student, s.Course)
		}
		return p.OrderID != "", err
	default:
		if _, err = t.store.Purchase(ctx, s.id()); errors.Is(err, learning.ErrNoRecord) {
			return false, nil
		}
		return err == nil, err
	}
}

func (t *teller) order(ctx context.Context, on *learning.Platform, s sale) (learning.Order, error) {
	open, err := t.store.OpenPurchase(ctx, s.Student, s.Course)
	if err != nil && !errors.Is(err, learning.ErrNoRecord) {
		return learning.Order{}, err
	}
	t.clock.at = later(t.clock.at, open.LeaseUntil)
	return on.OpenOrder(ctx, learning.Actor{UserID: s.Student, Role: learning.Student}, s.Course)
}

func (t *teller) pay(ctx context.Context, s sale) error {
	o, err := t.order(ctx, t.past, s)
	if err != nil || o.OrderID == "" { // it was free
		return err
	}
	return t.past.CapturePayment(ctx, learning.Payment{ID: "pay_" + o.PurchaseID, OrderID: o.OrderID, PurchaseID: o.PurchaseID,
		Amount: &o.Amount, Currency: o.Currency, Captured: true})
}

// record stores a sale of a kind that no use case makes: a failed one, or one that
// was refunded after it had been completed. The enrolment stays then, as always.
func (t *teller) record(ctx context.Context, s sale) error {
	c, err := t.store.Course(ctx, s.Course)
	if err != nil {
		return err
	}
	p := learning.Purchase{ID: s.id(), UserID: s.Student, CourseID: s.Course, Amount: c.FinalPrice(), Currency: t.currency,
		OrderID: "order_" + s.id(), Status: s.Status, CreatedAt: t.clock.at, UpdatedAt: t.clock.at}
	if s.Status == learning.PurchaseRefunded {
		p.PaymentID, p.CompletedAt = "pay_"+s.id(), t.clock.at
	}
	return t.store.InTx(ctx, func(tx learning.Tx) error {
		if err := tx.InsertPurchase(ctx, p); err != nil || s.Status != learning.PurchaseRefunded {
			return err
		}
		if err := tx.IncrementEnrollments(ctx, s.Course); err != nil {
			return err
		}
		return tx.InsertEnrollment(ctx, learning.Enrollment{UserID: s.Student, CourseID: s.Course, PurchaseID: p.ID, CreatedAt: p.CreatedAt})
	})
}
