package learning

import (
	"context"
	"fmt"
	"math"
)

// The sizes of a page of posts (docs/api.md §11).
const (
	DefaultPostPage = 15
	MaxPostPage     = 100
)

// Posts lists posts. The actor need not be signed in.
//
// The order of [TrendingPosts] changes with every vote, so that reading it in parts
// would skip or repeat posts. The order is therefore read first, as ids, and the posts
// are read by their ids. The list has the order of one moment, and holds 17 bytes for
// each post that is still to be read.
func (p *Platform) Posts(ctx context.Context, actor Actor, q PostQuery) (*List[Post], error) {
	switch {
	case q.Tab == MyGroupsPosts && !actor.SignedIn():
		return emptyList[Post](), nil
	case q.Tab == TrendingPosts:
		return p.postsInOrder(ctx, actor, q, 0, 0)
	}
	read := func(ctx context.Context, page Page, fn func(Post) error) error {
		return p.store.EachPost(ctx, q, actor.UserID, page, fn)
	}
	return pagedList("list the posts", read, func(post *Post) Position { return Position{At: post.CreatedAt, ID: post.ID} }), nil
}

// PostPage lists one page of posts, and counts the posts of all pages. The number of
// the first page is 1. size must be from 1 to [MaxPostPage].
func (p *Platform) PostPage(ctx context.Context, actor Actor, q PostQuery, number, size int) (list *List[Post], total int, err error) {
	if number < 1 || size < 1 || size > MaxPostPage {
		return nil, 0, ErrInvalidRequest
	}
	if q.Tab == MyGroupsPosts && !actor.SignedIn() {
		return emptyList[Post](), 0, nil
	}
	if total, err = p.store.PostTotal(ctx, q, actor.UserID); err != nil {
		return nil, 0, fmt.Errorf("count the posts: %w", err)
	}
	if number-1 > math.MaxInt32/size || (number-1)*size >= total {
		return emptyList[Post](), total, nil
	}
	list, err = p.postsInOrder(ctx, actor, q, (number-1)*size, size)
	return list, total, err
}

// postsInOrder lists at most limit posts in the order of the query, or all if limit is
// 0. It skips the first skip posts.
func (p *Platform) postsInOrder(ctx context.Context, actor Actor, q PostQuery, skip, limit int) (*List[Post], error) {
	var ids idList
	err := p.store.EachPostID(ctx, q, actor.UserID, skip, limit, func(id string) error {
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
