package file_test

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// waitingMedia is a media store that calls during while it stores a file.
type waitingMedia struct {
	roomtest.MemoryMedia
	during func()
}

func (m *waitingMedia) Put(ctx context.Context, name, contentType string, data []byte) error {
	m.during()
	return m.MemoryMedia.Put(ctx, name, contentType, data)
}

// listedFiles is a store that calls after when the list of unused files was read.
type listedFiles struct {
	learning.Store
	after func()
}

func (s *listedFiles) UnusedFiles(ctx context.Context, at time.Time, limit int) ([]string, error) {
	names, err := s.Store.UnusedFiles(ctx, at, limit)
	if len(names) > 0 {
		s.after()
	}
	return names, err
}

// A picture takes longer than its reservation to store. The course gets it after the list of unused
// files was read, and before the file in the list is deleted: it stays.
func TestTidy_KeepsAFileThatACourseUsesMeanwhile(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		slow := make(chan struct{})      // closed when the list was read
		isStoring := make(chan struct{}) // closed when the picture is being stored
		added := make(chan error, 1)     // the result of adding the course
		media := &waitingMedia{during: func() {
			close(isStoring)
			<-slow
		}}
		st := &listedFiles{after: func() {
			close(slow)
			if err := <-added; err != nil {
				t.Error(err)
			}
		}}
		w := roomtest.New(t, database, learningtest.WithPlatform(learning.WithMedia(media)),
			learningtest.WithStore(func(s learning.Store) learning.Store {
				st.Store = s
				return st
			}))
		go func() {
			_, err := w.Platform.Catalog.AddCourse(ctx(), roomtest.Teacher,
				roomtest.NewCourse("go"),
				learningtest.Thumbnail(t))
			added <- err
		}()
		<-isStoring
		w.Clock.Advance(2 * time.Hour)
		w.Tidy(t)
		media.WantInUse(t, w)
	})
}

// A file whose removal has begun, and may have taken effect, is given to no course.
func TestAddCourse_FileWhoseRemovalHasBegun(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		media := &waitingMedia{}
		w := roomtest.New(t, database, learningtest.WithPlatform(learning.WithMedia(media)))
		media.during = func() {
			names, err := w.Store.UnusedFiles(ctx(), w.Clock.Now().Add(day), 1)
			roomtest.Must(t, err)
			w.InsertTx(t, func(tx learning.Tx) error {
				_, err := tx.MarkFileRemoving(ctx(), names[0])
				return err
			})
		}
		if _, err := w.Platform.Catalog.AddCourse(ctx(), roomtest.Teacher, roomtest.NewCourse("go"),
			learningtest.Thumbnail(t)); err == nil {
			t.Error("the course was added")
		}
		if n := w.Count(t, "courses"); n != 0 || len(media.Files) != 0 {
			t.Errorf("%d courses, %d files", n, len(media.Files))
		}
	})
}
