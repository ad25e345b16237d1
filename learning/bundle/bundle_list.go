package bundle

import (
	"context"
	"slices"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
)

// maxPageReads is how often [Service.Published] reads for a page at most.
const maxPageReads = 10

// Published returns a page of the bundles that are for sale, the newest first. A page may have
// fewer than page.Limit bundles before the end, because published bundles that are not for sale are
// left out. It has none if there are very many of those. It needs no actor. Error:
// [core.ErrInvalidRequest] if page has no valid limit.
func (s *Service) Published(
	ctx context.Context, page core.PageRequest,
) (found core.Page[Bundle], err error) {
	now := s.base.Now()
	for range maxPageReads {
		if found, err = s.list(ctx, Query{Published: true}, page); err != nil {
			return core.Page[Bundle]{}, err
		}
		found.Rows = slices.DeleteFunc(found.Rows,
			func(b Bundle) bool { return !b.IsForSale(now) })
		if len(found.Rows) > 0 || found.Next.IsZero() {
			break
		}
		page.After = found.Next
	}
	return found, nil
}

// Own returns a page of the bundles that the actor may change, the newest first: of an educator
// those of their own courses, of an admin all. Errors: [core.ErrUnauthenticated],
// [core.ErrForbidden], [core.ErrInvalidRequest] if page has no valid limit.
func (s *Service) Own(
	ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[Bundle], error) {
	if err := actor.RequireRole(core.Educator, core.Admin); err != nil {
		return core.Page[Bundle]{}, err
	}
	q := Query{EducatorID: actor.UserID}
	if actor.Role == core.Admin {
		q = Query{}
	}
	return s.list(ctx, q, page)
}

// list returns a page of the bundles that q selects, with their courses.
func (s *Service) list(
	ctx context.Context, q Query, page core.PageRequest,
) (core.Page[Bundle], error) {
	const action = "list bundles"
	read := func(ctx context.Context, page core.PageRequest) ([]Bundle, error) {
		return s.store.Bundles(ctx, q, page)
	}
	found, err := paging.ReadPage(ctx, action, page, read, func(b Bundle) core.Position {
		return core.Position{At: b.CreatedAt, ID: b.ID}
	})
	if err != nil {
		return core.Page[Bundle]{}, err
	}
	if err := withCourses(ctx, s.store, found.Rows); err != nil {
		return core.Page[Bundle]{}, core.Wrap(action, err)
	}
	return found, nil
}

// Bundle returns a bundle that is for sale. It needs no actor. Error: [ErrBundleNotFound].
func (s *Service) Bundle(ctx context.Context, id string) (Bundle, error) {
	b, err := readBundle(ctx, s.store, id)
	if err == nil && !b.IsForSale(s.base.Now()) {
		return Bundle{}, ErrBundleNotFound
	}
	return b, err
}
