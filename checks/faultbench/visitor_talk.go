//go:build linux

package faultbench

import (
	"context"
	"net/http"
)

// talk joins a group, posts, replies and votes. None of these is repeated, because each call would
// add another one, or take the vote back: if there is no answer, the outcome is unknown.
func (v *visitor) talk(ctx context.Context) {
	var groups struct {
		Groups []struct {
			ID string `json:"_id"`
		}
	}
	if v.call(ctx, "group.list", areaPlain, http.MethodGet, "/api/community/groups", nil,
		&groups) != http.StatusOK || len(groups.Groups) == 0 {
		return
	}
	// Join one of the groups, and post in it.
	group := groups.Groups[v.random.IntN(len(groups.Groups))].ID
	var joined struct{ IsMember bool }
	v.toggle(ctx, "group.membership", "/api/community/groups/"+group+"/membership", group+"|"+v.id,
		claimMembership, &joined, &joined.IsMember)
	v.post(ctx, group)

	var posts struct {
		Posts []struct {
			ID string `json:"_id"`
		}
	}
	v.call(ctx, "post.list", areaPlain, http.MethodGet, "/api/community/posts?page=1&limit=5", nil,
		&posts)
	// Vote for recent posts, and reply to one.
	for _, p := range posts.Posts {
		var vote struct{ IsUpvoted bool }
		v.toggle(ctx, "post.upvote", "/api/community/posts/"+p.ID+"/upvote", p.ID+"|"+v.id,
			claimVote, &vote, &vote.IsUpvoted)
	}
	if len(posts.Posts) > 0 {
		v.reply(ctx, posts.Posts[0].ID)
	}
}

// post writes a post in a group, and stores a claim if it was answered.
func (v *visitor) post(ctx context.Context, group string) {
	var answer struct {
		Post struct {
			ID string `json:"_id"`
		}
	}
	in := body{"title": "A question of " + v.id, "content": "How does it continue?",
		"groupId": group, "tags": []string{"question"}}
	if v.call(ctx, "post.create", areaPlain, http.MethodPost, "/api/community/posts", in,
		&answer) == http.StatusOK {
		v.claims.add(answer.Post.ID, answered, claimPost)
	}
}

// reply writes a reply to a post, and stores a claim if it was answered.
func (v *visitor) reply(ctx context.Context, post string) {
	var answer struct {
		Reply struct {
			ID string `json:"_id"`
		}
	}
	path := "/api/community/posts/" + post + "/replies"
	if v.call(ctx, "reply.create", areaPlain, http.MethodPost, path, body{"content": "Like this."},
		&answer) == http.StatusOK {
		v.claims.add(answer.Reply.ID, answered, claimReply)
	}
}

// toggle adds a vote or a membership of a user who has none, and stores what the answer claims:
// added points into answer, where the new state is. Without an answer the outcome is unknown.
func (v *visitor) toggle(ctx context.Context, route, path, key, kind string, answer any,
	added *bool) {
	switch status := v.call(ctx, route, areaPlain, http.MethodPost, path, nil, answer); {
	case status == http.StatusOK && *added:
		v.claims.add(key, answered, kind)
	case status == http.StatusOK:
		v.journal.problem("%s took away what %s had not", route, key)
	default:
		v.claims.add(key, unknown, kind)
	}
}
