package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

var replyTests = []test{
	{"a reply is read as it was stored, also with the longest text", replyRoundTrip},
	{"a reply that does not exist, or belongs to another post, is ErrNoRecord", replyMissing},
	{"a reply has its author's name and picture, or none if deleted", replyAuthor},
	{"replies to a post are listed, the oldest first, by id on a tie", replyList},
	{"the counter of a reply changes by the given number", replyCount},
	{"one reply is deleted, and no other", replyDeleteOne},
	{"all replies to a post are deleted, and no others", replyDelete},
}

var voteTests = []test{
	{"a vote is inserted once and deleted once", voteOnce},
	{"a post and each reply show whether the caller has voted", voteSeen},
	{"all votes of a reply are deleted, and no others", voteDeleteOfReply},
	{"all votes of a post and its replies are deleted, and no others", voteDelete},
}

// reply returns a reply of "author" to a post.
func reply(id, postID string) community.Reply {
	return community.Reply{ID: id, PostID: postID, Content: " Reply\n" + id + " <i>&\x01 🎓 ",
		Author:     core.Person{ID: "author", Name: core.UnknownUser},
		AuthorRole: core.Student,
		CreatedAt:  noon, UpdatedAt: noon.Add(time.Second)}
}

// keptReply checks a stored reply, as a user sees it.
func (f *fixture) keptReply(viewerID string, want community.Reply) {
	f.t.Helper()
	got, err := f.Reply(f.t.Context(), want.PostID, want.ID, viewerID)
	equal(f.t, got, err, want)
}

func replyRoundTrip(t *testing.T, f *fixture) {
	largest := reply(long(10), long(10))
	largest.Content, largest.Author.ID = long(community.MaxReplyContent), long(47)+"abc"
	for _, r := range []community.Reply{reply("a", "p"),
		{ID: "empty", PostID: "p", Author: reply("", "").Author, AuthorRole: core.Student,
			CreatedAt: noon, UpdatedAt: noon},
		largest} {
		f.add(r)
		f.keptReply("", r)
	}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		got, err := tx.Reply(ctx, "p", "a", "")
		equal(t, got, err, reply("a", "p"))
		return nil
	})
}

func replyMissing(t *testing.T, f *fixture) {
	f.add(reply("a", "p"), reply("b", "q"))
	for _, id := range unknownIDs {
		got, err := f.Reply(t.Context(), "p", id, "")
		missing(t, got, err)
		got, err = f.Reply(t.Context(), id, "a", "")
		missing(t, got, err)
	}
}

func replyAuthor(t *testing.T, f *fixture) {
	r := reply("r", "p")
	r.Author.ID = "ada"
	f.add(r, user("ada"))
	r.Author = core.Person{ID: "ada", Name: "Name of ada",
		ImageURL: "https://img.example.com/ada"}
	f.keptReply("", r)
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.ScrubUser(ctx, "ada",
				noon)
		})
	r.Author = core.Person{ID: "ada", Name: core.DeletedUser}
	f.keptReply("", r)
	list, err := f.replies("p", "ada")
	equal(t, list, err, []community.Reply{r})
}

func replyList(t *testing.T, f *fixture) {
	list, err := f.replies("p", "")
	equal(t, list, err, nil)
	at := func(id string, at time.Time) community.Reply {
		r := reply(id, "p")
		r.CreatedAt = at
		f.add(r)
		return r
	}
	newest := at("0", noon.Add(time.Microsecond))
	b, a := at("b", noon), at("a", noon)
	oldest := at("z", noon.Add(-time.Microsecond))
	f.add(reply("other", "q"))
	list, err = f.replies("p", "")
	equal(t, list, err, []community.Reply{oldest, a, b, newest})
	for _, id := range []string{"", "P", "p ", "\xff"} {
		list, err = f.replies(id, "")
		equal(t, list, err, nil)
	}
}

func replyCount(t *testing.T, f *fixture) {
	f.add(reply("a", "p"), reply("b", "p"))
	for _, by := range []int{1, 1, -1, 1} {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.AddToReplyVotes(ctx, "a",
				by)
		})
	}
	a := reply("a", "p")
	a.Upvotes = 2
	f.keptReply("", a)
	f.keptReply("", reply("b", "p"))
}

func replyDelete(t *testing.T, f *fixture) {
	f.add(reply("a", "p"), reply("b", "p"), reply("c", "q"), reply("d", "P"))
	remove := func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteReplies(ctx, []string{"p"})
	}
	f.do(remove)
	f.do(remove) // again: no error
	list, err := f.replies("p", "")
	equal(t, list, err, nil)
	f.keptReply("", reply("c", "q"))
	f.keptReply("", reply("d", "P"))
}

func replyDeleteOne(t *testing.T, f *fixture) {
	f.add(reply("a", "p"), reply("b", "p"), reply("A", "p"))
	for _, id := range []string{"a", "a", "none"} {
		f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteReply(ctx, id) })
	}
	list, err := f.replies("p", "")
	equal(t, list, err, []community.Reply{reply("A", "p"), reply("b", "p")})
}

// vote returns a vote of a user for a reply to a post, or for the post if replyID is "".
func vote(postID, replyID, userID string) community.Vote {
	return community.Vote{PostID: postID, ReplyID: replyID, UserID: userID, CreatedAt: noon}
}

func voteOnce(t *testing.T, f *fixture) {
	for _, v := range []community.Vote{vote("p", "", "ada"), vote("p", "r", "ada"),
		vote(long(10), long(10), long(47)+"abc")} {
		f.add(v)
		f.fails(core.ErrDuplicate,
			func(ctx context.Context, tx learning.Tx) error { return tx.InsertVote(ctx, v) })
	}
	for _, v := range []community.Vote{vote("p", "", "ada"), vote("p", "r", "ada")} {
		remove := func(ctx context.Context,
			tx learning.Tx) (bool, error) {
			return tx.DeleteVote(ctx, v)
		}
		f.reports(true, remove)
		f.reports(false, remove)
		f.add(v)
	}
}

func voteSeen(t *testing.T, f *fixture) {
	f.add(post("p"), post("q"), reply("r", "p"), reply("s", "p"), vote("p", "", "ada"),
		vote("p", "s", "ada"), vote("q", "", "eve"), vote("p", "r", "Ada"))
	seen := func(userID string, p, q, r, s bool) {
		t.Helper()
		wantP := post("p")
		wantQ := post("q")
		wantR := reply("r", "p")
		wantS := reply("s", "p")
		wantP.Upvoted = p
		wantQ.Upvoted = q
		wantR.Upvoted = r
		wantS.Upvoted = s
		f.keptPost(userID, wantP)
		f.keptReply(userID, wantR)
		equal(t, f.posts(community.PostQuery{}, userID), nil, []community.Post{wantQ, wantP})
		list, err := f.replies("p", userID)
		equal(t, list, err, []community.Reply{wantR, wantS})
	}
	seen("ada", true, false, false, true)
	seen("eve", false, true, false, false)
	seen("Ada", false, false, true, false)
	seen("", false, false, false, false)
}

func voteDeleteOfReply(t *testing.T, f *fixture) {
	f.add(vote("p", "", "ada"), vote("p", "r", "ada"), vote("p", "r", "eve"), vote("p", "s", "ada"),
		vote("q", "r", "ada"))
	remove := func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteReplyVotes(ctx, "p",
			"r")
	}
	f.do(remove)
	f.do(remove) // again: no error
	for v, stays := range map[community.Vote]bool{
		vote("p", "", "ada"): true, vote("p", "r", "ada"): false, vote("p", "r", "eve"): false,
		vote("p", "s", "ada"): true, vote("q", "r", "ada"): true,
	} {
		f.reports(stays,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.DeleteVote(ctx,
					v)
			})
	}
}

func voteDelete(t *testing.T, f *fixture) {
	f.add(vote("p", "", "ada"), vote("p", "r", "ada"), vote("p", "r", "eve"), vote("q", "", "ada"),
		vote("P", "r", "ada"))
	remove := func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteVotes(ctx, []string{"p"})
	}
	f.do(remove)
	f.do(remove) // again: no error
	for _, v := range []community.Vote{vote("p", "", "ada"), vote("p", "r", "ada"),
		vote("p", "r", "eve")} {
		f.reports(false,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.DeleteVote(ctx,
					v)
			})
	}
	for _, v := range []community.Vote{vote("q", "", "ada"), vote("P", "r", "ada")} {
		f.reports(true,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.DeleteVote(ctx,
					v)
			})
	}
}

// replies lists the replies to a post, in pages.
func (f *fixture) replies(postID, viewerID string) ([]community.Reply, error) {
	f.t.Helper()
	return paged(f.t,
		func(ctx context.Context, page core.PageRequest) ([]community.Reply, error) {
			return f.Replies(ctx, postID, viewerID, page)
		}, func(r community.Reply) core.Position {
			return core.Position{At: r.CreatedAt,
				ID: r.ID}
		}), nil
}
