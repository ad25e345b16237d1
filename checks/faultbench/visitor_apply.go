//go:build linux

package faultbench

import (
	"context"
	"net/http"
	"strings"
)

// apply lets the user apply to become an educator, and an admin decide. It reports whether the user
// is an educator. An applicant must not change the name, because that sends an event that says
// which role the provider knows.
func (v *visitor) apply(ctx context.Context) bool {
	in := body{"professionalTitle": "Visitor", "bio": "I visit.", "expertise": []string{"visits"}}
	status := v.repeat(ctx, func() int {
		return v.call(ctx, "application.apply", areaPlain, http.MethodPost, "/api/educator/apply",
			in, nil)
	})
	// 409 if a request was executed that was not answered
	if status != http.StatusOK && status != http.StatusConflict {
		return false
	}
	// The application must be there now.
	var answer struct {
		Application *struct {
			ID string `json:"_id"`
		}
	}
	status = v.repeat(ctx, func() int {
		return v.call(ctx, "application.status", areaPlain, http.MethodGet,
			"/api/educator/application-status", nil, &answer)
	})
	if status != http.StatusOK {
		return false
	}
	if answer.Application == nil {
		v.journal.problem("the application of %s was answered and is lost", v.id)
		return false
	}
	// An admin decides.
	decision := "approve"
	if v.random.IntN(3) == 0 {
		decision = "reject"
	}
	return v.staff().review(ctx, v.id, answer.Application.ID, decision) && decision == "approve"
}

// decisions are the statuses of applications after a decision.
var decisions = map[string]string{"approve": "approved", "reject": "rejected"}

// review decides on an application as an admin: decision is "approve" or "reject". It stores the
// outcome as a claim, and reports whether it is known. It is unknown without an answer, and also if
// a review that was begun and not finished holds the application.
func (v *visitor) review(ctx context.Context, user, id, decision string) bool {
	status := v.repeat(ctx, func() int {
		return v.call(ctx, "admin."+decision, areaReview, http.MethodPatch,
			"/api/admin/educator-applications/"+id+"/"+decision, nil, nil)
	})
	// A request that was executed and not answered has made this decision before.
	decided := status == http.StatusConflict &&
		strings.Contains(v.refusal, "already "+decisions[decision])
	if status != http.StatusOK && !decided {
		v.claims.add(user, unknown+"|"+id, claimApplication)
		return false
	}
	v.claims.add(user, decisions[decision]+"|"+id, claimApplication)
	return true
}

// reviewAgain rejects the applications whose outcome is unknown, after the leases of their reviews
// have expired. One that was approved stays so.
func (b *bench) reviewAgain(ctx context.Context) {
	boss := newVisitor(b, 201).staff() // the number of no other visitor
	for user, text := range b.claims.copied(claimApplication) {
		decision, id, _ := strings.Cut(text, "|")
		if decision != unknown || boss.review(ctx, user, id, "reject") {
			continue
		}
		// It could not be rejected, so it must be approved already. This approval must change
		// nothing. If its outcome is unknown too, the claim stays unknown, and the books differ.
		if boss.review(ctx, user, id, "approve") &&
			!strings.Contains(boss.refusal, "already approved") {
			b.journal.problem("the application %s of %s could not be rejected", id, user)
		}
	}
}
