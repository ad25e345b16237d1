package learning

import (
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

func TestDecideReview(t *testing.T) {
	alive := core.Lease{Name: "application:a", Holder: "h", ExpiresAt: decisionTime.Add(time.Second)}
	expired := core.Lease{Name: "application:a", Holder: "h", ExpiresAt: decisionTime}
	for name, c := range map[string]struct {
		id     string
		status ApplicationStatus
		held   core.Lease
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
		a := Account{Application: Application{ID: c.id, Status: c.status}}
		if got := decideReview(a, "a", c.held, decisionTime); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestRoleToGrant(t *testing.T) {
	const approve, reject = ApplicationApproved, ApplicationRejected
	for _, c := range []struct {
		decided     ApplicationStatus
		now, before core.Role
		isBegun     bool
		want        core.Role
	}{
		{decided: approve, now: core.Admin, before: core.Student, isBegun: true, want: core.Admin},
		{decided: approve, now: core.Admin, before: core.Student, want: ""},
		{decided: approve, now: "", before: core.Admin, isBegun: true, want: ""},
		{decided: approve, now: core.Student, before: core.Admin, want: ""},
		{decided: approve, now: "", before: core.Student, want: core.Educator},
		{decided: approve, now: core.Educator, before: core.Student, isBegun: true, want: core.Educator},
		{decided: reject, now: core.Admin, before: core.Student, want: ""},
		{decided: reject, now: core.Educator, before: core.Student, want: ""},
		{decided: reject, now: core.Admin, before: core.Student, isBegun: true, want: core.Admin},
		{decided: reject, now: core.Educator, before: core.Student, isBegun: true, want: core.Student},
		{decided: reject, now: "", before: "", isBegun: true, want: core.Student},
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
		if got := decideApply(Account{Application: Application{Status: status}}); got != want {
			t.Errorf("%q: %v, want %v", status, got, want)
		}
	}
	if got := decideApply(Account{AccountState: core.AccountState{Deleted: true}}); got !=
		core.ErrUnauthenticated {
		t.Errorf("deleted: %v", got)
	}
}
