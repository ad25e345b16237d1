package contracttest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// fixtureGroups holds group_go, which most cases use and which is official.
var fixtureGroups = []community.Group{
	{ID: "group_quiet", Name: "Größe", Slug: "grosse", Icon: "💬", CreatedAt: day(18)},
	{ID: "group_go", Name: "Go & Friends", Slug: "go-friends", Description: "All about <Go>.",
		Icon: "🐹", Official: true, CreatedAt: day(19)},
	{ID: "group_crowd", Name: "Crowd", Slug: "crowd", Icon: "👩🏽‍🚀", CreatedAt: day(19)},
	{ID: "group_party", Name: "🎉", Slug: "a3bcdefghijk4mnopqrstuvwxy", Icon: "🎉",
		CreatedAt: day(20)},
}

var fixtureMembers = map[string][]string{
	"group_go": {"student", "educator"}, "group_crowd": {"educator", "other_student", "admin"},
	"group_quiet": {"other_student"}, "group_party": {"gone"},
}

// fixturePosts holds post_question, which most cases use and which has an accepted reply, and
// post_new by the same author, which is not resolved.
var fixturePosts = []community.Post{
	{ID: "post_question", Author: by("student"), Group: community.Group{ID: "group_go"},
		Title:   "Why <b>not</b> & how?",
		Content: "**See** <script>alert(1)</script>\n“quoted” 😀", Tags: []string{"Go", "a & b"},
		CreatedAt: day(20)},
	{ID: "post_gone", Author: by("gone"), Group: community.Group{ID: "group_go"},
		Title: "Left behind", Content: "I was here.", CreatedAt: day(21)},
	{ID: "post_open", Author: by("other_student"), Title: "In no group", Content: "Alone.",
		CreatedAt: day(22)},
	{ID: "post_early", Author: by("newcomer"), Group: community.Group{ID: "group_crowd"},
		Title: "Ahead of my record", Content: "Hello.", CreatedAt: day(23)},
	{ID: "post_new", Author: by("student"), Group: community.Group{ID: "group_quiet"},
		Title: "Not resolved", Content: "Help?", CreatedAt: day(24)},
	{ID: "post_course", Author: by("student"), CourseID: "course_odd", LectureID: "lecture_1",
		EducatorID: "educator", Title: "At a lecture", Content: "Why?", CreatedAt: day(25)},
}

var fixtureReplies = []community.Reply{
	{ID: "reply_first", PostID: "post_question", Author: by("educator"),
		Content: "Because <i>it</i> is.", CreatedAt: day(21)},
	{ID: "reply_second", PostID: "post_question", Author: by("other_student"),
		Content: "No, because it was.", CreatedAt: day(22)},
	{ID: "reply_gone", PostID: "post_question", Author: by("gone"), Content: "Never mind.",
		CreatedAt: day(23)},
	{ID: "reply_early", PostID: "post_gone", Author: by("early_educator"),
		Content: "Where are you?", CreatedAt: day(22)},
	{ID: "reply_course", PostID: "post_course", Author: by("admin"), AuthorRole: core.Admin,
		Content: "Look at it again.", CreatedAt: day(26)},
	{ID: "reply_help", PostID: "post_new", Author: by("educator"), Content: "Of course.",
		CreatedAt: day(25)},
}

var fixtureVotes = map[community.Vote][]string{
	{PostID: "post_question"}:                          {"other_student", "educator"},
	{PostID: "post_gone"}:                              {"student", "admin", "other_educator"},
	{PostID: "post_early"}:                             {"student", "admin"},
	{PostID: "post_question", ReplyID: "reply_first"}:  {"student"},
	{PostID: "post_question", ReplyID: "reply_second"}: {"educator", "admin"},
}

// fixtureComplaints holds a complaint of each status, and one about a reply. One has its author,
// and the others are of before the author was stored.
var fixtureComplaints = []community.Complaint{
	{ID: "complaint_open", PostID: "post_open", ReporterID: "educator",
		Reason: "This is <b>advertising</b>.", Excerpt: "In no group\nAlone.",
		Status: community.ComplaintOpen, CreatedAt: day(24)},
	{ID: "complaint_reply", PostID: "post_question", ReplyID: "reply_gone",
		ReporterID: "other_student", Reason: "Rude", Excerpt: "Never mind.",
		Status: community.ComplaintOpen, CreatedAt: day(25)},
	{ID: "complaint_dismissed", PostID: "post_new", ReporterID: "other_student",
		Reason: "I do not like it.", Excerpt: "Not resolved\nHelp?",
		Status: community.ComplaintDismissed, CreatedAt: day(26)},
	{ID: "complaint_removed", PostID: "post_removed", CourseID: "course_odd", AuthorID: "gone",
		ReporterID: "student", Reason: "A threat", Excerpt: "You will see\n…",
		Status: community.ComplaintRemoved, CreatedAt: day(26)},
}

func insertComplaints(ctx context.Context, tx learning.Tx) error {
	for _, c := range fixtureComplaints {
		if err := tx.InsertComplaint(ctx, c); err != nil {
			return err
		}
		if c.Status == community.ComplaintOpen {
			continue
		}
		if _, err := tx.DecideComplaint(ctx, c.ID, community.ComplaintOpen,
			community.ComplaintDecision{Status: c.Status, By: "admin", At: day(27)}); err != nil {
			return err
		}
	}
	return nil
}

// by returns the author with an id.
func by(userID string) core.Person { return core.Person{ID: userID} }

// insertCommunity stores groups, posts, replies and votes, and sets their counters.
func insertCommunity(ctx context.Context, tx learning.Tx) error {
	for _, insert := range []func(context.Context, learning.Tx) error{insertGroups, insertPosts,
		insertVotes, insertComplaints} {
		if err := insert(ctx, tx); err != nil {
			return err
		}
	}
	question := community.Post{ID: "post_question", AcceptedReplyID: "reply_second", Resolved: true,
		UpdatedAt: day(25)}
	return tx.UpdatePost(ctx, question)
}

// insertGroups stores the groups of the fixture with their members.
func insertGroups(ctx context.Context, tx learning.Tx) error {
	for _, g := range fixtureGroups {
		g.Members, g.UpdatedAt = len(fixtureMembers[g.ID]), g.CreatedAt
		// as the platform computes it for these names
		key := sha256.Sum256([]byte(strings.ToUpper(g.Name)))
		if err := tx.InsertGroup(ctx, g, hex.EncodeToString(key[:])); err != nil {
			return err
		}
		for _, member := range fixtureMembers[g.ID] {
			if err := tx.InsertMembership(ctx,
				community.Membership{GroupID: g.ID, UserID: member, CreatedAt: g.CreatedAt}); err !=
				nil {
				return err
			}
		}
	}
	return nil
}

// insertPosts stores the posts and replies of the fixture, and counts them.
func insertPosts(ctx context.Context, tx learning.Tx) error {
	for _, p := range fixturePosts {
		p.UpdatedAt = p.CreatedAt
		if err := tx.InsertPost(ctx, p); err != nil {
			return err
		}
		if p.Group.ID == "" {
			continue
		}
		if _, err := tx.AddToPostCount(ctx, p.Group.ID, 1); err != nil {
			return err
		}
	}
	for _, r := range fixtureReplies {
		r.UpdatedAt = r.CreatedAt
		if err := tx.InsertReply(ctx, r); err != nil {
			return err
		}
		if _, err := tx.AddToReplyCount(ctx, r.PostID, 1); err != nil {
			return err
		}
		if r.PostID != "post_course" {
			continue
		}
		if err := tx.AddToStaffReplies(ctx, r.PostID, 1); err != nil {
			return err
		}
	}
	return nil
}

// insertVotes stores the votes of the fixture, and counts them. A vote without a reply is for its
// post.
func insertVotes(ctx context.Context, tx learning.Tx) error {
	for v, voters := range fixtureVotes {
		for _, v.UserID = range voters {
			v.CreatedAt = day(24)
			if err := tx.InsertVote(ctx, v); err != nil {
				return err
			}
		}
		count := func() error { return tx.AddToPostVotes(ctx, v.PostID, len(voters)) }
		if v.ReplyID != "" {
			count = func() error { return tx.AddToReplyVotes(ctx, v.ReplyID, len(voters)) }
		}
		if err := count(); err != nil {
			return err
		}
	}
	return nil
}
