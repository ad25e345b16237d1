package httpapi

import (
	"net/http"
	"slices"

	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// editBundleErrors are the failures of every change of a bundle.
var editBundleErrors = []error{core.ErrForbidden, bundle.ErrBundleNotFound}

// bundleRoutes returns the routes that show bundles.
func bundleRoutes() []Route {
	return []Route{
		{ID: "bundle.list", Method: http.MethodGet, Access: Public,
			Path:    "/api/bundle/all",
			Summary: "List the bundles that are for sale",
			Description: "The newest first, in pages. A published bundle with a course that is not " +
				"published or has ended is not for sale. A page may have few bundles or none, " +
				"and a `nextCursor`, with which the list goes on.",
			query:  paged(),
			Errors: []error{core.ErrInvalidRequest},
			Do:     do((*api).listBundles)},
		{ID: "bundle.get", Method: http.MethodGet, Access: Public,
			Path:        "/api/bundle/:id",
			Summary:     "Show a bundle that is for sale",
			Description: "With the titles and pictures of its courses, in order.",
			Errors:      []error{bundle.ErrBundleNotFound},
			Do:          do((*api).getBundle)},
		{ID: "bundle.own", Method: http.MethodGet, Access: Staff,
			Path:        "/api/educator/bundles",
			Summary:     "List the bundles of own courses, or all for an admin",
			Description: "The newest first, in pages, also those that are not published.",
			query:       paged(),
			Errors:      []error{core.ErrInvalidRequest},
			Do:          do((*api).ownBundles)},
	}
}

// bundleEditRoutes returns the routes with which bundles are made and changed.
func bundleEditRoutes() []Route {
	return []Route{
		{ID: "bundle.create", Method: http.MethodPost, Access: Staff, Limit: ChangeLimit,
			Path:    "/api/educator/bundles",
			Summary: "Offer several courses at one price",
			Description: "2 to 50 courses: an educator's own ones, or any for an admin. The bounds of " +
				"texts, prices and discount are those of a course. While it is in a bundle, a " +
				"course cannot be deleted. Only admins change a bundle with courses of several " +
				"educators. The picture is set by a request of its own. The courses of an educator " +
				"have at most 1,000 bundles.",
			Errors: []error{core.ErrForbidden, catalog.ErrCourseNotFound,
				bundle.ErrTooManyBundles},
			Do: do((*api).createBundle)},
		{ID: "bundle.edit", Method: http.MethodPatch, Access: Staff, Limit: ChangeLimit,
			Path:    "/api/educator/bundles/:bundleId",
			Summary: "Change, publish or unpublish a bundle of own courses",
			Description: "Fields that are not sent stay as they are. `courseIds` are all courses of " +
				"the bundle. `version` is that of the bundle which the caller has read; if it has " +
				"changed meanwhile, the answer is 409 and nothing is changed. `version` grows by " +
				"one, unless nothing differs.",
			Errors: append([]error{catalog.ErrCourseNotFound, bundle.ErrBundleChanged},
				editBundleErrors...),
			Do: do((*api).editBundle)},
		{ID: "bundle.delete", Method: http.MethodDelete, Access: Staff, Limit: ChangeLimit,
			Path:        "/api/educator/bundles/:bundleId",
			Summary:     "Delete a bundle of own courses",
			Description: "With its picture. The courses stay.",
			Errors:      editBundleErrors,
			Do:          do((*api).deleteBundle)},
		{ID: "bundle.thumbnail", Method: http.MethodPut, Access: Staff, Limit: ChangeLimit,
			Path:    "/api/educator/bundles/:bundleId/thumbnail",
			Summary: "Set the picture of a bundle of own courses",
			Description: "A form of one part, `image`, as that of a new course. The old picture " +
				"is deleted, and the version of the bundle grows by one.",
			Errors: slices.Concat(editBundleErrors, thumbnailErrors),
			Do: raw((*api).setBundleThumbnail).taking(imageForm{}).
				answering(bundleThumbnailAnswer{})},
	}
}
