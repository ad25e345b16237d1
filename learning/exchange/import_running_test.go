package exchange_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// stoppedFiles is a file store that stops in StoreFile until it is released or the context ends.
type stoppedFiles struct {
	roomtest.MemoryFiles
	begun    chan struct{}
	released chan struct{}
}

func (s *stoppedFiles) StoreFile(ctx context.Context, name string, content io.Reader) error {
	s.begun <- struct{}{}
	select {
	case <-s.released:
		return s.MemoryFiles.StoreFile(ctx, name, content)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A user has one import at a time on all instances, and a quiz counts as one. Others are not kept
// waiting. When it ends, and after a crash, the user can import again.
func TestImport_OneAtATime(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		files := &stoppedFiles{begun: make(chan struct{}), released: make(chan struct{})}
		w := roomtest.New(t, database, learningtest.WithPlatform(learning.WithFiles(files)))
		second := w.OtherInstance(t)
		course := w.Course(t, "course", 0)
		eve := w.Person(t, "eve", core.Educator)
		withFile := roomtest.PackageOf(t, [2]string{"course.json", `{"format":"openlectern-course",
			"version":1,"title":"Sea","chapters":[{"title":"One","lectures":[{"title":"Book",
			"kind":"file","file":"a.txt"}]}]}`}, [2]string{"a.txt", "content"})
		plain := roomtest.PackageOf(t, [2]string{"course.json",
			`{"format":"openlectern-course","version":1,
			"title":"Sea","chapters":[{"title":"One","lectures":[{"title":"Text","kind":"text",
			"text":"Text"}]}]}`})
		importing, leave := context.WithCancel(ctx())
		defer leave()
		imported := make(chan error)
		go func() {
			_, err := w.Platform.Exchange.ImportCourse(importing, roomtest.Teacher,
				bytes.NewReader(withFile),
				int64(len(withFile)))
			imported <- err
		}()
		<-files.begun
		for _, instance := range []*roomtest.World{w, second} {
			if _, err := instance.Imported(roomtest.Teacher, plain); !errors.Is(err,
				exchange.ErrImportRunning) {
				t.Errorf("a second package: %v", err)
			}
			if _, _, err := instance.Platform.Exchange.ImportQuiz(ctx(), roomtest.Teacher,
				exchange.QuizImport{
					CourseID: course, ChapterID: "chapter"}); !errors.Is(err,
				exchange.ErrImportRunning) {
				t.Errorf("a quiz beside a package: %v", err)
			}
		}
		if _, err := second.Imported(eve, plain); err != nil {
			t.Errorf("by another user: %v", err)
		}
		leave()
		if err := <-imported; !errors.Is(err, context.Canceled) {
			t.Errorf("an import whose caller has left: %v", err)
		}
		_, err := second.Imported(roomtest.Teacher, plain)
		roomtest.Must(t, err)

		// An instance that was killed has left its lease.
		w.Exec(t, `INSERT INTO leases (name, holder, expires_at) VALUES (?, 'killed', ?)`,
			"import:"+roomtest.Teacher.UserID,
			w.Clock.Now().Add(30*time.Second).UTC().Format("2006-01-02 15:04:05"))
		if _, err := w.Imported(roomtest.Teacher, plain); !errors.Is(err,
			exchange.ErrImportRunning) {
			t.Errorf("beside an instance that was killed: %v", err)
		}
		w.Clock.Advance(31 * time.Second)
		_, err = w.Imported(roomtest.Teacher, plain)
		roomtest.Must(t, err)
	})
}
