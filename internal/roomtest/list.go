package roomtest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// InsertPosts stores posts without votes, one a second, and returns their ids, the newest first.
func (w *World) InsertPosts(t *testing.T, n int) (ids []string) {
	t.Helper()
	Must(t, w.Store.InTx(ctx(), func(tx learning.Tx) error {
		ids = nil
		for i := range n {
			at := w.Clock.Now().Add(time.Duration(i) * time.Second)
			post := community.Post{
				ID: fmt.Sprintf("post-%03d", i), Title: "A post", Content: "A text",
				Tags: []string{}, Author: core.Person{ID: "ada"}, CreatedAt: at, UpdatedAt: at,
			}
			if err := tx.InsertPost(ctx(), post); err != nil {
				return err
			}
			ids = append(ids, post.ID)
		}
		return nil
	}))
	slices.Reverse(ids)
	return ids
}
