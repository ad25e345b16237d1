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

var applicationTests = []test{
	{"an application is read as it was stored", applicationRoundTrip},
	{"the longest texts fit", applicationLimits},
	{"an application that does not exist is ErrNoRecord", applicationMissing},
	{"there is one application for a user", applicationUnique},
	{"applications are listed, of one status or all, the newest first, by id on a tie",
		applicationList},
	{"each transition requires its state and its holder", applicationTransitions},
	{"an application is deleted by its user's id", applicationDelete},
}

// kept checks a stored application, read by its id and by its user.
func (f *fixture) kept(want people.Application) {
	f.t.Helper()
	got, err := f.Application(f.t.Context(), want.ID)
	equal(f.t, got, err, want)
	got, err = f.ApplicationOf(f.t.Context(), want.UserID)
	equal(f.t, got, err, want)
}

func applicationRoundTrip(t *testing.T, f *fixture) {
	empty := people.Application{ID: "empty", UserID: "empty", Status: people.ApplicationPending,
		CreatedAt: noon, UpdatedAt: noon}
	all := []people.Application{empty, reviewed("reviewed")}
	for _, status := range applicationStatuses {
		a := application(string(status), status)
		a.UpdatedAt = noon.Add(time.Microsecond)
		all = append(all, a)
	}
	for _, a := range all {
		f.add(a)
		f.kept(a)
	}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		got, err := tx.ApplicationOf(ctx, "user of reviewed")
		equal(t, got, err, reviewed("reviewed"))
		return nil
	})
	list, err := f.Applications(t.Context(), "", allRows)
	if err != nil || len(list) != len(all) {
		t.Errorf("%d applications are listed, want %d (%v)", len(list), len(all), err)
	}
}

func applicationLimits(t *testing.T, f *fixture) {
	a := reviewed("a")
	a.ID = long(10)
	a.UserID = long(47) + "abc"
	a.ReviewID = long(10)
	a.ProfessionalTitle = long(staff.MaxProfessionalTitle)
	a.Bio = long(staff.MaxBio)
	a.LinkedinURL = long(staff.MaxLinkedinURL)
	a.RejectionReason, a.Expertise = long(staff.MaxRejectionReason), nil
	for range staff.MaxExpertise {
		a.Expertise = append(a.Expertise, long(staff.MaxExpertiseEntry))
	}
	f.add(a)
	f.kept(a)
	rejected := a
	rejected.Status, rejected.ReviewID = people.ApplicationRejected, ""
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.UpdateApplication(ctx, a, rejected)
	})
	f.kept(rejected)
	again := rejected
	again.Status, again.RejectionReason = people.ApplicationPending, ""
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.UpdateApplication(ctx, rejected, again)
	})
	f.kept(again)
}

func applicationMissing(t *testing.T, f *fixture) {
	f.add(application("a", people.ApplicationPending))
	for _, id := range []string{"", "A", "a ", "b", "\xff", "' OR 1 = 1 --"} {
		got, err := f.Application(t.Context(), id)
		missing(t, got, err)
		got, err = f.ApplicationOf(t.Context(), "user of "+id)
		if id != "a" {
			missing(t, got, err)
		}
	}
}

func applicationUnique(t *testing.T, f *fixture) {
	first := application("first", people.ApplicationRejected)
	f.add(first)
	sameUser := application("second", people.ApplicationPending)
	sameUser.UserID = first.UserID
	sameID := application("first", people.ApplicationPending)
	sameID.UserID = "another user"
	for _, a := range []people.Application{sameUser, sameID} {
		f.fails(core.ErrDuplicate,
			func(ctx context.Context, tx learning.Tx) error { return tx.InsertApplication(ctx, a) })
	}
	f.kept(first)
	otherCase := application("third", people.ApplicationPending)
	otherCase.UserID = "User of first"
	f.add(otherCase)
	f.kept(first)
	f.kept(otherCase)
}

func applicationList(t *testing.T, f *fixture) {
	list, err := f.Applications(t.Context(), "", allRows)
	equal(t, list, err, nil)
	made := func(id string, status people.ApplicationStatus, at time.Time) people.Application {
		a := application(id, status)
		a.CreatedAt = at
		f.add(a)
		return a
	}
	oldest := made("z", people.ApplicationRejected, noon.Add(-time.Microsecond))
	b := made("b", people.ApplicationPending, noon)
	a := made("a", people.ApplicationPending, noon)
	c := made("c", people.ApplicationApproved, noon)
	newest := made("0", people.ApplicationPending, noon.Add(time.Microsecond))
	for status, want := range map[people.ApplicationStatus][]people.Application{
		"":                         {newest, c, b, a, oldest},
		people.ApplicationPending:  {newest, b, a},
		people.ApplicationApproved: {c},
		people.ApplicationRejected: {oldest},
		"Pending":                  nil,
		"lost":                     nil,
	} {
		list, err := f.Applications(t.Context(), status, allRows)
		equal(t, list, err, want)
		pages := paged(t,
			func(ctx context.Context, page core.PageRequest) ([]people.Application, error) {
				return f.Applications(ctx, status, page)
			},
			func(a people.Application) core.Position {
				return core.Position{
					At: a.CreatedAt, ID: a.ID}
			})
		equal(t, pages, nil, want)
	}
}

// applicationStatuses are all states of an application.
var applicationStatuses = []people.ApplicationStatus{people.ApplicationPending,
	people.ApplicationApproved, people.ApplicationRejected}

func applicationDelete(t *testing.T, f *fixture) {
	remove := func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteApplication(ctx,
			"user of a")
	}
	f.add(reviewed("a"), reviewed("b"))
	f.do(remove)
	f.do(remove) // deleting a missing row is not an error
	got, err := f.Application(t.Context(), "a")
	missing(t, got, err)
	f.kept(reviewed("b"))
	f.add(application("c", people.ApplicationPending),
		application("a", people.ApplicationPending))
}
