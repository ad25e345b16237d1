package file_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// Used files count to the storage too, whichever way they come. What is deleted makes room.
func TestStorage_CountsUsedFiles(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, _ := roomtest.NewWithFiles(t, database, learning.WithMaxStorage(10))
		w.Person(t, roomtest.Teacher.UserID, core.Educator)
		w.ImportFile(t, "123456") // of 6 bytes
		if n := w.Count(t, "{files} WHERE uses = 1"); n != 1 {
			t.Fatalf("%d files are used", n)
		}
		f := w.Upload(t, "b.txt", "1234")
		wantFull := func(what string, err error) {
			t.Helper()
			if !errors.Is(err, file.ErrStorageFull) {
				t.Errorf("%s: %v", what, err)
			}
		}
		_, err := w.Platform.Files.UploadFile(ctx(), roomtest.Teacher, "c.txt",
			strings.NewReader("x"))
		wantFull("a file", err)
		_, err = w.Platform.Files.CreateUpload(ctx(), roomtest.Teacher,
			file.NewUpload{Name: "c.txt",
				Size: 1})
		wantFull("an upload", err)
		_, err = w.Platform.Files.Receive(ctx(), roomtest.Teacher, strings.NewReader("x"))
		wantFull("a package", err)
		_, err = w.Imported(roomtest.Teacher, roomtest.PackageOf(t, [2]string{"course.json", `{
			"format":"openlectern-course","version":1,"title":"Sea","chapters":[{"title":"One",
			"lectures":[{"title":"Book","kind":"file","file":"a.txt"}]}]}`},
			[2]string{"a.txt", "another"}))
		wantFull("the file of a package", err)
		w.WantRightTotals(t)

		roomtest.Must(t, w.Platform.Files.DeleteFile(ctx(), roomtest.Teacher, f.ID))
		u := w.Begin(t, "c.txt", 3)
		w.Send(t, u.ID, 0, "abc", 3)
		if left, err := w.Store.StoredBytes(ctx(), roomtest.Teacher.UserID); err != nil || left != 9 {
			t.Errorf("%d bytes are stored, %v", left, err)
		}
		w.Clock.Advance(file.UnusedFileTime + time.Hour)
		w.Tidy(t)
		w.WantRightTotals(t)
		w.Upload(t, "d.txt", "1234")
		w.WantInvariants(t)
		w.DeleteUser(t, roomtest.Teacher.UserID)
		w.WantRightTotals(t)
		if n := w.Count(t, "{file_totals} WHERE files <> 1 OR bytes <> 6"); n != 0 {
			t.Error("the total of a deleted user is not that of the files of courses")
		}
	})
}

// The total of a user who has no files any more has no row.
func TestStorage_OfADeletedUserLeavesNoRow(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, _ := roomtest.NewWithFiles(t, database)
		w.Person(t, roomtest.Teacher.UserID, core.Educator)
		w.Upload(t, "a.txt", "content")
		w.DeleteUser(t, roomtest.Teacher.UserID)
		if n := w.Count(t, "{file_totals}"); n != 0 {
			t.Errorf("%d totals are left", n)
		}
		w.WantRightTotals(t)
	})
}

// Files that arrive at the same time do not exceed the storage, and are all counted.
func TestStorage_FilesAtOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, _ := roomtest.NewWithFiles(t, database, learning.WithMaxStorage(40))
		w.Person(t, roomtest.Teacher.UserID, core.Educator)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				f, err := w.Platform.Files.UploadFile(ctx(), roomtest.Teacher, "a.txt",
					strings.NewReader(strings.Repeat(string(rune('a'+i)), 10)))
				if err != nil && !errors.Is(err, file.ErrStorageFull) {
					t.Error(err)
				}
				if i%2 == 0 && err == nil {
					roomtest.Must(t, w.Platform.Files.DeleteFile(ctx(), roomtest.Teacher, f.ID))
				}
			})
		}
		all.Wait()
		if n := w.Count(t, "{files}"); n > 4 {
			t.Errorf("%d files of 10 bytes are stored", n)
		}
		w.WantRightTotals(t)
	})
}

// Totals that an earlier version has not kept are corrected.
func TestStorage_Recount(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, _ := roomtest.NewWithFiles(t, database)
		w.Upload(t, "a.txt", "content")
		for _, spoil := range []string{"DELETE FROM file_totals",
			"UPDATE file_totals SET files = 7, bytes = 1",
			"INSERT INTO file_totals (owner_id, files, bytes) VALUES ('nobody', 2, 3)"} {
			w.Exec(t, spoil)
			corrected, err := w.Platform.System().RecountTotals(ctx())
			if err != nil || len(corrected) != 1 || corrected[0].Kind != file.TotalFiles {
				t.Errorf("%s: corrected %+v, %v", spoil, corrected, err)
			}
			w.WantRightTotals(t)
		}
	})
}

// What a user is sending counts to the storage of the user until it is closed, and not to that of
// others.
func TestReceive_CountsWhatIsOnTheWay(t *testing.T) {
	w, _ := roomtest.NewWithFiles(t, roomtest.SQLite(t), learning.WithMaxStorage(10))
	other := w.Person(t, "eve", core.Educator)
	receive := func(who learning.Actor, size int) (*file.Incoming, error) {
		c, err := w.Platform.Files.Receive(ctx(), who, bytes.NewReader(make([]byte, size)))
		roomtest.Must(t, err)
		_, err = io.Copy(io.Discard, c)
		return c, err
	}
	first, err := receive(roomtest.Teacher, 6)
	roomtest.Must(t, err)
	second, err := receive(roomtest.Teacher, 5)
	if !errors.Is(err, file.ErrStorageFull) {
		t.Errorf("5 bytes beside 6: %v", err)
	}
	if _, err := w.Platform.Files.UploadFile(ctx(), roomtest.Teacher, "a.txt",
		strings.NewReader("12345")); !errors.Is(err, file.ErrStorageFull) {
		t.Errorf("a file of 5 bytes beside 6: %v", err)
	}
	ofOther, err := receive(other, 10)
	roomtest.Must(t, err)
	for _, c := range []io.Closer{first, first, second, ofOther} { // closing twice does no harm
		roomtest.Must(t, c.Close())
	}
	last, err := receive(roomtest.Teacher, 10)
	roomtest.Must(t, err)
	roomtest.Must(t, last.Close())
	w.Upload(t, "a.txt", "1234567890")
}
