//go:build linux

package faultbench

import (
	"context"
	"net/http"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// staff returns an admin, who calls in place of the visitor. Each user has another one, because
// admins have a rate limit, too. The admin is a copy of the visitor, with its own refusal; the
// identity provider sends no event about it.
func (v *visitor) staff() *visitor {
	boss := *v
	boss.id = "boss_of_" + v.id
	err := v.box.Identity().PutUserQuietly(sandbox.User{ID: boss.id, Role: "admin"})
	if err == nil {
		boss.token, err = v.box.Identity().Token(boss.id, sandbox.WithTTL(tokenTime))
	}
	if err != nil {
		v.journal.problem("create an admin: %v", err)
	}
	return &boss
}

// getGrant lets an admin enrol the user in a course that the user does not buy. In one of two cases
// the enrolment is ended, and in some of these it is granted again.
func (v *visitor) getGrant(ctx context.Context, c course) {
	if !v.grant(ctx, c) || v.random.IntN(2) == 0 {
		return
	}
	if v.endByHand(ctx, c) && v.random.IntN(2) == 0 {
		v.grant(ctx, c)
	}
}

// grant lets an admin enrol the user, and reports whether that was answered.
func (v *visitor) grant(ctx context.Context, c course) bool {
	boss := v.staff()
	in := body{"userId": v.id, "courseId": c.id, "reason": "A gift."}
	return v.changeAccess(c, granted, boss.repeat(ctx, func() int {
		return boss.call(ctx, "admin.enroll", areaPlain, http.MethodPost, "/api/admin/enrollments",
			in, nil)
	}))
}

// endByHand lets an admin end the enrolment of the user, and reports whether that was answered. A
// repeated request answers 404 if the first one was executed, so 404 counts as success.
func (v *visitor) endByHand(ctx context.Context, c course) bool {
	boss := v.staff()
	status := boss.repeat(ctx, func() int {
		return boss.call(ctx, "admin.end-enrollment", areaPlain, http.MethodDelete,
			"/api/admin/enrollments/"+v.id+"/"+c.id, nil, nil)
	})
	if status == http.StatusNotFound {
		status = http.StatusOK
	}
	return v.changeAccess(c, ended, status)
}

// changeAccess stores the decision of an admin as a claim, or that its outcome is unknown if status
// is not 200. It reports whether it is known.
func (v *visitor) changeAccess(c course, decision string, status int) bool {
	if status != http.StatusOK {
		decision = unknown
	}
	v.claims.add(v.id+"|"+c.id, decision, claimAccess)
	return status == http.StatusOK
}
