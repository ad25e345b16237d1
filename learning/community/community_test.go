package community_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
)

// toggles are all toggles, called by one user. Each checks the counter in its answer, which
// counts that user only.
var toggles = map[string]func(p *learning.Platform, s roomtest.Subject,
	who learning.Actor) (on bool, err error){
	"post vote": func(p *learning.Platform, s roomtest.Subject, who learning.Actor) (bool, error) {
		post, err := p.Community.TogglePostVote(ctx(), who, s.PostID)
		return post.Upvoted, errors.Join(err, oneIf(post.Upvotes, post.Upvoted))
	},
	"reply vote": func(p *learning.Platform, s roomtest.Subject, who learning.Actor) (bool, error) {
		reply, err := p.Community.ToggleReplyVote(ctx(), who, s.PostID, s.ReplyID)
		return reply.Upvoted, errors.Join(err, oneIf(reply.Upvotes, reply.Upvoted))
	},
	"membership": func(p *learning.Platform, s roomtest.Subject, who learning.Actor) (bool, error) {
		return p.Community.ToggleMembership(ctx(), who, s.GroupID)
	},
	"resolution": func(p *learning.Platform, s roomtest.Subject, _ learning.Actor) (bool, error) {
		return p.Community.ToggleResolved(ctx(), s.Author, s.PostID)
	},
	"acceptance": func(p *learning.Platform, s roomtest.Subject, _ learning.Actor) (bool, error) {
		post, err := p.Community.ToggleAccepted(ctx(), s.Author, s.PostID, s.ReplyID)
		if err == nil && !post.Resolved {
			err = errors.New("it is not resolved")
		}
		return post.AcceptedReplyID == s.ReplyID, err
	},
}

func oneIf(n int, on bool) error {
	if (n == 1) != on || n > 1 {
		return fmt.Errorf("%d upvotes, and on is %v", n, on)
	}
	return nil
}

func TestCommunity_ConcurrentTogglesOfOneUser(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		two := [2]*roomtest.World{w, w.OtherInstance(t)}
		for name, toggle := range toggles {
			for _, n := range []int{20, 21} {
				who, s := roomtest.Student("somebody"), w.NewSubject(t, fmt.Sprint(name, n))
				var on [21]bool
				errs := roomtest.Concurrently(n, func(i int) (err error) {
					on[i], err = toggle(two[i%2].Platform, s, who)
					return err
				})
				if diff := cmp.Diff(map[string]int{"": n}, roomtest.CountErrors(errs)); diff != "" {
					t.Errorf("%s: %s", name, diff)
				}
				ons := 0
				for _, is := range on {
					ons += map[bool]int{true: 1}[is]
				}
				if ons != (n+1)/2 {
					t.Errorf("%s: %d of %d toggles switched on", name, ons, n)
				}
				if is, err := toggle(w.Platform, s, who); err != nil || is == (n%2 == 1) {
					t.Errorf("%s: after %d toggles one more switches to %v (%v)", name, n, is, err)
				}
			}
		}
		w.WantCounted(t)
	})
}

func TestToggleAccepted_ConcurrentCalls(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		s := w.NewSubject(t, "Gophers")
		var replies [20]community.Reply
		for i := range replies {
			replies[i] = w.NewReply(t, roomtest.Student("helper"), s.PostID)
		}
		errs := roomtest.Concurrently(len(replies), func(i int) error {
			post, err := w.Platform.Community.ToggleAccepted(ctx(), s.Author, s.PostID,
				replies[i].ID)
			if err == nil && (post.AcceptedReplyID != replies[i].ID || !post.Resolved) {
				err = errors.New("neither")
			}
			return err
		})
		if diff := cmp.Diff(map[string]int{"": len(replies)}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		thread, err := w.Platform.Community.Thread(ctx(), learning.Actor{}, s.PostID)
		if err != nil {
			t.Fatal(err)
		}
		post := thread.Post
		list, err := roomtest.RowsOf(thread.Replies, nil)
		if err != nil || !post.Resolved || list[0].ID != post.AcceptedReplyID || len(list) != 21 ||
			post.Replies != 21 {
			t.Errorf("the post is %+v with %d replies, first %+v (%v)", post, len(list), list[0],
				err)
		}
		if !slices.IsSortedFunc(list[1:],
			func(a, b community.Reply) int { return a.CreatedAt.Compare(b.CreatedAt) }) {
			t.Error("the others are not in order")
		}
	})
}

func TestCreateGroup_ConcurrentCallsWithOneName(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		// equal by their key, or only by their slug
		names := [4]string{"Go & Friends", "go & friends", "GO, FRIENDS", "Gö-Friends"}
		errs := roomtest.Concurrently(20, func(i int) error {
			_, err := w.Platform.Community.CreateGroup(ctx(), roomtest.Student(fmt.Sprint(i)),
				community.NewGroup{Name: names[i%len(names)]})
			return err
		})
		want := map[string]int{"": 1, community.ErrGroupExists.Error(): 19}
		if diff := cmp.Diff(want, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if groups, members := w.Count(t, "community_groups"),
			w.Count(t, "memberships"); groups != 1 || members != 1 {
			t.Errorf("%d groups with %d members", groups, members)
		}
	})
}

// expected are the errors that are allowed while another user deletes the post.
var expected = []error{nil, community.ErrPostNotFound, community.ErrReplyNotFound}

// communityAction performs a random action of a random user.
func communityAction(p *learning.Platform, subjects []roomtest.Subject, r *rand.Rand) error {
	s, who := subjects[r.IntN(len(subjects))], roomtest.Student(fmt.Sprint("person-", r.IntN(50)))
	var err error
	switch r.IntN(11) {
	case 0, 1:
		_, err = p.Community.TogglePostVote(ctx(), who, s.PostID)
	case 2, 3:
		_, err = p.Community.ToggleReplyVote(ctx(), who, s.PostID, s.ReplyID)
	case 4, 5:
		_, err = p.Community.ToggleMembership(ctx(), who, s.GroupID)
	case 6:
		_, err = p.Community.ToggleAccepted(ctx(), s.Author, s.PostID, s.ReplyID)
	case 7:
		_, err = p.Community.CreateReply(ctx(), who, s.PostID, "Me too.")
	case 8:
		return post(p, s, who)
	case 9:
		return replyBriefly(p, s, who)
	case 10:
		err = p.Community.Complain(ctx(), who, s.PostID, s.ReplyID, "Rude")
	}
	if !slices.Contains(expected, err) {
		return err
	}
	return nil
}

// post writes a post, votes for it and deletes it concurrently.
func post(p *learning.Platform, s roomtest.Subject, who learning.Actor) error {
	made, err := p.Community.CreatePost(ctx(), who,
		community.NewPost{Title: "Short", Content: "Lived.", GroupID: s.GroupID})
	if err != nil {
		return err
	}
	errs := roomtest.Concurrently(3, func(i int) (err error) {
		switch i {
		case 0:
			err = p.Community.DeletePost(ctx(), who, made.ID)
		case 1:
			_, err = p.Community.TogglePostVote(ctx(), s.Author, made.ID)
		case 2:
			_, err = p.Community.CreateReply(ctx(), s.Author, made.ID, "Wait!")
		}
		if slices.Contains(expected[1:], err) && i > 0 {
			return nil
		}
		return err
	})
	return errors.Join(errs...)
}

// replyBriefly writes a reply, and votes for it, reports it and deletes it concurrently.
func replyBriefly(p *learning.Platform, s roomtest.Subject, who learning.Actor) error {
	made, err := p.Community.CreateReply(ctx(), who, s.PostID, "Short.")
	if err != nil {
		return err
	}
	errs := roomtest.Concurrently(4, func(i int) (err error) {
		switch i {
		case 0:
			return p.Community.DeleteReply(ctx(), who, s.PostID, made.ID)
		case 1:
			_, err = p.Community.ToggleReplyVote(ctx(), who, s.PostID, made.ID)
		case 2:
			_, err = p.Community.ToggleAccepted(ctx(), s.Author, s.PostID, made.ID)
		case 3:
			err = p.Community.Complain(ctx(), who, s.PostID, made.ID, "Rude")
		}
		if slices.Contains(expected, err) {
			return nil
		}
		return err
	})
	return errors.Join(errs...)
}

// Fifty users on two platforms. The same test in cmd/refserver uses two processes.
func TestCommunity_CountersUnderConcurrency(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		two := [2]*roomtest.World{w, w.OtherInstance(t)}
		subjects := []roomtest.Subject{w.NewSubject(t, "Gophers"), w.NewSubject(t, "Crabs"),
			w.NewSubject(t, "Snakes")}
		subjects = append(subjects, subjects[0]) // one is busier than the others
		errs := roomtest.Concurrently(50, func(i int) error {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range 30 {
				if err := communityAction(two[i%2].Platform, subjects, r); err != nil {
					return err
				}
			}
			return nil
		})
		if diff := cmp.Diff(map[string]int{"": 50}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.WantCounted(t)
		if n := w.Count(t, "posts"); n != 3 {
			t.Errorf("%d posts, want 3", n)
		}
	})
}
