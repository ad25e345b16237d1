package bundle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of bundles.
var (
	ErrBundleNotFound = &core.Error{Kind: core.NotFound, Code: "bundle_not_found",
		Message: "Bundle not found"}
	ErrBundleChanged = &core.Error{Kind: core.Conflict, Code: "bundle_changed",
		Message: "The bundle has changed. Please load it again."}
	ErrCourseInBundle = &core.Error{Kind: core.Conflict, Code: "course_in_bundle",
		Message: "This course is in a bundle"}
	ErrTooManyBundles = &core.Error{Kind: core.Conflict, Code: "too_many_bundles",
		Message: "Your courses have 1,000 bundles, which is the maximum. Delete one of them, or " +
			"ask an admin to add this one."}
)

// Limits of a bundle (docs/api.md §22). Its texts and prices have those of a course.
const (
	MinCourses = 2
	MaxCourses = 50
	// MaxBundlesOfEducator is how many bundles of the courses of an educator there may be when the
	// educator adds one. Admins may add more.
	MaxBundlesOfEducator = 1_000
)

// Bundle is several courses that are sold together.
type Bundle struct {
	ID          string
	Title       string
	Description string
	Thumbnail   string          // name in the media store, "" for none
	Price       core.Money      // in the currency of the platform, before the discount
	Prices      []catalog.Price // in other currencies
	Discount    core.Percent    // of each price
	Published   bool
	// EducatorID is the educator of all courses, who may change the bundle beside admins; "" if the
	// courses are of several educators.
	EducatorID string
	Version    int64 // 1 at first; grows by one with each change
	CreatedAt  time.Time
	UpdatedAt  time.Time

	Courses []Course // in the order of the bundle
}

// Course is what a bundle shows of one of its courses.
type Course struct {
	BundleID  string
	ID        string
	Title     string
	Thumbnail string // name in the media store
	Published bool
	Terms     catalog.Terms

	Price    core.Money      // of the course alone, before its discount
	Prices   []catalog.Price // in other currencies
	Discount core.Percent    // of the course
}

// IsForSale reports whether everyone can see and buy the bundle: it is published, and so are all
// its courses, none of which has ended.
func (b Bundle) IsForSale(now time.Time) bool {
	isNotSold := func(c Course) bool { return !c.Published || c.Terms.HasEnded(now) }
	return b.Published && !slices.ContainsFunc(b.Courses, isNotSold)
}

// courseIDs returns the ids of the courses, in the order of the bundle.
func (b Bundle) courseIDs() []string {
	ids := make([]string, len(b.Courses))
	for i, c := range b.Courses {
		ids[i] = c.ID
	}
	return ids
}

// NewBundle is the data of a bundle that an educator or an admin sends. The fields have the meaning
// of those of [Bundle].
type NewBundle struct {
	Title       string
	Description string
	CourseIDs   []string // each once
	Price       core.Money
	Prices      []catalog.Price
	Discount    core.Percent
	Published   bool
}

// checkTexts returns an error if a text of the bundle is not within its limits.
func (b Bundle) checkTexts() error {
	return cmp.Or(core.RequireText("title", b.Title, 1, catalog.MaxCourseTitle),
		core.RequireText("description", b.Description, 0, catalog.MaxCourseDescription))
}

// checkCourseIDs returns an error unless a bundle may have so many courses, each once.
func checkCourseIDs(ids []string) error {
	sorted := slices.Compact(slices.Sorted(slices.Values(ids)))
	return cmp.Or(
		core.Require(len(ids) >= MinCourses && len(ids) <= MaxCourses, "courseIds",
			fmt.Sprintf("must have %d to %d courses", MinCourses, MaxCourses)),
		core.Require(len(sorted) == len(ids), "courseIds", "must have each course once"))
}

// mayEdit returns [core.ErrForbidden] unless the actor may change the bundle: its educator or an
// admin.
func (b Bundle) mayEdit(actor core.Actor) error {
	if actor.Role != core.Admin && b.EducatorID != actor.UserID {
		return core.ErrForbidden
	}
	return nil
}

// withCourses sets the courses of bundles.
func withCourses(ctx context.Context, r bundleReader, list []Bundle) error {
	if len(list) == 0 {
		return nil
	}
	ids, index := make([]string, len(list)), make(map[string]int, len(list))
	for i, b := range list {
		ids[i], index[b.ID] = b.ID, i
	}
	courses, err := r.CoursesOfBundles(ctx, ids)
	if err != nil {
		return fmt.Errorf("list the courses of bundles: %w", err)
	}
	for _, c := range courses {
		b := &list[index[c.BundleID]]
		b.Courses = append(b.Courses, c)
	}
	return nil
}

// readBundle reads a bundle with its courses. Error: [ErrBundleNotFound].
func readBundle(ctx context.Context, r bundleReader, id string) (Bundle, error) {
	b, err := r.Bundle(ctx, id)
	if errors.Is(err, core.ErrNoRecord) {
		return Bundle{}, ErrBundleNotFound
	}
	if err != nil {
		return Bundle{}, fmt.Errorf("read a bundle: %w", err)
	}
	list := []Bundle{b}
	if err := withCourses(ctx, r, list); err != nil {
		return Bundle{}, err
	}
	return list[0], nil
}

// Query selects bundles.
type Query struct {
	EducatorID string // "" for those of all educators
	Published  bool   // only those that are published
}

// bundleReader reads bundles.
type bundleReader interface {
	// Bundle reads a bundle without its courses.
	Bundle(ctx context.Context, id string) (Bundle, error)
	// Bundles lists a page of the bundles that q selects, without their courses, the newest first.
	// q must not have both fields.
	Bundles(ctx context.Context, q Query, page core.PageRequest) ([]Bundle, error)
	// CoursesOfBundles lists the courses of bundles, those of a bundle in its order.
	CoursesOfBundles(ctx context.Context, bundleIDs []string) ([]Course, error)
	// CountBundlesOf counts the bundles of the courses of an educator.
	CountBundlesOf(ctx context.Context, educatorID string) (int, error)
	// CourseInBundle reports whether a course is in a bundle.
	CourseInBundle(ctx context.Context, courseID string) (bool, error)
}

// bundleWriter writes bundles.
type bundleWriter interface {
	// InsertBundle adds a bundle without its courses, with version 1.
	InsertBundle(ctx context.Context, b Bundle) error
	// InsertBundleCourses adds courses to a bundle that has none, in their order. There must be
	// one at least.
	InsertBundleCourses(ctx context.Context, bundleID string, courseIDs []string) error
	// LockBundle locks the row of a bundle until the transaction ends, and reports whether there is
	// one.
	LockBundle(ctx context.Context, id string) (bool, error)
	// UpdateBundle overwrites a bundle of the same version, except its thumbnail, courses and
	// creation time, and increments the version. It reports whether the bundle had the version.
	UpdateBundle(ctx context.Context, b Bundle) (bool, error)
	// SetBundleThumbnail sets the thumbnail and the update time of a bundle, and increments its
	// version. It returns [core.ErrNoRecord] if there is no such bundle.
	SetBundleThumbnail(ctx context.Context, id, name string, at time.Time) error
	// DeleteBundleCourses deletes which courses a bundle has.
	DeleteBundleCourses(ctx context.Context, bundleID string) error
	// DeleteBundle deletes the row of a bundle. It returns [core.ErrNoRecord] if there is none.
	DeleteBundle(ctx context.Context, id string) error
}
