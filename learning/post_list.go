package learning

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// DefaultPostPage is the number of posts of a page for which no number is given (docs/api.md §11).
const DefaultPostPage = 15

// Posts lists posts. The actor need not be signed in.
//
// The order of [TrendingPosts] changes with every vote, so that reading it in parts
// would skip or repeat posts, and that of [MyGroupsPosts] is of several lists. These orders
// are therefore read first, as ids, and the posts are read by their ids. The list has the
// order of one moment, and holds 17 bytes for each post that is still to be read.
func (p *Platform) Posts(ctx context.Context, actor Actor, q PostQuery) (*List[Post], error) {
	switch {
	case q.Tab == MyGroupsPosts && !actor.SignedIn():
		return emptyList[Post](), nil
	case q.Tab == TrendingPosts || q.Tab == MyGroupsPosts:
		return p.postsInOrder(ctx, actor, q)
	}
	read := func(ctx context.Context, page Page, fn func(Post) error) error {
		return p.store.EachPost(ctx, q.GroupID, actor.UserID, page, fn)
	}
	return pagedList("list the posts", read, func(post *Post) Position {
		return Position{At: post.CreatedAt, ID: post.ID}
	}), nil
}

// postsInOrder lists all posts of a query in an order that is read first.
func (p *Platform) postsInOrder(ctx context.Context, actor Actor, q PostQuery) (*List[Post], error) {
	var ids idList
	err := p.store.EachPostID(ctx, q, actor.UserID, func(id string) error {
		ids.add(id)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the order of the posts: %w", err)
	}
	ids.compact()
	read := func(ctx context.Context, ids []string) ([]Post, error) {
		return p.store.PostsByID(ctx, ids, actor.UserID)
	}
	return orderedList("list the posts", ids, read, func(post *Post) string { return post.ID }), nil
}

// PostPage is a page of a list of posts.
type PostPage struct {
	Posts []Post
	Next  Position // after which the next page begins; zero if there is none
	Total int      // the number of posts of all pages
}

// PostPage returns a page of the posts of a query: the rows after page.After, or without it the
// page with a number, from 1. The actor need not be signed in. A page reads its own rows and no
// others; one with a number also skips the index entries of the pages before it. Posts that are
// there throughout come once on the pages that [PostPage.Next] leads to, except for those of
// [TrendingPosts] whose upvotes change meanwhile. Error: [ErrInvalidRequest], also for a number
// with page.After.
func (p *Platform) PostPage(ctx context.Context, actor Actor, q PostQuery, page Page, number int) (PostPage, error) {
	limit := page.Limit
	if number < 1 || limit < 1 || limit > MaxPageRows || number > 1 && !page.After.IsZero() {
		return PostPage{}, ErrInvalidRequest
	}
	groups, total, err := p.postLists(ctx, actor, q)
	if err != nil {
		return PostPage{}, fmt.Errorf("count the posts: %w", err)
	}
	answer := PostPage{Total: total}
	if number-1 > math.MaxInt32/limit || (number-1)*limit >= total {
		return answer, nil
	}
	// One row more tells whether another page follows.
	page.Limit++
	positions, err := p.store.PostPositions(ctx, q.Tab, groups, (number-1)*limit, page)
	if err != nil {
		return PostPage{}, fmt.Errorf("list the posts: %w", err)
	}
	if len(positions) > limit {
		positions, answer.Next = positions[:limit], positions[limit-1]
	}
	answer.Posts, err = p.postsAt(ctx, actor, positions)
	return answer, err
}

// postLists returns the groups that have the posts of a query, and the number of the posts. No
// groups and some posts mean all posts.
func (p *Platform) postLists(ctx context.Context, actor Actor, q PostQuery) (groupIDs []string, total int, err error) {
	switch {
	case q.Tab == MyGroupsPosts && !actor.SignedIn():
		return nil, 0, nil
	case q.Tab == MyGroupsPosts:
		list, err := p.store.MemberGroups(ctx, actor.UserID)
		for _, g := range list {
			if q.GroupID == "" || q.GroupID == g.ID {
				groupIDs, total = append(groupIDs, g.ID), total+g.Posts
			}
		}
		return groupIDs, total, err
	case q.GroupID != "":
		g, err := p.store.Group(ctx, q.GroupID, "")
		if errors.Is(err, ErrNoRecord) {
			return nil, 0, nil
		}
		return []string{q.GroupID}, g.Posts, err
	}
	total, err = p.store.PostTotal(ctx)
	return nil, total, err
}

// postsAt reads the posts at some positions, in their order. Posts that were deleted since are left
// out.
func (p *Platform) postsAt(ctx context.Context, actor Actor, positions []Position) ([]Post, error) {
	ids, place := make([]string, len(positions)), map[string]int{}
	for i, position := range positions {
		ids[i], place[position.ID] = position.ID, i
	}
	posts, err := p.store.PostsByID(ctx, ids, actor.UserID)
	if err != nil {
		return nil, fmt.Errorf("list the posts: %w", err)
	}
	slices.SortFunc(posts, func(a, b Post) int { return place[a.ID] - place[b.ID] })
	return posts, nil
}
