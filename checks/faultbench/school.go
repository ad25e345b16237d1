//go:build linux

package faultbench

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// openSchool creates what visitors find, beside the courses: the groups of the community, and the
// coupons. Their creator is the founder, an admin.
func (b *bench) openSchool(ctx context.Context) {
	b.tb.Helper()
	// The identity provider sends no event about the founder.
	b.must(b.box.Identity().PutUserQuietly(sandbox.User{ID: founder, Role: "admin"}))
	// The founder calls the servers as a visitor does.
	v := newVisitor(b, 0)
	var err error
	v.id = founder
	v.token, err = b.box.Identity().Token(founder)
	b.must(err)
	for i := range 3 {
		in := body{"name": fmt.Sprintf("Group %d", i), "description": "", "icon": ""}
		b.create(ctx, v, "group.create", "/api/community/groups", in)
	}
	for _, c := range coupons {
		in := body{"code": c.code, "percentOff": c.percentOff, "maxRedemptions": c.most}
		b.create(ctx, v, "coupon.create", "/api/educator/coupons", in)
	}
}

// create sends a request of the founder that creates something, and ends the test unless it
// succeeds.
func (b *bench) create(ctx context.Context, v *visitor, route, path string, in body) {
	b.tb.Helper()
	status := v.call(ctx, route, areaPlain, http.MethodPost, path, in, nil)
	if status != http.StatusOK && status != http.StatusCreated {
		b.tb.Fatal(errors.Join(fmt.Errorf("%s: %d: %s", route, status, v.refusal), ctx.Err()))
	}
}
