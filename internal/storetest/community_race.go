package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
)

// raceLock runs transactions that lock a row, read a counter and change it. No two of them
// may read the same value.
func raceLock(t *testing.T, f *fixture) {
	f.add(post("p"), group("g"))
	var posts, groups [30]atomic.Int64
	wins := f.race(30, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		if err := tx.LockPost(ctx, "p"); err != nil {
			return false, err
		}
		p, err := tx.Post(ctx, "p", "")
		tx.AfterCommit(func() { posts[p.Upvotes].Add(1) })
		return true, errors.Join(err, tx.AddToPostVotes(ctx, "p", 1))
	})
	wins += f.race(30, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		if err := tx.LockGroup(ctx, "g"); err != nil {
			return false, err
		}
		g, err := tx.Group(ctx, "g", "")
		tx.AfterCommit(func() { groups[g.Members-group("g").Members].Add(1) })
		return true, errors.Join(err, tx.AddToMemberCount(ctx, "g", 1))
	})
	f.add(user("u"))
	var users [30]atomic.Int64
	f.race(30, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		if _, err := tx.LockUser(ctx, "u"); err != nil {
			return false, err
		}
		s, err := tx.AccountState(ctx, "u")
		decision := core.RoleAssignment{Role: core.Student,
			At: s.RoleAssignment.At.Add(time.Microsecond)}
		if s.RoleAssignment.At.IsZero() {
			decision.At = noon
			err = errors.Join(err, tx.InsertRole(ctx, "u", decision))
		} else {
			_, updateErr := tx.UpdateRole(ctx, "u", decision)
			err = errors.Join(err, updateErr)
		}
		tx.AfterCommit(func() { users[decision.At.Sub(noon).Microseconds()].Add(1) })
		return true, err
	})
	for i := range users {
		if n := users[i].Load(); n != 1 {
			t.Errorf("%d transactions that locked the user have read the same role", n)
		}
	}
	for i := range posts {
		if p, g := posts[i].Load(), groups[i].Load(); p != 1 || g != 1 || wins != 60 {
			t.Errorf(
				"%d transactions read %d upvotes, and %d read as many additional members; %d "+
					"succeeded", p, i, g, wins)
		}
	}
}

// raceDeleted deletes a post while other transactions add replies to it. No reply may remain.
func raceDeleted(t *testing.T, f *fixture) {
	f.add(post("p"))
	wins := f.race(20, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		if i > 0 {
			found, err := tx.AddToReplyCount(ctx, "p", 1)
			if err != nil || !found {
				return false, err
			}
			return true, tx.InsertReply(ctx, reply(fmt.Sprint(i), "p"))
		}
		return true, errors.Join(tx.LockPost(ctx, "p"), tx.DeleteReplies(ctx, []string{"p"}),
			tx.DeletePosts(ctx, []string{"p"}))
	})
	list, err := f.replies("p", "")
	equal(t, list, err, nil)
	t.Logf("%d replies were stored before the post was deleted", wins-1)
}
