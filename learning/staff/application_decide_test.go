package staff

import (
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

func TestDecideReview(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	alive := core.Lease{Name: "application:a", Holder: "h", ExpiresAt: now.Add(time.Second)}
	expired := core.Lease{Name: "application:a", Holder: "h", ExpiresAt: now}
	for name, c := range map[string]struct {
		id     string
		status people.ApplicationStatus
		held   core.Lease
		want   error
	}{
		"deleted": {id: "", want: ErrApplicationNotFound},
		"another one since": {id: "b", status: people.ApplicationPending,
			want: ErrApplicationNotFound},
		"approved": {id: "a", status: people.ApplicationApproved, held: alive,
			want: ErrAlreadyApproved},
		"rejected": {id: "a", status: people.ApplicationRejected, want: ErrAlreadyRejected},
		"pending":  {id: "a", status: people.ApplicationPending},
		"in a review": {id: "a", status: people.ApplicationPending, held: alive,
			want: ErrBeingReviewed},
		"after a crashed review": {id: "a", status: people.ApplicationPending, held: expired},
	} {
		a := people.Account{Application: people.Application{ID: c.id, Status: c.status}}
		if got := decideReview(a, "a", c.held, now); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestRoleToGrant(t *testing.T) {
	const approve, reject = people.ApplicationApproved, people.ApplicationRejected
	for _, c := range []struct {
		decided     people.ApplicationStatus
		now, before core.Role
		isBegun     bool
		want        core.Role
	}{
		{decided: approve, now: core.Admin, before: core.Student, isBegun: true, want: core.Admin},
		{decided: approve, now: core.Admin, before: core.Student, want: ""},
		{decided: approve, now: "", before: core.Admin, isBegun: true, want: ""},
		{decided: approve, now: core.Student, before: core.Admin, want: ""},
		{decided: approve, now: "", before: core.Student, want: core.Educator},
		{decided: approve, now: core.Educator, before: core.Student, isBegun: true,
			want: core.Educator},
		{decided: reject, now: core.Admin, before: core.Student, want: ""},
		{decided: reject, now: core.Educator, before: core.Student, want: ""},
		{decided: reject, now: core.Admin, before: core.Student, isBegun: true, want: core.Admin},
		{decided: reject, now: core.Educator, before: core.Student, isBegun: true,
			want: core.Student},
		{decided: reject, now: "", before: "", isBegun: true, want: core.Student},
	} {
		a := people.Application{PreviousRole: c.before}
		if c.isBegun {
			a.ReviewID = "earlier"
		}
		if got := roleToGrant(a, c.now, c.decided); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestDecideApply(t *testing.T) {
	for status, want := range map[people.ApplicationStatus]error{
		"": nil, people.ApplicationRejected: nil,
		people.ApplicationPending: ErrApplicationPending, people.ApplicationApproved: ErrApplicationApproved,
	} {
		if got := decideApply(people.Account{Application: people.Application{Status: status}}); got != want {
			t.Errorf("%q: %v, want %v", status, got, want)
		}
	}
	if got := decideApply(people.Account{AccountState: core.AccountState{Deleted: true}}); got !=
		core.ErrUnauthenticated {
		t.Errorf("deleted: %v", got)
	}
}
