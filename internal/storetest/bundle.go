package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

var bundleTests = []test{
	{"a bundle is read as it was stored, also with the longest texts", bundleRoundTrip},
	{"bundles are listed, of an educator, published or all, the newest first", bundleList},
	{"the courses of bundles are listed in their order", bundleCourses},
	{"a bundle is updated in the version that was read", bundleUpdate},
	{"a bundle is deleted with what courses it has", bundleDelete},
}

// bundleOf returns a bundle of an educator.
func bundleOf(id, educatorID string, at time.Time) bundle.Bundle {
	return bundle.Bundle{ID: id, Title: "Title " + id, Price: 10_00, EducatorID: educatorID,
		Version: 1, CreatedAt: at, UpdatedAt: at}
}

func bundleRoundTrip(t *testing.T, f *fixture) {
	small := bundleOf("b", "", noon)
	large := bundle.Bundle{ID: long(10), Title: long(catalog.MaxCourseTitle),
		Description: long(catalog.MaxCourseDescription), Thumbnail: "a.png",
		Price: catalog.MaxCoursePrice, Prices: []catalog.Price{{Currency: "JPY", Amount: 900}},
		Discount: 99_99, Published: true, EducatorID: long(10), Version: 1, CreatedAt: noon,
		UpdatedAt: noon.Add(time.Hour)}
	f.add(small, large)
	for _, b := range []bundle.Bundle{small, large} {
		got, err := f.Bundle(t.Context(), b.ID)
		equal(t, got, err, b)
	}
	for _, id := range []string{"", "B", "b ", "none", "\xff"} {
		got, err := f.Bundle(t.Context(), id)
		missing(t, got, err)
	}
}

func bundleList(t *testing.T, f *fixture) {
	a, b, c := bundleOf("a", "ada", noon), bundleOf("b", "ada", noon),
		bundleOf("c", "bea", noon.Add(time.Hour))
	a.Published, c.Published = true, true
	f.add(a, b, c)
	list := func(q bundle.Query) []bundle.Bundle {
		return paged(t, func(ctx context.Context, page core.PageRequest) ([]bundle.Bundle, error) {
			return f.Bundles(ctx, q, page)
		}, func(b bundle.Bundle) core.Position {
			return core.Position{At: b.CreatedAt, ID: b.ID}
		})
	}
	equal(t, list(bundle.Query{}), nil, []bundle.Bundle{c, b, a})
	equal(t, list(bundle.Query{EducatorID: "ada"}), nil, []bundle.Bundle{b, a})
	equal(t, list(bundle.Query{Published: true}), nil, []bundle.Bundle{c, a})
	n, err := f.CountBundlesOf(t.Context(), "ada")
	equal(t, n, err, 2)
	n, err = f.CountBundlesOf(t.Context(), "nobody")
	equal(t, n, err, 0)
}

func bundleCourses(t *testing.T, f *fixture) {
	until := noon.Add(24 * time.Hour)
	one, two := course("one"), course("two")
	one.Title, one.Thumbnail, one.Published = "One", "one.png", true
	two.Title, two.Thumbnail, two.Published = "Two", "two.png", false
	one.Terms = catalog.Terms{}
	two.Terms = catalog.Terms{Days: 3, Until: until}
	f.add(one, two, bundleOf("a", "ada", noon), bundleOf("b", "ada", noon))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertBundleCourses(ctx, "a", []string{"two", "one"})
	})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertBundleCourses(ctx, "b", []string{"one"})
	})
	of := func(bundleID string, c catalog.Course) bundle.Course {
		return bundle.Course{BundleID: bundleID, ID: c.ID, Title: c.Title,
			Thumbnail: c.Thumbnail, Published: c.Published, Terms: c.Terms, Price: c.Price,
			Prices: c.Prices, Discount: c.Discount}
	}
	got, err := f.CoursesOfBundles(t.Context(), []string{"b", "a", "none"})
	equal(t, got, err, []bundle.Course{of("a", two), of("a", one), of("b", one)})
	for id, want := range map[string]bool{"one": true, "two": true, "none": false, "\xff": false} {
		got, err := f.CourseInBundle(t.Context(), id)
		equal(t, got, err, want)
	}
}

func bundleUpdate(t *testing.T, f *fixture) {
	b := bundleOf("b", "ada", noon)
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.InsertBundle(ctx, b) })
	lock := func(want bool, id string) {
		t.Helper()
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.LockBundle(ctx, id)
		})
	}
	lock(true, "b")
	lock(false, "none")
	b.Title, b.Description, b.Price, b.Discount, b.Published = "New", "Text", 20_00, 5_00, true
	b.Prices = []catalog.Price{{Currency: "USD", Amount: 9_00}}
	b.EducatorID, b.UpdatedAt = "bea", noon.Add(time.Hour)
	update := func(want bool) {
		t.Helper()
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UpdateBundle(ctx, b)
		})
	}
	update(true)
	update(false) // not its version any more
	b.Version = 2
	got, err := f.Bundle(t.Context(), "b")
	equal(t, got, err, b)

	// The thumbnail.
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.SetBundleThumbnail(ctx, "b", "b.png", noon.Add(2*time.Hour))
	})
	f.fails(core.ErrNoRecord, func(ctx context.Context, tx learning.Tx) error {
		return tx.SetBundleThumbnail(ctx, "none", "b.png", noon)
	})
	b.Thumbnail, b.Version, b.UpdatedAt = "b.png", 3, noon.Add(2*time.Hour)
	got, err = f.Bundle(t.Context(), "b")
	equal(t, got, err, b)
}

func bundleDelete(t *testing.T, f *fixture) {
	f.add(bundleOf("b", "ada", noon))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertBundleCourses(ctx, "b", []string{"one", "two"})
	})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteBundleCourses(ctx, "b")
	})
	isIn, err := f.CourseInBundle(t.Context(), "one")
	equal(t, isIn, err, false)
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteBundle(ctx, "b") })
	got, err := f.Bundle(t.Context(), "b")
	missing(t, got, err)
	f.fails(core.ErrNoRecord, func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteBundle(ctx, "b")
	})
}
