package staff_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// decided returns the decisions that q selects, the newest first.
func decided(t *testing.T, w *roomtest.World, q staff.DecisionQuery) []staff.Decision {
	t.Helper()
	list, err := roomtest.PageRows(w.Platform.Staff.Decisions(ctx(), roomtest.Boss, q,
		roomtest.WholeList))
	roomtest.Must(t, err)
	return list
}

// wantDecided checks the kinds of the decisions that q selects, the newest first.
func wantDecided(t *testing.T, w *roomtest.World, q staff.DecisionQuery, want ...core.DecisionKind) {
	t.Helper()
	var got []core.DecisionKind
	for _, d := range decided(t, w, q) {
		got = append(got, d.Kind)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the decisions of %+v are %q, want %q", q, got, want)
	}
}

// Each decision is one row, with who has decided what about whom, when and why.
func TestDecisions_EachIsKept(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		boss, p := w.Person(t, "boss", core.Admin), w.Platform
		course, paid := w.Course(t, "go", 0), w.Course(t, "paid", 499_00)
		ada := w.Person(t, "ada", core.Student)
		var want []core.Decision
		did := func(kind core.DecisionKind, reason, courseID string, err error) {
			t.Helper()
			roomtest.Must(t, err)
			want = append(want, core.Decision{Kind: kind, ActorID: "boss", UserID: "ada",
				Reason: reason, CreatedAt: w.Clock.Now(),
				DecisionIDs: core.DecisionIDs{CourseID: courseID}})
			w.Clock.Advance(time.Minute)
		}

		// Enrolments, and what is no decision about them.
		grant := study.Grant{UserID: "ada", CourseID: course, Reason: "Scholarship"}
		_, err := p.Study.GrantEnrollment(ctx(), boss, grant)
		did(study.DecisionEnrollmentGranted, "Scholarship", course, err)
		_, err = p.Study.GrantEnrollment(ctx(), boss, grant) // changes nothing
		roomtest.Must(t, err)
		_, err = p.Study.ChangeEnrollment(ctx(), boss, study.EnrollmentChange{UserID: "ada",
			CourseID: course, Metadata: &core.Metadata{"a": "b"}})
		roomtest.Must(t, err)
		_, err = p.Study.ChangeEnrollment(ctx(), boss, study.EnrollmentChange{UserID: "ada",
			CourseID: course, OpenAll: new(true), Reason: new("Was ill")})
		did(study.DecisionEnrollmentChanged, "Was ill", course, err)
		did(study.DecisionEnrollmentEnded, "", course,
			p.Study.EndEnrollment(ctx(), boss, "ada", course))

		// A refund that is sent again, and a sale that is.
		w.Buy(t, ada, paid)
		bought := soldTo(t, w, staff.PurchaseQuery{UserID: "ada"})[0]
		for range 2 {
			_, err = p.Refunds.Refund(ctx(), boss,
				refund.Request{PurchaseID: bought, Reason: "Asked", Key: "once"})
			roomtest.Must(t, err)
		}
		did(refund.DecisionStarted, "Asked", paid, nil)
		for range 2 {
			_, err = p.Sales.RecordSale(ctx(), boss, sale.SaleElsewhere{UserID: "ada",
				CourseID: course, Amount: 100_00, Currency: "INR", Reference: "1",
				Source: "invoice"})
			roomtest.Must(t, err)
		}
		did(sale.DecisionSaleRecorded, "", course, nil)

		// An application, and a role.
		a := w.Submits(t, "ada")
		did(staff.DecisionApplicationRejected, "Too soon",
			"", p.Staff.Reject(ctx(), boss, a.ID, "Too soon"))
		a = w.Submits(t, "ada")
		did(staff.DecisionApplicationApproved, "", "", p.Staff.Approve(ctx(), boss, a.ID))
		for range 2 {
			roomtest.Must(t, p.System().MakeAdmin(ctx(), "ada"))
		}
		did(people.DecisionAdminMade, "", "", nil)
		want[len(want)-1].ActorID = "" // the host

		var got []core.Decision
		for _, d := range slices.Backward(decided(t, w, staff.DecisionQuery{UserID: "ada"})) {
			isRefund := d.Kind == refund.DecisionStarted
			if d.ID == "" || isRefund != (d.RefundID != "") || isRefund != (d.PurchaseID == bought) {
				t.Errorf("%+v", d)
			}
			d.ID, d.RefundID, d.PurchaseID, d.ApplicationID = "", "", "", ""
			got = append(got, d.Decision)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
		wantDecided(t, w, staff.DecisionQuery{UserID: "ada", CourseID: paid},
			refund.DecisionStarted)
		w.WantInvariants(t)
	})
}

// Removals by an admin and decided reports are decisions about the author; what users do with their
// own posts is none.
func TestDecisions_Moderation(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		boss, c := roomtest.Boss, w.Platform.Community
		s, ben := w.NewSubject(t, "Gophers"), roomtest.Student("ben")
		own := w.NewPost(t, s.Author, s.GroupID)
		roomtest.Must(t, c.DeletePost(ctx(), s.Author, own.ID))
		reply := w.NewReply(t, ben, s.PostID)
		report := w.Complains(t, ben, s.PostID, "")
		for _, status := range []community.ComplaintStatus{community.ComplaintDismissed,
			community.ComplaintDismissed, community.ComplaintRemoved} {
			w.Clock.Advance(time.Minute)
			if status == community.ComplaintRemoved { // which is decided again
				roomtest.Must(t, c.DeleteReply(ctx(), boss, s.PostID, reply.ID))
				w.Clock.Advance(time.Minute)
			}
			roomtest.Must(t, c.DecideComplaint(ctx(), boss, report.ID, status))
		}
		w.Clock.Advance(time.Minute)
		last := w.NewPost(t, s.Author, s.GroupID)
		roomtest.Must(t, c.DeletePost(ctx(), boss, last.ID))

		wantDecided(t, w, staff.DecisionQuery{UserID: s.Author.UserID},
			community.DecisionPostRemoved, community.DecisionReportRemoved,
			community.DecisionReportDismissed)
		wantDecided(t, w, staff.DecisionQuery{UserID: "ben"}, community.DecisionReplyRemoved)
		for _, d := range decided(t, w, staff.DecisionQuery{UserID: s.Author.UserID}) {
			isReport := d.ReportID == report.ID && d.PostID == s.PostID && d.Reason == "Rude"
			if isPost := d.PostID == last.ID && d.ReportID == ""; !isReport && !isPost {
				t.Errorf("%+v", d)
			}
		}
	})
}

// Of admins who do the same at once, one has decided.
func TestDecisions_AtOnceIsOne(t *testing.T) {
	roomtest.OnEnginesRepeatedly(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Course(t, "go", 0)
		w.Person(t, "ada", core.Student)
		for range roomtest.Rounds {
			for _, err := range roomtest.Concurrently(4, func(int) error {
				_, err := w.Platform.Study.GrantEnrollment(ctx(), roomtest.Boss,
					study.Grant{UserID: "ada", CourseID: course})
				return err
			}) {
				roomtest.Must(t, err)
			}
			ended := roomtest.CountErrors(roomtest.Concurrently(4, func(int) error {
				return w.Platform.Study.EndEnrollment(ctx(), roomtest.Boss, "ada", course)
			}))
			if ended[""] != 1 {
				t.Fatalf("ended: %v", ended)
			}
		}
		want := 2 * roomtest.Rounds
		if n := len(decided(t, w, staff.DecisionQuery{UserID: "ada"})); n != want {
			t.Errorf("%d decisions, want %d", n, want)
		}
	})
}

// A reason goes with the user, and one that comes after the deletion is not kept. The decision
// stays.
func TestDecisions_ReasonsGoWithTheUser(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		boss := w.Person(t, "boss", core.Admin)
		bought := buys(t, w, "ada", w.Course(t, "go", 499_00))
		r := func(amount core.Money, reason string) {
			w.Clock.Advance(time.Minute)
			_, err := w.Platform.Refunds.Refund(ctx(), boss,
				refund.Request{PurchaseID: bought, Amount: &amount, Reason: reason})
			roomtest.Must(t, err)
		}
		r(1_00, "Before")
		if d := decided(t, w, staff.DecisionQuery{UserID: "ada"}); d[0].Reason != "Before" {
			t.Errorf("before the deletion: %+v", d)
		}
		w.DeleteUser(t, "ada")
		r(2_00, "After")
		list := decided(t, w, staff.DecisionQuery{UserID: "ada"})
		if len(list) != 2 {
			t.Fatalf("%+v", list)
		}
		for _, d := range list {
			if d.Reason != "" || d.UserName != core.DeletedUser || d.ActorID != "boss" {
				t.Errorf("%+v", d)
			}
		}
		w.DeleteUser(t, "boss")
		if d := decided(t, w, staff.DecisionQuery{})[0]; d.ActorID != "boss" ||
			d.ActorName != core.DeletedUser {
			t.Errorf("by a deleted admin: %+v", d)
		}
	})
}

// The decisions about a course that is deleted stay, without their reasons, and its reports are
// closed.
func TestDecisions_OfADeletedCourse(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Course(t, "go", 0)
		const many = 40 // more than one statement deletes
		for range many {
			post := w.Asks(t, roomtest.Teacher, course, "lecture", "Why?")
			w.Complains(t, roomtest.Boss, post.ID, "")
		}
		elsewhere := w.NewSubject(t, "Gophers")
		w.Complains(t, roomtest.Boss, elsewhere.PostID, "")
		removed := w.Asks(t, roomtest.Teacher, course, "lecture", "Why?")
		roomtest.Must(t, w.Platform.Community.DeletePost(ctx(), roomtest.Boss, removed.ID))
		w.Exec(t, `UPDATE decisions SET reason = 'Why'`)

		roomtest.Must(t, w.Platform.DeleteCourse(ctx(), roomtest.Teacher, course))
		open, closed := 0, 0
		for _, c := range w.ComplaintReports(t, "") {
			switch {
			case c.Status == community.ComplaintOpen && c.CourseID == "":
				open++
			case c.Status == community.ComplaintRemoved && c.CourseID == course &&
				!c.DecidedAt.IsZero() && c.DecidedBy == "":
				closed++
			}
		}
		stats, err := w.Platform.Staff.Stats(ctx(), roomtest.Boss)
		if err != nil || open != 1 || closed != many || stats.OpenComplaints != 1 {
			t.Errorf("%d reports are open, %d closed, and %d counted (%v)", open, closed,
				stats.OpenComplaints, err)
		}
		list := decided(t, w, staff.DecisionQuery{CourseID: course})
		if len(list) != 1 || list[0].Reason != "" || list[0].CourseTitle == "" {
			t.Errorf("%+v", list)
		}
		w.WantInvariants(t)
		w.WantRightTotals(t)
	})
}

func TestDecisions_AreForAdmins(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	for actor, want := range map[core.Actor]error{
		{}: core.ErrUnauthenticated, roomtest.Student("ada"): core.ErrForbidden,
		roomtest.Teacher: core.ErrForbidden,
	} {
		_, err := w.Platform.Staff.Decisions(ctx(), actor, staff.DecisionQuery{},
			roomtest.WholeList)
		if !errors.Is(err, want) {
			t.Errorf("decisions for %+v: %v, want %v", actor, err, want)
		}
		if _, err = w.Platform.Staff.User(ctx(), actor, "ada"); !errors.Is(err, want) {
			t.Errorf("a user for %+v: %v, want %v", actor, err, want)
		}
	}
}
