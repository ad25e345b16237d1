package learning_test

import (
	"context"
	"sync"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/faultystore"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// A draft is submitted when another session has read it and not saved it yet. What is saved becomes
// the next draft. The record of the student has not arrived, and so the two are not one after the
// other on MySQL and MariaDB: there the lock of a missing row excludes nobody.
func TestSaveDraft_SubmittedMeanwhileWithoutALock(t *testing.T) {
	t.Parallel()
	w, files, course, ada := newEssayFixture(t, enginetest.MariaDB(t), learning.Assignment{})
	w.exec(t, "DELETE FROM users WHERE id = 'ada'")
	w.drafts(t, ada, course, "1")
	submit := sync.OnceFunc(func() { w.submitsWork(t, ada, course) })
	saver := w.otherInstance(t, learningtest.WithPlatform(learning.WithFiles(files)),
		learningtest.WithStore(func(s learning.Store) learning.Store {
			return faultystore.With(s, func(_ context.Context, step string) error {
				if step == "change a submission" {
					submit()
				}
				return nil
			})
		}))
	saver.drafts(t, ada, course, "2")
	work, err := w.Platform.AssignmentWork(ctx(), ada, course, theEssay)
	if err != nil || len(work.Submissions) != 1 || work.Submissions[0].Text != "1" ||
		work.Draft.Text != "2" {
		t.Errorf("the work is %+v (%v)", work, err)
	}
}
