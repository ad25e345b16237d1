package contracttest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/bundle"
)

// fixtureBundles has a bundle that an educator sells, one of courses of several educators, one that
// is not published, and one that is not for sale, because a course in it is not published. The
// courses are of their ids.
var fixtureBundles = []struct {
	bundle.Bundle
	courses []string
}{
	{bundle.Bundle{ID: "bundle_go", Title: "Go & odd things", Description: "Both of <Go>.",
		Thumbnail: "bundle.png", Price: 400_00, Discount: 25_00, Published: true,
		EducatorID: "educator"}, []string{"course_odd", "course_go"}},
	{bundle.Bundle{ID: "bundle_mixed", Title: "Of two educators", Price: 300_00,
		Published: true}, []string{"course_go", "course_long"}},
	{bundle.Bundle{ID: "bundle_draft", Title: "Not yet", Price: 10_00, EducatorID: "educator"},
		[]string{"course_go", "course_odd"}},
	{bundle.Bundle{ID: "bundle_unsold", Title: "With an old course", Price: 10_00,
		Published: true, EducatorID: "educator"}, []string{"course_go", "course_old"}},
}

// insertBundles stores fixtureBundles, each created a minute after the previous one.
func insertBundles(ctx context.Context, tx learning.Tx) error {
	for i, b := range fixtureBundles {
		b.CreatedAt = day(6).Add(time.Duration(i) * time.Minute)
		b.UpdatedAt = b.CreatedAt
		if err := tx.InsertBundle(ctx, b.Bundle); err != nil {
			return err
		}
		if err := tx.InsertBundleCourses(ctx, b.ID, b.courses); err != nil {
			return err
		}
	}
	return nil
}

// bundleGivens are the preconditions about bundles.
var bundleGivens = []given{
	{exactly(`(\w+) has (\d+) more bundles`), func(s *Setup, _ *Case, args []string) {
		n, _ := strconv.Atoi(args[1]) // the pattern has digits only
		const at = "'2026-01-05 00:00:00.000000'"
		rows := make([]string, n)
		for i := range rows {
			rows[i] = fmt.Sprintf("('more_%d', 'More', '', 0, 0, 0, '%s', 1, %s, %[3]s, '')", i,
				args[0], at)
		}
		s.SQL = append(s.SQL,
			"INSERT INTO {bundles} (id, title, thumbnail, price, discount, is_published, "+
				"educator_id, version, created_at, updated_at, description) VALUES "+
				strings.Join(rows, ", "))
	}},
}
