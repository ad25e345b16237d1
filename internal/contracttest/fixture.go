package contracttest

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/study"
)

// The fixture with which every case begins. All its times are before the clock's, so that a time
// that a request writes differs from them.

// day returns noon of a day of January 2026, the month of the fixture.
func day(n int) time.Time { return time.Date(2026, 1, n, 12, 0, 0, 0, time.UTC) }

// decided is the time of the role decisions of the fixture.
var decided = time.Date(2026, 1, 20, 0, 0, 0, 0, time.UTC)

// FixtureUsers are the users of the identity provider, with the roles in their tokens. The
// platform has no record of newcomer and early_educator.
var FixtureUsers = []sandbox.User{
	person("student", ""), person("other_student", "student"),
	person("educator", "educator"), person("other_educator", "educator"), person("admin", "admin"),
	person("gone", "educator"), person("newcomer", ""), person("early_educator", "educator"),
	person("promoted", ""), person("demoted", "educator"),
	person("buyer_open", ""), person("buyer_abandoned", ""), person("buyer_old_price", ""),
	person("buyer_old_paid", ""),
	person("buyer_failed", ""), person("buyer_refunded", ""), person("buyer_twice", ""),
	person("applicant", ""), person("applicant_leased", ""),
	person("applicant_expired", "educator"), person("applicant_rejected", ""),
	person("new_educator", "educator"), person("former_educator", ""),
	person("other_admin", "admin"), person("later_admin", "admin"),
	person("collector", ""), person("traveller", ""), person("left_student", ""),
}

// person returns a user of the identity provider with a name, an e-mail address and an image that
// follow from the id. role is that of the tokens; "" for none.
func person(id, role string) sandbox.User {
	first, last, _ := strings.Cut(strings.ToUpper(id[:1])+id[1:], "_")
	return sandbox.User{ID: id, FirstName: first, LastName: last, Email: id + "@example.com",
		ImageURL: "https://images.example.org/" + id + ".png", Role: role}
}

// unknownUsers have no record yet; deletedUsers have a tombstone.
var (
	unknownUsers = map[string]bool{"newcomer": true, "early_educator": true}
	deletedUsers = map[string]bool{"gone": true, "left_student": true}
)

// fixtureDecisions are the role decisions of the fixture.
var fixtureDecisions = map[string]core.Role{
	"promoted": core.Educator, "demoted": core.Student,
	"new_educator": core.Educator, "former_educator": core.Student,
	"later_admin": core.Admin,
}

// FixtureCourses holds course_go, which most cases use; each other course has one special
// property.
var FixtureCourses = []catalog.Course{
	{ID: "course_go", Title: "Go & friends", Description: "All of <Go>, “to the letter”.",
		Thumbnail: "go.png", Price: 499_00, Discount: 10_00,
		Published: true, Educator: core.Person{ID: "educator"},
		Ratings: catalog.Ratings{Sum: 13, Count: 3}, Students: 3},
	{ID: "course_odd", Title: "Odd prices", Price: 19_99, Discount: 15_00, Published: true,
		Educator: core.Person{ID: "educator"}, Students: 1},
	{ID: "course_half", Title: "Half a cent", Price: 3_01, Discount: 50_00, Published: true,
		Educator: core.Person{ID: "other_educator"}},
	{ID: "course_free", Title: "Free of charge", Published: true,
		Educator: core.Person{ID: "other_educator"}},
	{ID: "course_gift", Title: "Given away", Price: 250_00, Discount: 100_00, Published: true,
		Educator: core.Person{ID: "other_educator"}},
	{ID: "course_draft", Title: "Not yet", Price: 10_00, Educator: core.Person{ID: "educator"}},
	{ID: "course_orphan", Title: "Left behind", Price: 10_00, Published: true,
		Educator: core.Person{ID: "gone"}},
	{ID: "course_early", Title: "Ahead of its educator", Price: 10_00, Published: true,
		Educator: core.Person{ID: "early_educator"}},
	{ID: "course_long", Title: strings.Repeat("界", 200),
		Description: "Its title is as long as a title may be.",
		Price:       10_00, Published: true, Educator: core.Person{ID: "other_educator"}},
	// Not published any more; their titles are as long as one may be in a chart, and one character
	// longer.
	{ID: "course_old", Title: strings.Repeat("Ø", 22), Price: 99_50, Discount: 12_50,
		Educator: core.Person{ID: "educator"}, Students: 2},
	{ID: "course_older", Title: strings.Repeat("界", 23), Price: 10_00,
		Educator: core.Person{ID: "other_educator"}, Students: 2},
}

// FixturePurchases has one purchase in each state, each of another buyer; then further sales, some
// to a user who was deleted later, and one in another currency.
var FixturePurchases = []purchase.Purchase{
	{ID: "purchase_completed", UserID: "student", CourseID: "course_odd",
		CouponID: "coupon_used_up", HoldsCoupon: true, Amount: 16_99, OrderID: "order_completed",
		PaymentID: "pay_completed", Status: purchase.Completed},
	{ID: "purchase_open", UserID: "buyer_open", CourseID: "course_go", Amount: 449_10,
		OrderID: "order_open", Status: purchase.Pending},
	{ID: "purchase_abandoned", UserID: "buyer_abandoned", CourseID: "course_go", Amount: 449_10,
		Status: purchase.Created},
	{ID: "purchase_old_price", UserID: "buyer_old_price", CourseID: "course_go", Amount: 499_00,
		OrderID: "order_old_price", Status: purchase.Pending},
	{ID: "purchase_old_paid", UserID: "buyer_old_paid", CourseID: "course_go", Amount: 499_00,
		OrderID: "order_old_paid", Status: purchase.Pending},
	{ID: "purchase_failed", UserID: "buyer_failed", CourseID: "course_go", Amount: 499_00,
		OrderID: "order_failed", Status: purchase.Failed},
	{ID: "purchase_refunded", UserID: "buyer_refunded", CourseID: "course_go", Amount: 449_10,
		OrderID: "order_refunded", PaymentID: "pay_refunded", Status: purchase.Refunded,
		RefundedAmount: 449_10},
	{ID: "purchase_first", UserID: "buyer_twice", CourseID: "course_go", Amount: 449_10,
		OrderID: "order_first", PaymentID: "pay_first", Status: purchase.Completed},
	{ID: "purchase_second", UserID: "buyer_twice", CourseID: "course_go", Amount: 499_00,
		OrderID: "order_second", Status: purchase.Failed},
	{ID: "purchase_collected", UserID: "collector", CourseID: "course_go", CouponID: "coupon_every",
		HoldsCoupon: true, Amount: 449_10, OrderID: "order_collected", PaymentID: "pay_collected",
		Status: purchase.Completed, CreatedAt: day(14), CompletedAt: day(14)},
	{ID: "purchase_collected_too", UserID: "collector", CourseID: "course_older", Amount: 10_00,
		OrderID: "order_collected_too", PaymentID: "pay_collected_too",
		Status: purchase.Completed, CreatedAt: day(16), CompletedAt: day(17)},
	{ID: "purchase_left", UserID: "left_student", CourseID: "course_old", Amount: 87_06,
		OrderID: "order_left", PaymentID: "pay_left",
		Status: purchase.Completed, CreatedAt: day(13), CompletedAt: day(13)},
	{ID: "purchase_left_free", UserID: "left_student", CourseID: "course_older",
		Status: purchase.Completed, CreatedAt: day(13), CompletedAt: day(13)},
	{ID: "purchase_dollars", UserID: "traveller", CourseID: "course_old", Amount: 1_005_00,
		Currency: "USD", OrderID: "order_dollars", PaymentID: "pay_dollars",
		Status: purchase.Completed, CreatedAt: day(18), CompletedAt: day(18)},
}

// fixturePayments are the payments that the gateway knows, by purchase: one that was not reported,
// and one that can be refunded.
var fixturePayments = map[string]string{"purchase_old_paid": "pay_old_paid",
	"purchase_collected": "pay_collected"}

// fixtureContent returns the content of a course: a lecture that is a free preview, and a paid one
// whose URL contains the id of the course.
func fixtureContent(courseID string) []catalog.Chapter {
	return []catalog.Chapter{
		{ID: "chapter_1", Order: 1, Title: "First steps", Lectures: []catalog.Lecture{
			{ID: "lecture_1", Order: 1, Title: "Welcome", Minutes: 2.5,
				URL: "https://videos.example.org/1", PreviewFree: true},
			{ID: "lecture_2", Order: 2, Title: "The rest", Minutes: 10,
				URL: "https://videos.example.org/paid/" + courseID + "/2"}}},
		{ID: "chapter_2", Order: 2, Title: "Nothing yet"},
	}
}

// Fill puts the fixture into an empty database.
func Fill(tb testing.TB, st learning.Store) {
	tb.Helper()
	ctx := context.Background()
	check(tb, st.InTx(ctx, func(tx learning.Tx) error {
		for _, insert := range []func(context.Context, learning.Tx) error{insertUsers,
			insertCourses, insertApplications, insertProgress, insertTime,
			insertCertificates, insertCommunity, insertQuizzes, insertChats, insertCoupons,
			insertBundles,
			insertFiles, insertSubmissions} {
			if err := insert(ctx, tx); err != nil {
				return err
			}
		}
		if err := tx.InsertLease(ctx,
			core.Lease{Name: "order:purchase_abandoned", Holder: "holder",
				ExpiresAt: day(11)}); err != nil {
			return err
		}
		if err := insertPurchases(ctx, tx, FixturePurchases); err != nil {
			return err
		}
		if err := insertPapers(ctx, tx); err != nil {
			return err
		}
		return insertPositions(ctx, tx)
	}))
	fillTotals(tb, st)
}

// fillTotals adds to the totals what they lack, because the rows of the fixture are inserted
// without them.
func fillTotals(tb testing.TB, st learning.Store) {
	tb.Helper()
	ctx := context.Background()
	p, err := learning.New(st)
	check(tb, err)
	for _, kind := range p.System().TotalKinds() {
		missing, err := st.WrongTotals(ctx, kind)
		check(tb, err)
		if len(missing) > 0 {
			check(tb, st.InTx(ctx,
				func(tx learning.Tx) error { return tx.AddToTotals(ctx, "fixture", missing) }))
		}
	}
	questions, err := st.WrongQuestionTotals(ctx)
	check(tb, err)
	if len(questions) > 0 {
		check(tb, st.InTx(ctx, func(tx learning.Tx) error {
			return tx.AddToQuestionTotals(ctx, "fixture", questions)
		}))
	}
	files, err := st.WrongFileTotals(ctx)
	check(tb, err)
	check(tb, st.InTx(ctx, func(tx learning.Tx) error { return tx.AddToFileTotals(ctx, files) }))
}

// insertUsers stores the users of the fixture, deleted ones as tombstones, and the role decisions.
// The times of creation are a minute apart, so that the order of lists is known.
func insertUsers(ctx context.Context, tx learning.Tx) error {
	for i, u := range FixtureUsers {
		if unknownUsers[u.ID] {
			continue
		}
		created := day(2).Add(time.Duration(i) * time.Minute)
		record := people.User{ID: u.ID, Name: u.Name(), Email: u.Email, ImageURL: u.ImageURL,
			CreatedAt: created, ChangedAt: day(10)}
		if deletedUsers[u.ID] {
			record = people.User{ID: u.ID, CreatedAt: created, ChangedAt: day(15),
				DeletedAt: day(15)}
		}
		if err := tx.InsertUser(ctx, record); err != nil {
			return err
		}
	}
	for id, role := range fixtureDecisions {
		if err := tx.InsertRole(ctx, id, core.RoleAssignment{Role: role, At: decided}); err !=
			nil {
			return err
		}
	}
	return nil
}

// insertCourses stores the courses of the fixture, each created an hour after the previous one,
// with the same content.
func insertCourses(ctx context.Context, tx learning.Tx) error {
	for i, c := range FixtureCourses {
		c.Lectures, c.Minutes = 2, 13
		c.CreatedAt, c.UpdatedAt = day(3).Add(time.Duration(i)*time.Hour), day(4)
		content := fixtureContent(c.ID)
		if c.ID == materialCourse {
			content = withMaterial(content)
		}
		if c.ID == assignmentCourse {
			content = withAssignment(content)
		}
		if err := tx.InsertCourse(ctx, c, content); err != nil {
			return err
		}
	}
	return nil
}

// insertPurchases stores purchases, and the enrolments of those that were paid. Currency and times
// that a purchase leaves empty get the usual values.
func insertPurchases(ctx context.Context, tx learning.Tx, all []purchase.Purchase) error {
	for _, p := range all {
		paid := p.Status == purchase.Completed || p.Status == purchase.Refunded
		if p.Currency = cmp.Or(p.Currency, "INR"); p.CreatedAt.IsZero() {
			p.CreatedAt = day(11)
		}
		if p.UpdatedAt = p.CreatedAt; paid && p.CompletedAt.IsZero() {
			p.CompletedAt = day(12)
		}
		if err := tx.InsertPurchase(ctx, p); err != nil {
			return err
		}
		if !paid {
			continue
		}
		if err := tx.InsertEnrollment(ctx,
			study.Enrollment{UserID: p.UserID, CourseID: p.CourseID, PurchaseID: p.ID,
				CreatedAt: p.CompletedAt}); err != nil {
			return err
		}
	}
	return nil
}

// fixtureProviders writes the file with the state of the sandbox at the start of every case: users
// and orders. In the file it replaces the ids that the sandbox generated by those of the fixture.
func fixtureProviders(tb testing.TB, file string) {
	tb.Helper()
	sb, err := sandbox.Listen(sandboxConfig(func() time.Time { return day(11) }, file))
	check(tb, err)
	for _, u := range FixtureUsers {
		check(tb, sb.Identity().PutUserQuietly(u))
	}

	// Create the orders, and the payments of those that were paid. idPairs has each generated id
	// and that of the fixture.
	var idPairs []string
	for _, p := range FixturePurchases {
		if p.OrderID == "" {
			continue
		}
		order, err := sb.Gateway().CreateOrder(sandbox.Order{Amount: int64(p.Amount),
			Currency: "INR", Receipt: p.ID, Notes: sandbox.Notes{"purchaseId": p.ID}})
		check(tb, err)
		idPairs = append(idPairs, order.ID, p.OrderID)
		if name, paid := fixturePayments[p.ID]; paid {
			payment, err := sb.Gateway().Pay(order.ID, sandbox.WithoutWebhook())
			check(tb, err)
			idPairs = append(idPairs, payment.ID, name)
		}
	}

	// Replace the ids in the file, which is complete when the sandbox is closed.
	sb.Close()
	text, err := os.ReadFile(file)
	check(tb, err)
	check(tb, os.WriteFile(file, []byte(strings.NewReplacer(idPairs...).Replace(string(text))),
		0o600))
}

// CopyFile copies a file of the fixture to dir, for one case, and returns the name of the copy.
func CopyFile(tb testing.TB, from, dir string) string {
	tb.Helper()
	data, err := os.ReadFile(from)
	check(tb, err)
	to := filepath.Join(dir, filepath.Base(from))
	check(tb, os.WriteFile(to, data, 0o600))
	return to
}
