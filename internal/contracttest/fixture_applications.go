package contracttest

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
)

// always is later than the clock of any engine, so that a lease until then has not
// expired on any of them.
var always = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// fixtureApplications has an application in each state, and some on which particular admins
// may not decide. The identity provider does not know the user stranger.
var fixtureApplications = []people.Application{
	{ID: "application_pending", UserID: "applicant", Status: people.ApplicationPending,
		ProfessionalTitle: "Baker & <pâtissier>", Bio: "I bake.",
		Expertise:   []string{"Bread", "Ångström cakes"},
		LinkedinURL: "https://www.example.org/in/applicant"},
	{ID: "application_leased", UserID: "applicant_leased", Status: people.ApplicationPending,
		ReviewID: "holder"},
	{ID: "application_expired", UserID: "applicant_expired", Status: people.ApplicationPending,
		ReviewID: "holder"},
	{ID: "application_rejected", UserID: "applicant_rejected", Status: people.ApplicationRejected,
		RejectionReason: "Please say more about yourself.",
		LinkedinURL:     "https://www.example.org/in/rejected"},
	{ID: "application_approved", UserID: "new_educator", Status: people.ApplicationApproved},
	{ID: "application_former", UserID: "former_educator", Status: people.ApplicationApproved},
	{ID: "application_own", UserID: "admin", Status: people.ApplicationPending,
		PreviousRole: core.Admin},
	{ID: "application_other_admin", UserID: "other_admin", Status: people.ApplicationPending,
		PreviousRole: core.Admin},
	{ID: "application_later_admin", UserID: "later_admin", Status: people.ApplicationPending,
		ReviewID: "holder"},
	{ID: "application_early", UserID: "early_educator", Status: people.ApplicationPending,
		PreviousRole: core.Educator},
	{ID: "application_stranger", UserID: "stranger", Status: people.ApplicationPending},
}

// insertApplications stores fixtureApplications, each created an hour after the previous one, and
// the leases of those that are being reviewed, some of which have expired.
func insertApplications(ctx context.Context, tx learning.Tx) error {
	for i, a := range fixtureApplications {
		if a.ProfessionalTitle == "" {
			a.ProfessionalTitle = "Teacher"
			a.Bio = "I teach."
			a.Expertise = []string{"Teaching"}
		}
		if a.PreviousRole == "" {
			a.PreviousRole = core.Student
		}
		a.CreatedAt, a.UpdatedAt = day(16).Add(time.Duration(i)*time.Hour), day(19)
		if err := tx.InsertApplication(ctx, a); err != nil {
			return err
		}
	}
	for id, end := range map[string]time.Time{"application_leased": always,
		"application_expired": day(20), "application_later_admin": day(20)} {
		if err := tx.InsertLease(ctx,
			core.Lease{Name: "application:" + id, Holder: "holder", ExpiresAt: end}); err !=
			nil {
			return err
		}
	}
	return nil
}

// salesOfThisWeek are purchases at the edges of the last seven days: just before and after
// midnight, several on one day, and three that are no revenue of these days.
var salesOfThisWeek = []purchase.Purchase{
	completedSale("too_early", "course_half", 1_000_00,
		time.Date(2026, 1, 24, 23, 59, 59, 999_999_000, time.UTC)),
	completedSale("first_day", "course_draft", 1_51, time.Date(2026, 1, 25, 0, 0, 0, 0, time.UTC)),
	completedSale("cent", "course_free", 1, time.Date(2026, 1, 28, 8, 0, 0, 0, time.UTC)),
	completedSale("late", "course_long", 10_00,
		time.Date(2026, 1, 28, 23, 59, 59, 999_999_000, time.UTC)),
	completedSale("midnight", "course_gift", 20_20, time.Date(2026, 1, 29, 0, 0, 0, 0, time.UTC)),
	in("USD", completedSale("abroad", "course_early", 77_00, day(30))),
	refunded(completedSale("refund", "course_orphan", 88_00, day(30))),
	completedSale("today", "course_go", 449_10, time.Date(2026, 1, 31, 9, 29, 59, 0, time.UTC)),
}

// completedSale returns a completed purchase, which was created earlier and completed at a time.
func completedSale(name, course string, amount core.Money, at time.Time) purchase.Purchase {
	return purchase.Purchase{ID: "purchase_" + name, UserID: "buyer_failed", CourseID: course,
		Amount: amount, OrderID: "order_" + name, PaymentID: "pay_" + name,
		Status: purchase.Completed, CreatedAt: day(12), CompletedAt: at}
}

// in returns p with another currency.
func in(currency string, p purchase.Purchase) purchase.Purchase {
	p.Currency = currency
	return p
}

// refunded returns p with the state refunded.
func refunded(p purchase.Purchase) purchase.Purchase {
	p.Status = purchase.Refunded
	return p
}
