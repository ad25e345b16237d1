package community

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

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
	mayRead, err := s.mayListPosts(ctx, actor, q)
	if err != nil {
		return core.OrderedRows[Post]{}, err
	}
	switch {
	case !mayRead:
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
		return core.OrderedRows[Post]{All: paging.PagesOf(ctx, action, read, position)}, nil
	}

	// The other orders are read first, and then the posts by their ids. A paging.IDList takes little
	// memory for many ids.
	var ids paging.IDList
	if err := s.store.EachPostID(ctx, q, actor.UserID, ids.Add); err != nil {
		return core.OrderedRows[Post]{}, fmt.Errorf("read the order of the posts: %w", err)
	}
	read := func(ctx context.Context, ids []string) ([]Post, error) {
		return s.store.PostsByID(ctx, ids, actor.UserID)
	}
	return paging.InOrder(ctx, action, ids, read, func(post *Post) string { return post.ID }), nil
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
	groups, total, err := s.postLists(ctx, actor, q)
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
	return found, err
}

// mayListPosts reports whether the actor may read posts of a query.
func (s *Service) mayListPosts(ctx context.Context, actor core.Actor, q PostQuery) (bool, error) {
	if q.CourseID == "" {
		return actor.SignedIn() || q.Tab != MyGroupsPosts, nil
	}
	caller, _, err := study.CallerOf(ctx, s.store, actor, q.CourseID)
	return mayDiscuss(caller), err
}

// postLists returns the groups that have the posts of a query, and the number of the posts. No
// groups and a total of 0 mean that the query selects no posts; no groups and another total mean
// those of its course, or those in none.
func (s *Service) postLists(ctx context.Context, actor core.Actor,
	q PostQuery) (groupIDs []string, total int, err error) {
	mayRead, err := s.mayListPosts(ctx, actor, q)
	if err != nil || !mayRead {
		return nil, 0, err
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
