package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// Times of the demo before its first sale and application: users join in the first week,
// then a course is published every day and a half.
const (
	joinDays, joinEvery     = 80, 8 * time.Hour
	courseDays, courseEvery = 70, 36 * time.Hour
)

// seeder fills a database with the demo. It uses the operations of the platform, with
// their rules, on a clock that it sets to the time of each event. It does not change data
// that exists, so that it can continue after an interrupted start.
type seeder struct {
	demo
	store    learning.Store
	importer importer
	currency string
	now      time.Time
	clock    *pastClock
	past     *learning.Platform // opens orders without the gateway, for payments in the past
	live     *learning.Platform // opens orders at the gateway, which can be paid
}

// pastClock is a clock that is set. It must be used in one goroutine only.
type pastClock struct{ at time.Time }

func (c *pastClock) Now() time.Time { return c.at }

type pastGateway struct{ learning.Gateway }

func (pastGateway) CreateOrder(_ context.Context, o learning.NewOrder) (string, error) {
	return "order_" + o.PurchaseID, nil
}

func (h *devServer) newSeeder(d demo, now time.Time) (*seeder, error) {
	payments, err := h.newGateway()
	if err != nil {
		return nil, err
	}
	clock := &pastClock{now}
	options := append(slices.Clone(h.options), learning.WithClock(clock))
	live, err := learning.New(h.store, options...)
	if err != nil {
		return nil, err
	}
	past, err := learning.New(h.store, append(options, learning.WithGateway(pastGateway{payments}), learning.WithAI(nil))...)
	if err != nil {
		return nil, err
	}
	importer := importer{courses: h.store, platform: past}
	return &seeder{demo: d, store: h.store, importer: importer, currency: h.Currency, now: now, clock: clock, past: past, live: live}, nil
}

// isNeeded reports whether the demo must be seeded: the database has no courses, or those
// of an incomplete demo. The demo is complete if its last sale, or without sales its last
// course, exists.
func (sd *seeder) isNeeded(ctx context.Context) (bool, error) {
	first, last := sd.Courses[0], sd.Courses[len(sd.Courses)-1]
	c, err := sd.store.Course(ctx, first.ID)
	if errors.Is(err, learning.ErrNoRecord) || err == nil && c.Educator.ID != first.Educator {
		listed, err := sd.past.Catalogue(ctx)
		return len(listed) == 0, err
	}
	if err != nil {
		return false, err
	}
	if n := len(sd.Sales); n > 0 {
		exists, err := sd.hasSale(ctx, sd.Sales[n-1])
		return !exists, err
	}
	_, err = sd.store.Course(ctx, last.ID)
	if errors.Is(err, learning.ErrNoRecord) {
		return true, nil
	}
	return false, err
}

// createUsers creates the records of the demo's users.
func (sd *seeder) createUsers(ctx context.Context) error {
	sd.clock.at = sd.now.AddDate(0, 0, -joinDays)
	for _, p := range slices.Concat(sd.People, sd.Students, sd.buyers()) {
		sd.clock.at = sd.clock.at.Add(joinEvery)
		if err := sd.importer.createUser(ctx, p); err != nil {
			return fmt.Errorf("user %s: %w", p.ID, err)
		}
	}
	return nil
}

// buyers returns the buyers of the history who are not in its people: the demo's student,
// if there is a history.
func (sd *seeder) buyers() []person {
	if len(sd.Sales) == 0 {
		return nil
	}
	s := demoUsers[0]
	return []person{{ID: s.ID, FirstName: s.FirstName, LastName: s.LastName, Email: s.Email, ImageURL: s.ImageURL}}
}

// seed creates courses, quizzes, applications, visits, the community and sales, each sale
// with the student's progress and attempts. The last sale must have neither, because
// isNeeded takes it as the end of the demo.
func (sd *seeder) seed(ctx context.Context) error {
	for i, c := range sd.Courses {
		sd.clock.at = sd.now.AddDate(0, 0, -courseDays).Add(time.Duration(i) * courseEvery)
		if _, err := sd.importer.addCourse(ctx, c); err != nil {
			return fmt.Errorf("course %s: %w", c.ID, err)
		}
	}
	for _, q := range sd.Quizzes {
		if err := sd.seedQuiz(ctx, q); err != nil {
			return fmt.Errorf("quiz of %s: %w", q.Course, err)
		}
	}
	for _, a := range sd.Applications {
		if err := sd.seedApplication(ctx, a); err != nil {
			return fmt.Errorf("application of %s: %w", a.Student, err)
		}
	}
	for _, v := range sd.Visits {
		if err := sd.trackVisit(ctx, v); err != nil {
			return fmt.Errorf("time of %s at %s: %w", v.Student, v.Path, err)
		}
	}
	if err := sd.seedCommunity(ctx); err != nil {
		return fmt.Errorf("community: %w", err)
	}
	for _, s := range sd.Sales {
		if err := sd.seedSale(ctx, s); err != nil {
			return fmt.Errorf("sale of %s to %s: %w", s.Course, s.Student, err)
		}
		if err := sd.seedProgress(ctx, s); err != nil {
			return fmt.Errorf("progress of %s in %s: %w", s.Student, s.Course, err)
		}
		if err := sd.seedAttempts(ctx, s); err != nil {
			return fmt.Errorf("quizzes of %s in %s: %w", s.Student, s.Course, err)
		}
	}
	return nil
}

// seedApplication creates an application, and approves or rejects it.
func (sd *seeder) seedApplication(ctx context.Context, a application) error {
	made, err := sd.store.ApplicationOf(ctx, a.Student)
	if errors.Is(err, learning.ErrNoRecord) {
		sd.clock.at = a.date(sd.now)
		made, _, err = sd.past.Apply(ctx, learning.Actor{UserID: a.Student, Role: learning.Student}, learning.NewApplication{
			ProfessionalTitle: a.ProfessionalTitle, Bio: a.Bio, Expertise: a.Expertise, LinkedinURL: &a.LinkedinURL})
	}
	if err != nil || made.Status != learning.ApplicationPending {
		return err
	}
	sd.clock.at = latest(a.Decided.date(sd.now), made.LeaseUntil)
	admin := learning.Actor{UserID: demoAdmin, Role: learning.Admin}
	switch a.Status {
	case learning.ApplicationApproved:
		return sd.past.Approve(ctx, admin, made.ID)
	case learning.ApplicationRejected:
		return sd.past.Reject(ctx, admin, made.ID, a.Reason)
	}
	return nil
}

// latest returns the later of at and leaseUntil, so that the lease of an interrupted start
// has expired. It would not expire on a clock in the past.
func latest(at, leaseUntil time.Time) time.Time {
	if leaseUntil.After(at) {
		return leaseUntil
	}
	return at
}

// trackVisit tracks the time of a visit unless there is an entry of that day.
func (sd *seeder) trackVisit(ctx context.Context, v visit) error {
	sd.clock.at = v.date(sd.now)
	entry := learning.TimeEntry{UserID: v.Student, Day: sd.clock.at.Truncate(24 * time.Hour), Page: v.Page, Path: v.Path}
	if day, err := sd.store.TimeDayOf(ctx, entry); err != nil || day.Known {
		return err
	}
	return sd.past.TrackTime(ctx, learning.Actor{UserID: v.Student, Role: learning.Student},
		learning.NewTimeEntry{Page: v.Page, Path: v.Path, Seconds: v.Minutes * 60})
}

// seedSale creates a sale unless it exists.
func (sd *seeder) seedSale(ctx context.Context, s sale) error {
	exists, err := sd.hasSale(ctx, s)
	if err != nil || exists {
		return err
	}
	sd.clock.at = s.date(sd.now)
	switch s.Status {
	case learning.PurchaseCompleted:
		return sd.completeSale(ctx, s)
	case learning.PurchasePending:
		_, err := sd.openOrder(ctx, sd.live, s)
		return err
	default:
		return sd.insertSale(ctx, s)
	}
}

// seedProgress completes lectures and rates the course, at times that are spread evenly
// between the sale and now.
func (sd *seeder) seedProgress(ctx context.Context, s sale) error {
	if s.Lectures == 0 && s.Stars == 0 {
		return nil
	}
	lectures, err := sd.store.LectureIDs(ctx, s.Course)
	if err != nil {
		return err
	}
	done, err := sd.store.CompletedLectures(ctx, s.Student, s.Course)
	if err != nil {
		return err
	}
	student, parts := learning.Actor{UserID: s.Student, Role: learning.Student}, s.Lectures+2
	for i, id := range lectures[:min(s.Lectures, len(lectures))] {
		if slices.ContainsFunc(done, func(l learning.CompletedLecture) bool { return l.LectureID == id }) {
			continue
		}
		sd.clock.at = s.between(sd.now, i+1, parts)
		if _, err := sd.past.CompleteLecture(ctx, student, s.Course, id); err != nil {
			return err
		}
	}
	if s.Stars == 0 {
		return nil
	}
	if _, err := sd.store.Rating(ctx, s.Student, s.Course); !errors.Is(err, learning.ErrNoRecord) {
		return err // nil if the student has rated the course
	}
	sd.clock.at = s.between(sd.now, s.Lectures+1, parts)
	return sd.past.Rate(ctx, student, s.Course, s.Stars)
}

// hasSale reports whether a sale exists. A pending sale may have been paid since.
func (sd *seeder) hasSale(ctx context.Context, s sale) (bool, error) {
	var err error
	switch s.Status {
	case learning.PurchaseCompleted:
		return sd.store.Enrolled(ctx, s.Student, s.Course)
	case learning.PurchasePending:
		var p learning.Purchase
		if p, err = sd.store.OpenPurchase(ctx, s.Student, s.Course); errors.Is(err, learning.ErrNoRecord) {
			return sd.store.Enrolled(ctx, s.Student, s.Course)
		}
		return p.OrderID != "", err
	default:
		if _, err = sd.store.Purchase(ctx, s.id()); errors.Is(err, learning.ErrNoRecord) {
			return false, nil
		}
		return err == nil, err
	}
}

func (sd *seeder) openOrder(ctx context.Context, on *learning.Platform, s sale) (learning.Order, error) {
	open, err := sd.store.OpenPurchase(ctx, s.Student, s.Course)
	if err != nil && !errors.Is(err, learning.ErrNoRecord) {
		return learning.Order{}, err
	}
	sd.clock.at = latest(sd.clock.at, open.LeaseUntil)
	return on.OpenOrder(ctx, learning.Actor{UserID: s.Student, Role: learning.Student}, s.Course)
}

func (sd *seeder) completeSale(ctx context.Context, s sale) error {
	o, err := sd.openOrder(ctx, sd.past, s)
	if err != nil || o.OrderID == "" { // it was free
		return err
	}
	return sd.past.CapturePayment(ctx, learning.Payment{ID: "pay_" + o.PurchaseID, OrderID: o.OrderID, PurchaseID: o.PurchaseID,
		Amount: &o.Amount, Currency: o.Currency, Captured: true})
}

// insertSale stores a failed or refunded sale, because no operation creates one. A
// refunded sale was completed before, so its enrolment is stored too.
func (sd *seeder) insertSale(ctx context.Context, s sale) error {
	c, err := sd.store.Course(ctx, s.Course)
	if err != nil {
		return err
	}
	p := learning.Purchase{ID: s.id(), UserID: s.Student, CourseID: s.Course, Amount: c.FinalPrice(), Currency: sd.currency,
		OrderID: "order_" + s.id(), Status: s.Status, CreatedAt: sd.clock.at, UpdatedAt: sd.clock.at}
	if s.Status == learning.PurchaseRefunded {
		p.PaymentID, p.CompletedAt = "pay_"+s.id(), sd.clock.at
	}
	return sd.store.InTx(ctx, func(tx learning.Tx) error {
		if err := tx.InsertPurchase(ctx, p); err != nil || s.Status != learning.PurchaseRefunded {
			return err
		}
		if err := tx.IncrementEnrollments(ctx, s.Course); err != nil {
			return err
		}
		return tx.InsertEnrollment(ctx, learning.Enrollment{UserID: s.Student, CourseID: s.Course, PurchaseID: p.ID, CreatedAt: p.CreatedAt})
	})
}
