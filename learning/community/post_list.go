package community

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// DefaultPostPage is the number of posts of a page for which no number is given (docs/api.md §11).
const DefaultPostPage = 15

// AllPosts lists the posts of a query. The actor need not be signed in. Of a course that the actor
// has no access to there are none. Error: [core.ErrInvalidRequest].
//
// The order of [TrendingPosts] changes with every vote, and that of [MyGroupsPosts] is of several
// lists. These orders are therefore read first, and 17 bytes are held for each post.
func (s *Service) AllPosts(
	ctx context.Context, actor core.Actor, q PostQuery,
) (core.OrderedRows[Post], error) {
	// The posts by time are read in pages, because their order never changes.
	const action = "list the posts"
	if err := q.check(); err != nil {
		return core.OrderedRows[Post]{}, err
	}
	access, err := s.postAccess(ctx, actor, q)
	if err != nil {
		return core.OrderedRows[Post]{}, err
	}
	switch {
	case !mayListPosts(access, actor, q):
		none := func(func(Post, error) bool) {}
		return core.OrderedRows[Post]{All: none}, nil
	case q.Tab != TrendingPosts && q.Tab != MyGroupsPosts:
		read := func(ctx context.Context, page core.PageRequest) ([]Post, error) {
			return s.store.Posts(ctx, q, actor.UserID, page)
		}
		position := func(post Post) core.Position {
			return core.Position{At: post.CreatedAt,
				ID: post.ID}
		}
		all := paging.PagesOf(ctx, action, read, position)
		return core.OrderedRows[Post]{All: openPosts(access, all)}, nil
	}

	// The other orders are read first, and then the posts by their ids. A paging.IDList takes
	// little memory for many ids.
	var ids paging.IDList
	if err := s.store.EachPostID(ctx, q, actor.UserID, ids.Add); err != nil {
		return core.OrderedRows[Post]{}, fmt.Errorf("read the order of the posts: %w", err)
	}
	read := func(ctx context.Context, ids []string) ([]Post, error) {
		return s.store.PostsByID(ctx, ids, actor.UserID)
	}
	ordered := paging.InOrder(ctx, action, ids, read, func(post *Post) string { return post.ID })
	ordered.All = openPosts(access, ordered.All)
	return ordered, nil
}

// Posts returns a page of the posts of a query, with the number of the posts of all pages: the rows
// after page.After, or without it the page with a number, from 1. The actor need not be signed in.
// A page reads its own rows and no others; one with a number also skips the index entries of the
// pages before it. Posts that are there throughout come once on the pages that [core.Page.Next]
// leads to, except for those of [TrendingPosts] whose upvotes change meanwhile. Error:
// [core.ErrInvalidRequest], also for a number above 1 with page.After. Of a course that the actor
// has no access to there are no posts.
func (s *Service) Posts(
	ctx context.Context, actor core.Actor, q PostQuery, page core.PageRequest, number int,
) (core.Page[Post], error) {
	limit := page.Limit
	hasTwoStarts := number > 1 && !page.After.IsZero()
	err := cmp.Or(core.Require(number >= 1, "page", "must be at least 1"), page.Check(),
		core.Require(!hasTwoStarts, "page", "must not be sent together with cursor"), q.check())
	if err != nil {
		return core.Page[Post]{}, err
	}
	access, err := s.postAccess(ctx, actor, q)
	if err != nil {
		return core.Page[Post]{}, err
	}
	groups, total, err := s.postLists(ctx, actor, q, access)
	if err != nil {
		return core.Page[Post]{}, fmt.Errorf("count the posts: %w", err)
	}

	// A page after the last one is empty, as is each page of a query that selects no posts. The
	// number is compared first, because the product of a huge one would overflow.
	found := core.Page[Post]{Total: total}
	before := number - 1 // pages; none with page.After
	if before > math.MaxInt32/limit || before*limit >= total {
		return found, nil
	}

	// One row more tells whether another page follows.
	page.Limit++
	positions, err := s.store.PostPositions(ctx, q, groups, before*limit, page)
	if err != nil {
		return core.Page[Post]{}, fmt.Errorf("list the posts: %w", err)
	}
	if len(positions) > limit {
		positions, found.Next = positions[:limit], positions[limit-1]
	}
	found.Rows, err = s.postsAt(ctx, actor, positions)
	// Posts at lectures that are not open to the actor yet are left out, as those that were
	// deleted.
	found.Rows = slices.DeleteFunc(found.Rows, func(p Post) bool {
		_, isLocked := access.Locks[p.LectureID]
		return isLocked
	})
	return found, err
}

// mayListPosts reports whether an actor with an access to the course of a query may list its posts.
func mayListPosts(access study.Access, actor core.Actor, q PostQuery) bool {
	if q.CourseID == "" {
		return actor.SignedIn() || q.Tab != MyGroupsPosts
	}
	return mayDiscuss(access, q.LectureID)
}

// openPosts returns the posts of a list without those at lectures that are locked.
func openPosts(access study.Access, all iter.Seq2[Post, error]) iter.Seq2[Post, error] {
	if len(access.Locks) == 0 {
		return all
	}
	return func(yield func(Post, error) bool) {
		for post, err := range all {
			_, isLocked := access.Locks[post.LectureID]
			if (err != nil || !isLocked) && !yield(post, err) {
				return
			}
		}
	}
}

// postAccess returns what the actor may read of the course of a query; nothing if it has none.
func (s *Service) postAccess(
	ctx context.Context, actor core.Actor, q PostQuery,
) (study.Access, error) {
	if q.CourseID == "" {
		return study.Access{}, nil
	}
	return study.AccessOf(ctx, s.store, actor, q.CourseID, s.base.Now())
}

// postLists returns the groups that have the posts of a query, and the number of the posts. No
// groups and a total of 0 mean that the query selects no posts; no groups and another total mean
// those of its course, or those in none.
func (s *Service) postLists(ctx context.Context, actor core.Actor,
	q PostQuery, access study.Access) (groupIDs []string, total int, err error) {
	if !mayListPosts(access, actor, q) {
		return nil, 0, nil
	}
	switch {
	case q.Tab == MyGroupsPosts:
		list, err := s.store.MemberGroups(ctx, actor.UserID)
		if err != nil {
			return nil, 0, err
		}
		for _, g := range list {
			if q.GroupID == "" || q.GroupID == g.ID {
				groupIDs = append(groupIDs, g.ID)
				total += g.Posts
			}
		}
		return groupIDs, total, nil
	case q.GroupID != "":
		const viewerID = "" // whether the actor is a member does not matter
		g, err := s.store.Group(ctx, q.GroupID, viewerID)
		if errors.Is(err, core.ErrNoRecord) { // a group that does not exist has no posts
			return nil, 0, nil
		}
		if err != nil {
			return nil, 0, err
		}
		return []string{q.GroupID}, g.Posts, nil
	}
	total, err = s.store.PostTotal(ctx, q.CourseID, q.LectureID)
	return nil, total, err
}

// postsAt reads the posts at some positions, in their order. Posts that were deleted since are left
// out.
func (s *Service) postsAt(
	ctx context.Context, actor core.Actor, positions []core.Position,
) ([]Post, error) {
	ids := make([]string, len(positions))
	for i, position := range positions {
		ids[i] = position.ID
	}
	posts, err := s.store.PostsByID(ctx, ids, actor.UserID)
	if err != nil {
		return nil, fmt.Errorf("list the posts: %w", err)
	}
	return paging.SortedByIDs(posts, ids, func(post *Post) string { return post.ID }), nil
}
