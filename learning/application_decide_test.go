package learning

import (
	"testing"
	"time"
)

func TestDecideReview(t *testing.T) {
	alive := Lease{Name: "application:a", Holder: "h", ExpiresAt: decisionTime.Add(time.Second)}
	expired := Lease{Name: "application:a", Holder: "h", ExpiresAt: decisionTime}
	for name, c := range map[string]struct {
		id     string
		status ApplicationStatus
		held   Lease
		want   error
	}{
		"deleted": {id: "", want: ErrApplicationNotFound},
		"another one since": {id: "b", status: ApplicationPending,
			want: ErrApplicationNotFound},
		"approved": {id: "a", status: ApplicationApproved, held: alive,
			want: ErrAlreadyApproved},
		"rejected": {id: "a", status: ApplicationRejected, want: ErrAlreadyRejected},
		"pending":  {id: "a", status: ApplicationPending},
		"in a review": {id: "a", status: ApplicationPending, held: alive,
			want: ErrBeingReviewed},
		"after a crashed review": {id: "a", status: ApplicationPending, held: expired},
	} {
		a := account{Application: Application{ID: c.id, Status: c.status}}
		if got := decideReview(a, "a", c.held, decisionTime); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestRoleToGrant(t *testing.T) {
	const approve, reject = ApplicationApproved, ApplicationRejected
	for _, c := range []struct {
		decided     ApplicationStatus
		now, before Role
		isBegun     bool
		want        Role
	}{
		{decided: approve, now: Admin, before: Student, isBegun: true, want: Admin},
		{decided: approve, now: Admin, before: Student, want: ""},
		{decided: approve, now: "", before: Admin, isBegun: true, want: ""},
		{decided: approve, now: Student, before: Admin, want: ""},
		{decided: approve, now: "", before: Student, want: Educator},
		{decided: approve, now: Educator, before: Student, isBegun: true, want: Educator},
		{decided: reject, now: Admin, before: Student, want: ""},
		{decided: reject, now: Educator, before: Student, want: ""},
		{decided: reject, now: Admin, before: Student, isBegun: true, want: Admin},
		{decided: reject, now: Educator, before: Student, isBegun: true, want: Student},
		{decided: reject, now: "", before: "", isBegun: true, want: Student},
	} {
		a := Application{PreviousRole: c.before}
		if c.isBegun {
			a.ReviewID = "earlier"
		}
		if got := roleToGrant(a, c.now, c.decided); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestDecideApply(t *testing.T) {
	for status, want := range map[ApplicationStatus]error{
		"": nil, ApplicationRejected: nil,
		ApplicationPending: ErrApplicationPending, ApplicationApproved: ErrApplicationApproved,
	} {
		if got := decideApply(account{Application: Application{Status: status}}); got != want {
			t.Errorf("%q: %v, want %v", status, got, want)
		}
	}
	if got := decideApply(account{AccountState: AccountState{Deleted: true}}); got !=
		ErrUnauthenticated {
		t.Errorf("deleted: %v", got)
	}
}
