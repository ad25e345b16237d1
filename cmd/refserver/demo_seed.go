package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/study"
)

// Times of the demo before its first sale and application: users join in the first week,
// then a course is published every day and a half.
const (
	joinDays, joinEvery     = 80, 5 * time.Hour
	courseDays, courseEvery = 70, 36 * time.Hour
)

// seeder writes the demo in one transaction. It uses the operations of the platform, with
// their rules, on a clock that it sets to the time of each event.
type seeder struct {
	demo
	tx       learning.Tx
	currency string
	now      time.Time          // of the first start; the demo's times are before it
	clock    *pastClock         // of past; set before each operation
	past     *learning.Platform // does the operations in tx, without calls of providers
	// adds payments to the gateway, so that they can be refunded
	addPaid func([]sandbox.PastPayment) error
	// opens an order at the gateway unless it exists
	openOrder func(context.Context, payment.NewOrder) (orderID string, err error)
	// of the sales so far, which the sandbox is told at the end
	paid []sandbox.PastPayment
}

// pastClock is a clock that is set. It must be used in one goroutine only.
type pastClock struct{ at time.Time }

// Now returns the time to which the clock was set.
func (c *pastClock) Now() time.Time { return c.at }

// pastGateway answers as the gateway, and pastRoles as the identity provider, without a call to the
// sandbox. Of the methods of the gateway that would call it, the seeder needs CreateOrder only.
type pastGateway struct{ payment.Provider }

// CreateOrder returns an id for the order. The gateway gets the order with its payment at the end,
// from [seeder.paid].
func (pastGateway) CreateOrder(
	_ context.Context, o payment.NewOrder,
) (payment.OpenedOrder, error) {
	return payment.OpenedOrder{ID: "order_" + o.PurchaseID}, nil
}

type pastRoles struct{}

// GrantRole does nothing. The sandbox gets the role with the user, in createSandboxUsers.
func (pastRoles) GrantRole(context.Context, string, learning.Role) error { return nil }

// txStore is a store whose transactions are parts of one transaction.
type txStore struct{ learning.Tx }

// InTx calls fn in the transaction, and leaves it open. If fn fails, its changes stay until the
// whole transaction is rolled back.
func (s txStore) InTx(_ context.Context, fn func(learning.Tx) error) error { return fn(s.Tx) }

// Ping returns nil.
func (txStore) Ping(context.Context) error { return nil }

// SignalEvents does nothing: the transaction is not committed.
func (txStore) SignalEvents(context.Context) error { return nil }

// HearEvents hears nothing: the past platform delivers no events.
func (txStore) HearEvents(func()) (stop func()) { return func() {} }

// seedTime bounds the transaction of the seeder.
const seedTime = 5 * time.Minute

// seedDemo writes the demo in one transaction, if the database has neither it nor other
// published courses. Otherwise it does nothing. The sandbox's orders are opened before the commit.
// If the transaction does not commit, the next run finds them by their receipts; its thumbnails
// stay unused in the media folder.
func (h *devServer) seedDemo(ctx context.Context, d demo, now time.Time) error {
	// Ask before a second store is opened. If the demo is not needed, err is nil.
	if needed, err := d.isNeeded(ctx, h.store); err != nil || !needed {
		return err
	}
	// Open a store of its own, whose transactions may take longer. It is not opened with ctx,
	// because a connection whose opening was cancelled could outlive st.Close.
	const defaultReadTime = 0
	st, err := h.openDatabase(context.WithoutCancel(ctx),
		store.WithDeadlines(defaultReadTime, seedTime))
	if err != nil {
		return err
	}
	defer st.Close()
	return st.InTx(ctx, func(tx learning.Tx) error {
		// Ask again, because another process may have seeded it meanwhile.
		if needed, err := d.isNeeded(ctx, tx); err != nil || !needed {
			return err
		}
		sd, err := h.newSeeder(d, tx, now)
		if err != nil {
			return err
		}
		h.log.Info("seeding the database with the demo")
		return sd.seed(ctx)
	})
}

// newSeeder returns a seeder that writes in tx. now is the time of the first start.
func (h *devServer) newSeeder(d demo, tx learning.Tx, now time.Time) (*seeder, error) {
	payments, err := h.newGateway()
	if err != nil {
		return nil, err
	}
	// The platform of the past has the server's options, except for the clock and for what would
	// call a provider: the gateway, the roles and the AI.
	clock := &pastClock{now}
	past, err := learning.New(txStore{tx},
		append(slices.Clone(h.options), learning.WithClock(clock),
			learning.WithProvider(pastGateway{payments}), learning.WithRoles(pastRoles{}))...)
	if err != nil {
		return nil, err
	}
	// A run that did not commit may have opened orders. They are found by their receipts, which are
	// the ids of purchases.
	return &seeder{demo: d, tx: tx, currency: h.Currency, now: now,
		clock: clock, past: past, addPaid: h.box.Gateway().AddPast,
		openOrder: func(ctx context.Context, o payment.NewOrder) (string, error) {
			for _, existing := range h.box.Gateway().Orders() {
				if existing.Receipt == o.PurchaseID {
					return existing.ID, nil
				}
			}
			opened, err := payments.CreateOrder(ctx, o)
			return opened.ID, err
		}}, nil
}

// exists reports whether a database has the demo: its first course, of the demo's educator.
func (d demo) exists(ctx context.Context, courses learning.Reader) (bool, error) {
	c, err := courses.Course(ctx, d.Courses[0].ID)
	if errors.Is(err, core.ErrNoRecord) {
		return false, nil
	}
	return err == nil && c.Educator.ID == d.Courses[0].Educator, err
}

// isNeeded reports whether a database has neither the demo nor another published course. With an
// error the answer must not be used.
func (d demo) isNeeded(ctx context.Context, courses learning.Reader) (bool, error) {
	exists, err := d.exists(ctx, courses)
	if err != nil {
		return false, err
	}
	if exists {
		return false, nil
	}
	// The zero query lists all published courses; one is enough to know.
	listed, err := courses.Courses(
		ctx, catalog.CourseQuery{}, core.WordSearch{}, learning.PageRequest{Limit: 1})
	return len(listed) == 0, err
}

// seed creates users, courses, quizzes, applications, visits, the community, sales, each
// with the student's progress, attempts and certificate, coupons, bundles and chats.
func (sd *seeder) seed(ctx context.Context) error {
	if err := sd.createUsers(ctx); err != nil {
		return err
	}
	// Courses and quizzes, which the rest refers to.
	for i, c := range sd.Courses {
		sd.clock.at = sd.now.AddDate(0, 0, -courseDays).Add(time.Duration(i) * courseEvery)
		if err := sd.importOf(ctx, exchange.Catalogue{
			Courses: []exchange.CatalogueCourse{c}}); err != nil {
			return err
		}
	}
	for _, q := range sd.Quizzes {
		if err := sd.seedQuiz(ctx, q); err != nil {
			return fmt.Errorf("quiz of %s: %w", q.Course, err)
		}
	}
	for _, q := range sd.HandQuizzes {
		if err := sd.seedHandQuiz(ctx, q); err != nil {
			return fmt.Errorf("quiz by hand of %s: %w", q.Course, err)
		}
	}
	// What users do on their own.
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
	// What users buy. The sandbox learns of the payments, so that they can be refunded.
	if err := sd.seedSales(ctx); err != nil {
		return err
	}
	if err := sd.addPaid(sd.paid); err != nil {
		return fmt.Errorf("payments of the sales: %w", err)
	}
	if err := sd.seedCoupons(ctx); err != nil {
		return err
	}
	if err := sd.seedBundles(ctx); err != nil {
		return err
	}
	return sd.seedChats(ctx)
}

// createUsers creates the records of the demo's users, each some time after the one before.
func (sd *seeder) createUsers(ctx context.Context) error {
	sd.clock.at = sd.now.AddDate(0, 0, -joinDays)
	for _, p := range slices.Concat(sd.People, sd.Students, sd.buyers()) {
		sd.clock.at = sd.clock.at.Add(joinEvery)
		if err := sd.importOf(ctx, exchange.Catalogue{
			People: []exchange.CataloguePerson{p}}); err != nil {
			return err
		}
	}
	return nil
}

// importOf imports a part of the catalogue at the time to which the clock is set.
func (sd *seeder) importOf(ctx context.Context, part exchange.Catalogue) error {
	files, err := fs.Sub(demoFiles, "demo/files")
	if err != nil {
		return err
	}
	_, err = sd.past.System().ImportCatalogue(ctx, part, exchange.CatalogueFiles{FS: files,
		Picture: defaultPicture})
	return err
}

// buyers returns the buyers of the history who are not in its people: the demo's student,
// if there is a history.
func (sd *seeder) buyers() []exchange.CataloguePerson {
	if len(sd.Sales) == 0 {
		return nil
	}
	s := demoUsers[0] // demoStudent
	return []exchange.CataloguePerson{{ID: s.ID, FirstName: s.FirstName, LastName: s.LastName, Email: s.Email,
		ImageURL: s.ImageURL}}
}

// seedApplication creates an application, and approves or rejects it.
func (sd *seeder) seedApplication(ctx context.Context, a application) error {
	sd.clock.at = a.date(sd.now)
	made, err := sd.past.Staff.Apply(ctx, demoActor(a.Student), staff.NewApplication{
		ProfessionalTitle: a.ProfessionalTitle, Bio: a.Bio, Expertise: a.Expertise,
		LinkedinURL: &a.LinkedinURL})
	if err != nil {
		return err
	}
	// The admin decides some days later. A pending application is left, and the clock, which is
	// wrong then, is set again before the next operation.
	sd.clock.at = a.Decided.date(sd.now)
	switch a.Status {
	case people.ApplicationApproved:
		return sd.past.Staff.Approve(ctx, demoActor(demoAdmin), made.ID)
	case people.ApplicationRejected:
		return sd.past.Staff.Reject(ctx, demoActor(demoAdmin), made.ID, a.Reason)
	}
	return nil
}

// trackVisit adds the time of a visit.
func (sd *seeder) trackVisit(ctx context.Context, v visit) error {
	sd.clock.at = v.date(sd.now)
	return sd.past.Study.TrackTime(ctx, demoActor(v.Student),
		study.NewTimeEntry{Page: v.Page, Path: v.Path, Seconds: v.Minutes * 60})
}
