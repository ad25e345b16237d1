package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/staff"
)

var decisionTests = []test{
	{"decisions are stored with all fields, and listed by user and course, the newest first",
		decisionFields},
	{"a decision on a report has the reason of the report", decisionOnReport},
	{"the reasons of decisions go with the user and with the course", decisionReasons},
	{"the title of a deleted course is that of then", decisionOfDeletedCourse},
	{"the decisions about a user are exported in pages, and no others", exportDecisions},
	{"a user is read with the role, also a deleted one", userReport},
}

// decision returns a decision of "admin" about "u" in the course "c".
func decision(id string, at time.Time) core.Decision {
	return core.Decision{ID: id, Kind: "refund.started", ActorID: "admin", UserID: "u",
		Reason: "Why\n<b> " + id, CreatedAt: at,
		DecisionIDs: core.DecisionIDs{CourseID: "c", ChapterID: "ch", PurchaseID: "pu",
			RefundID: "re", ApplicationID: "ap", PostID: "p", ReplyID: "r", ReviewID: "v"}}
}

// decisions checks the decisions that a query selects, in pages. They are shown without a course.
func (f *fixture) decisions(q staff.DecisionQuery, want ...staff.Decision) {
	f.t.Helper()
	pages := paged(f.t, func(ctx context.Context, page core.PageRequest) ([]staff.Decision, error) {
		return f.Decisions(ctx, q, page)
	}, func(d staff.Decision) core.Position { return core.Position{At: d.CreatedAt, ID: d.ID} })
	equal(f.t, pages, nil, want)
}

// listed returns a decision as a list shows it, with the names of its users if they have a record.
func listed(d core.Decision, actorName, userName, courseTitle string) staff.Decision {
	return staff.Decision{Decision: d, ActorName: actorName, UserName: userName,
		CourseTitle: courseTitle}
}

func decisionFields(t *testing.T, f *fixture) {
	f.add(user("admin"), user("u"), course("c"))
	a, b, c, byHost := decision("a", noon), decision("b", noon), decision("c", noon.Add(time.Hour)),
		core.Decision{ID: "h", Kind: "admin.made", CreatedAt: noon.Add(-time.Hour)}
	b.CourseID, c.UserID, c.ActorID = "d", "v", "service:billing"
	f.add(a, b, c, byHost)
	first := listed(a, "Name of admin", "Name of u", "Course c")
	second := listed(b, "Name of admin", "Name of u", "")
	third := listed(c, "billing", core.UnknownUser, "Course c")
	f.decisions(staff.DecisionQuery{}, third, second, first, listed(byHost, "", "", ""))
	f.decisions(staff.DecisionQuery{UserID: "u"}, second, first)
	f.decisions(staff.DecisionQuery{CourseID: "c"}, third, first)
	f.decisions(staff.DecisionQuery{UserID: "u", CourseID: "c"}, first)
	for _, id := range unknownIDs[1:] { // "" selects all
		f.decisions(staff.DecisionQuery{UserID: id})
		f.decisions(staff.DecisionQuery{CourseID: id})
	}
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertDecision(ctx, a)
	})
}

func decisionOnReport(_ *testing.T, f *fixture) {
	f.add(user("u"), complaint("k", "p", "ada"))
	d := decision("a", noon)
	d.Reason, d.ReportID = "", "k"
	lost := d
	lost.ID, lost.ReportID = "b", "none"
	f.add(d, lost)
	d.Reason = complaint("k", "p", "ada").Reason
	f.decisions(staff.DecisionQuery{}, listed(lost, core.UnknownUser, "Name of u", ""),
		listed(d, core.UnknownUser, "Name of u", ""))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		_, err := tx.ScrubUser(ctx, "u", noon)
		return err
	})
	d.Reason = ""
	f.decisions(staff.DecisionQuery{}, listed(lost, core.UnknownUser, core.DeletedUser, ""),
		listed(d, core.UnknownUser, core.DeletedUser, ""))
}

func decisionReasons(_ *testing.T, f *fixture) {
	a, b, c := decision("a", noon), decision("b", noon), decision("c", noon)
	b.UserID, c.UserID, c.CourseID = "v", "v", "d"
	f.add(a, b, c)
	want := func(list ...core.Decision) {
		f.t.Helper()
		var shown []staff.Decision
		for _, d := range list {
			shown = append(shown, listed(d, core.UnknownUser, core.UnknownUser, ""))
		}
		f.decisions(staff.DecisionQuery{}, shown...)
	}
	ofUser := func(id string) {
		f.do(func(ctx context.Context, tx learning.Tx) error { return tx.RemoveUserReasons(ctx, id) })
	}
	ofCourse := func(id string) {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.RemoveCourseReasons(ctx, id)
		})
	}
	ofUser("U")
	ofCourse("C")
	want(c, b, a)
	ofUser("u")
	a.Reason = ""
	want(c, b, a)
	ofCourse("c")
	b.Reason = ""
	want(c, b, a)
}

func decisionOfDeletedCourse(_ *testing.T, f *fixture) {
	f.add(course("c"), decision("a", noon))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if err := tx.InsertDeletedCourse(ctx, "x", "c", noon); err != nil {
			return err
		}
		return tx.DeleteCourse(ctx, "c")
	})
	f.decisions(staff.DecisionQuery{},
		listed(decision("a", noon), core.UnknownUser, core.UnknownUser, "Course c"))
}

func exportDecisions(t *testing.T, f *fixture) {
	var want []core.Decision
	for i, id := range append([]string{"student", "student"}, otherUsers...) {
		d := decision(string(rune('a'+i)), noon)
		d.UserID = id
		if id == "student" {
			want = append(want, d)
		}
		f.add(d)
	}
	bare := core.Decision{ID: "z", Kind: "admin.made", UserID: "student", CreatedAt: noon}
	f.add(bare)
	exports(t, f, "decisions", func(d core.Decision) []any {
		return []any{d.ID, string(d.Kind), orNil(d.CourseID), orNil(d.ChapterID),
			orNil(d.PurchaseID), orNil(d.RefundID), orNil(d.ApplicationID), orNil(d.PostID),
			orNil(d.ReplyID), orNil(d.ReviewID), orNil(d.Reason), d.CreatedAt}
	}, append(want, bare)...)
}

func userReport(t *testing.T, f *fixture) {
	f.add(user("u"), user("admin"))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertRole(ctx, "admin", core.RoleAssignment{Role: core.Admin, At: noon})
	})
	read := func(id string) people.UserReport {
		u, err := f.UserReport(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	if u := read("u"); u.ID != "u" || u.Name != "Name of u" || u.Role != core.Student ||
		!u.ListedAt.Equal(u.CreatedAt) {
		t.Errorf("a user is %+v", u)
	}
	if u := read("admin"); u.Role != core.Admin {
		t.Errorf("an admin is %+v", u)
	}
	for _, id := range unknownIDs {
		u, err := f.UserReport(t.Context(), id)
		missing(t, u, err)
	}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		_, err := tx.ScrubUser(ctx, "u", noon)
		return err
	})
	if u := read("u"); u.Name != core.DeletedUser || u.Email != "" || u.ImageURL != "" {
		t.Errorf("a deleted user is %+v", u)
	}
}
