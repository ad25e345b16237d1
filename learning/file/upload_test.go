package file_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// partSize is the size of the stored parts of an upload.
const partSize = 8_000_000

// Whatever the pieces are, the file is that of an upload in one piece, and nothing else is left.
func TestAppendUpload_AnyPieces(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		long := strings.Repeat("0123456789abcdef", 20_000_000/16)
		for name, pieces := range map[string][]string{
			"one piece":        {"1234567890"},
			"small pieces":     {"1", "234", "567890"},
			"with empty ones":  {"", "12345", "", "67890", ""},
			"one of its parts": {long[:partSize]},
			"many parts":       {long},
			"parts of pieces":  {long[:5], long[5 : partSize-1], long[partSize-1 : 17e6], long[17e6:]},
		} {
			w, files := roomtest.NewWithFiles(t, database)
			whole := strings.Join(pieces, "")
			want := w.Upload(t, "a.txt", whole)
			roomtest.Must(t, w.Platform.Files.DeleteFile(ctx(), roomtest.Teacher, want.ID))
			u := w.Begin(t, "../a.txt", len(whole))
			offset := 0
			for _, piece := range pieces {
				w.Send(t, u.ID, offset, piece, offset+len(piece))
				offset += len(piece)
			}
			got := w.WantUpload(t, u.ID, len(whole))
			want.ID, want.StoredName = got.ID, got.StoredName
			want.CreatedAt, want.UnusedSince = got.CreatedAt, got.UnusedSince
			if got != want {
				t.Errorf("%s: got %+v, want %+v", name, got, want)
			}
			w.Send(t, u.ID, offset, "", offset) // after the end
			w.Tidy(t)
			roomtest.WantFiles(t, w, files, whole)
			roomtest.Must(t, w.Platform.Files.DeleteFile(ctx(), roomtest.Teacher, got.ID))
			if _, f, err := w.Platform.Files.Upload(ctx(), roomtest.Teacher, u.ID); err != nil ||
				f.ID != "" {
				t.Errorf("%s: after the deletion of the file: %+v, %v", name, f, err)
			}
			w.Clock.Advance(file.UploadTime)
			w.Tidy(t)
		}
	})
}

// What is written is proportional to what arrives, whatever the sizes of the pieces are, and there
// are few parts at any time. The last time that a byte is written is into the file.
func TestAppendUpload_WritesInProportionToWhatArrives(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		for name, test := range map[string]struct {
			pieces, size, times int
		}{
			"of one byte": {300, 1, 4}, "of 40 KB": {100, 40_000, 4}, "of 300 KB": {60, 300_000, 3},
			"of 1 MB": {12, 1_000_000, 3}, "of 5 MB": {3, 5_000_000, 2},
		} {
			w, files := roomtest.NewWithFiles(t, database)
			content := strings.Repeat("0123456789", test.pieces*test.size/10+1)[:test.pieces*test.size]
			u := w.Begin(t, "a.txt", len(content))
			for offset := 0; offset < len(content); offset += test.size {
				end := offset + test.size
				w.Send(t, u.ID, offset, content[offset:end], end)
			}
			w.Tidy(t)
			roomtest.WantFiles(t, w, files, content)
			if most := test.times * len(content); files.Written > most {
				t.Errorf("%d pieces %s: %d bytes are written, want at most %d", test.pieces, name,
					files.Written, most)
			}
			if files.Most > 100 {
				t.Errorf("%d pieces %s: %d parts at once", test.pieces, name, files.Most)
			}
		}
	})
}

// Pieces of any sizes in any order are written a bounded number of times.
func TestAppendUpload_WritesAnyPiecesFewTimes(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	times := 20
	if enginetest.Samples(t) {
		times = 5
	}
	for range times {
		w, files := roomtest.NewWithFiles(t, roomtest.SQLite(t))
		var pieces []int
		size := 0
		for range 60 {
			pieces = append(pieces, 1<<chance.IntN(19)+chance.IntN(100))
			size += pieces[len(pieces)-1]
		}
		content := strings.Repeat("0123456789", size/10+1)[:size]
		u := w.Begin(t, "a.txt", size)
		offset := 0
		for _, n := range pieces {
			w.Send(t, u.ID, offset, content[offset:offset+n], offset+n)
			offset += n
		}
		w.Tidy(t)
		roomtest.WantFiles(t, w, files, content)
		if most := 4 * size; files.Written > most {
			t.Errorf("%v: %d bytes are written, want at most %d", pieces, files.Written, most)
		}
	}
}

// A failure to join small parts does not lose what has arrived.
func TestAppendUpload_FailureToJoinKeepsTheParts(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		u := w.Begin(t, "a.txt", 100)
		for i := range 99 {
			files.Unreadable = i >= 30 && i < 70
			w.Send(t, u.ID, i, "x", i+1)
		}
		w.Send(t, u.ID, 99, "x", 100)
		w.Tidy(t)
		roomtest.WantFiles(t, w, files, strings.Repeat("x", 100))
	})
}

// A client may give up an upload (the extension termination of tus).
func TestDeleteUpload_RemovesThePartsAndKeepsTheFile(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		u, other := w.Begin(t, "a.txt", 7), w.Begin(t, "b.txt", 7)
		w.Send(t, u.ID, 0, "con", 3)
		w.Send(t, other.ID, 0, "content", 7)
		eve := w.Person(t, "eve", core.Educator)
		if err := w.Platform.Files.DeleteUpload(ctx(), eve, u.ID); !errors.Is(err,
			file.ErrUploadNotFound) {
			t.Errorf("by another: %v", err)
		}
		for _, id := range []string{u.ID, other.ID} {
			roomtest.Must(t, w.Platform.Files.DeleteUpload(ctx(), roomtest.Teacher, id))
			if _, err := w.Platform.Files.AppendUpload(ctx(), roomtest.Teacher, id, 3,
				strings.NewReader("tent")); !errors.Is(err, file.ErrUploadNotFound) {
				t.Errorf("after the deletion: %v", err)
			}
			if err := w.Platform.Files.DeleteUpload(ctx(), roomtest.Teacher, id); !errors.Is(err,
				file.ErrUploadNotFound) {
				t.Errorf("deleted again: %v", err)
			}
		}
		w.Upload(t, "c.txt", strings.Repeat("x", 10))
		roomtest.WantFiles(t, w, files, "content", strings.Repeat("x", 10))
	})
}

// What a client may not do changes nothing.
func TestAppendUpload_Refusals(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database, learning.WithMaxFile(10))
		for _, n := range []struct {
			size int64
			want error
		}{
			{-1, core.ErrInvalidRequest},
			{0, file.ErrFileRefused},
			{11, file.ErrFileTooLarge},
			{1 << 62, file.ErrFileTooLarge},
		} {
			_, err := w.Platform.Files.CreateUpload(ctx(), roomtest.Teacher,
				file.NewUpload{Size: n.size})
			if !errors.Is(err, n.want) {
				t.Errorf("%d bytes: %v, want %v", n.size, err, n.want)
			}
		}
		for _, metadata := range []string{"a\x00", "\xff", strings.Repeat("a", 2001)} {
			_, err := w.Platform.Files.CreateUpload(ctx(), roomtest.Teacher,
				file.NewUpload{Size: 1, Metadata: metadata})
			if !errors.Is(err, core.ErrInvalidRequest) {
				t.Errorf("the metadata %.9q: %v", metadata, err)
			}
		}
		u := w.Begin(t, "a.txt", 10)
		w.Send(t, u.ID, 0, "12345", 5)
		eve := w.Person(t, "eve", core.Educator)
		for _, a := range []struct {
			actor   learning.Actor
			id      string
			offset  int64
			content string
			want    error
		}{
			{roomtest.Teacher, u.ID, 0, "12345", file.ErrUploadOffset},
			{roomtest.Teacher, u.ID, 6, "7890", file.ErrUploadOffset},
			{roomtest.Teacher, u.ID, 1 << 62, "7890", file.ErrUploadOffset},
			{roomtest.Teacher, u.ID, 5, "678901", file.ErrFileTooLarge},
			{eve, u.ID, 5, "67890", file.ErrUploadNotFound},
			{roomtest.Teacher, "none", 0, "67890", file.ErrUploadNotFound},
		} {
			_, err := w.Platform.Files.AppendUpload(ctx(), a.actor, a.id, a.offset,
				strings.NewReader(a.content))
			if !errors.Is(err, a.want) {
				t.Errorf("%q at %d: %v, want %v", a.content, a.offset, err, a.want)
			}
		}
		if _, _, err := w.Platform.Files.Upload(ctx(), eve, u.ID); !errors.Is(err,
			file.ErrUploadNotFound) {
			t.Errorf("read by another: %v", err)
		}
		w.Send(t, u.ID, 5, "67890", 10)
		for offset, want := range map[int64]error{5: file.ErrUploadOffset,
			10: file.ErrFileTooLarge} {
			_, err := w.Platform.Files.AppendUpload(ctx(), roomtest.Teacher, u.ID, offset,
				strings.NewReader("67890"))
			if !errors.Is(err, want) {
				t.Errorf("complete, at %d: %v, want %v", offset, err, want)
			}
		}
		w.Tidy(t)
		roomtest.WantFiles(t, w, files, "1234567890")
	})
}

// A type that may not be uploaded is known at the end: nothing stays, in one part or in many.
func TestAppendUpload_RefusedTypeLeavesNothing(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		for _, content := range []string{"<html>", "<html>" + strings.Repeat(" ", 17e6)} {
			u := w.Begin(t, "a.txt", len(content))
			_, err := w.Platform.Files.AppendUpload(ctx(), roomtest.Teacher, u.ID, 0,
				strings.NewReader(content))
			if !errors.Is(err, file.ErrFileRefused) {
				t.Errorf("%d bytes: %v", len(content), err)
			}
		}
		if n := w.Count(t, "{uploads}") + w.Count(t, "{files}"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
		w.Tidy(t)
		roomtest.WantFiles(t, w, files)
	})
}

// A connection that breaks, at any byte, keeps what has arrived, and the upload continues there.
func TestAppendUpload_KeepsWhatHasArrived(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		content := strings.Repeat("0123456789", 2e6)
		u := w.Begin(t, "a.txt", len(content))
		broken := errors.New("the client has left")
		offset := 0
		for _, end := range []int{0, 3, partSize, partSize, partSize + 9, len(content)} {
			leaving, leave := context.WithCancel(ctx())
			got, err := w.Platform.Files.AppendUpload(leaving, roomtest.Teacher, u.ID,
				int64(offset),
				io.MultiReader(strings.NewReader(content[offset:end]),
					readerFunc(func([]byte) (int, error) { leave(); return 0, broken })))
			if !errors.Is(err, broken) && end < len(content) || got.Received != int64(end) {
				t.Errorf("until %d: %d bytes are stored, %v", end, got.Received, err)
			}
			offset = end
			w.WantUpload(t, u.ID, end)
		}
		w.Tidy(t)
		roomtest.WantFiles(t, w, files, content)
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// Of concurrent requests one stores the bytes, and the others fail. The file is right, and of the
// contents that were stored in vain nothing is left.
func TestAppendUpload_AtOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		content := strings.Repeat("0123456789", 17e5)
		u := w.Begin(t, "a.txt", len(content))
		for _, piece := range [][2]int{{0, 5}, {5, partSize + 5}, {partSize + 5, len(content)}} {
			var all sync.WaitGroup
			var stored, refused = make(chan bool, 4), make(chan error, 4)
			for range 4 {
				all.Go(func() {
					_, err := w.Platform.Files.AppendUpload(ctx(), roomtest.Teacher, u.ID,
						int64(piece[0]),
						iotest.HalfReader(strings.NewReader(content[piece[0]:piece[1]])))
					if err == nil {
						stored <- true
						return
					}
					refused <- err
				})
			}
			all.Wait()
			close(refused)
			for err := range refused {
				if !errors.Is(err, file.ErrUploadOffset) &&
					!errors.Is(err, file.ErrUploadBusy) {
					t.Errorf("at %d: %v", piece[0], err)
				}
			}
			if len(stored) != 1 {
				t.Errorf("at %d: %d requests have stored it", piece[0], len(stored))
			}
			w.WantUpload(t, u.ID, piece[1])
		}
		w.Clock.Advance(file.UploadTime) // of reservations
		w.Tidy(t)
		roomtest.WantFiles(t, w, files, content)
	})
}

// The content of an owner is stored once, whichever way it comes.
func TestAppendUpload_SameContent(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		f := w.Upload(t, "a.txt", "content")
		u := w.Begin(t, "b.txt", 7)
		w.Send(t, u.ID, 0, "content", 7)
		if got := w.WantUpload(t, u.ID, 7); got.ID != f.ID || got.Name != "a.txt" {
			t.Errorf("got %+v, want %+v", got, f)
		}
		roomtest.WantFiles(t, w, files, "content")
	})
}

// Unfinished uploads count as unused files, also those that begin at the same time. One that
// becomes a file counts once.
func TestCreateUpload_CountsToTheStorage(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		const third = file.MaxUnusedFiles/3 + 1
		w, _ := roomtest.NewWithFiles(t, database, learning.WithMaxFile(third))
		w.Person(t, roomtest.Teacher.UserID, core.Educator) // the lock is on the record
		var all sync.WaitGroup
		var begun, full = make(chan string, 4), make(chan error, 4)
		for range 4 {
			all.Go(func() {
				u, err := w.Platform.Files.CreateUpload(ctx(), roomtest.Teacher,
					file.NewUpload{Size: third})
				if err != nil {
					full <- err
					return
				}
				begun <- u.ID
			})
		}
		all.Wait()
		close(full)
		for err := range full {
			if !errors.Is(err, file.ErrStorageFull) {
				t.Error(err)
			}
		}
		if len(begun) != 2 {
			t.Errorf("%d uploads have begun", len(begun))
		}
		rest := file.MaxUnusedFiles - 2*third
		w.Send(t, w.Begin(t, "a.txt", 7).ID, 0, "content", 7)
		last := w.Begin(t, "b.txt", rest-7)
		if _, err := w.Platform.Files.UploadFile(ctx(), roomtest.Teacher, "c.txt",
			strings.NewReader("x")); !errors.Is(err, file.ErrStorageFull) {
			t.Errorf("a file: %v", err)
		}
		w.Clock.Advance(file.UploadTime)
		if _, _, err := w.Platform.Files.Upload(ctx(), roomtest.Teacher, last.ID); !errors.Is(err,
			file.ErrUploadNotFound) {
			t.Errorf("an upload that has expired: %v", err)
		}
		w.Tidy(t)
		w.Upload(t, "c.txt", "x")
	})
}

// An upload goes 24 hours after its last byte, with its parts.
func TestTidy_RemovesExpiredUploads(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		one, other := w.Begin(t, "a.txt", 7), w.Begin(t, "b.txt", 7)
		w.Send(t, one.ID, 0, "con", 3)
		w.Send(t, other.ID, 0, "tex", 3)
		w.Clock.Advance(file.UploadTime - time.Second)
		w.Send(t, one.ID, 3, "te", 5)
		w.Tidy(t)
		roomtest.WantFiles(t, w, files, "con", "te", "tex")
		w.Clock.Advance(time.Second)
		w.Tidy(t)
		roomtest.WantFiles(t, w, files, "con", "te")
		w.Send(t, one.ID, 5, "nt", 7)
		w.Clock.Advance(file.UploadTime)
		w.Tidy(t)
		roomtest.WantFiles(t, w, files, "content") // the file stays
		if n := w.Count(t, "{uploads}"); n != 0 {
			t.Errorf("%d uploads are left", n)
		}
	})
}

func TestUserDeleted_RemovesUploads(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		w.Person(t, roomtest.Teacher.UserID, core.Educator)
		u := w.Begin(t, "a.txt", 10)
		w.Send(t, u.ID, 0, "12345", 5)
		w.DeleteUser(t, roomtest.Teacher.UserID)
		if _, err := w.Platform.Files.AppendUpload(ctx(), roomtest.Teacher, u.ID, 5,
			strings.NewReader("67890")); !errors.Is(err, file.ErrUploadNotFound) {
			t.Errorf("after the deletion: %v", err)
		}
		w.Clock.Advance(time.Minute)
		w.Tidy(t)
		roomtest.WantFiles(t, w, files)
	})
}

// A request that is killed while it joins the parts has lost only the last one. The one that sends
// it again has the lease when it has expired.
func TestAppendUpload_KilledWhileJoining(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		content := strings.Repeat("0123456789", 1e6)
		u := w.Begin(t, "a.txt", len(content))
		w.Send(t, u.ID, 0, content[:partSize+1], partSize+1)
		w.Exec(t, `INSERT INTO leases (name, holder, expires_at) VALUES (?, 'killed', ?)`,
			"upload:"+u.ID, w.Clock.Now().Add(15*time.Second).UTC().Format("2006-01-02 15:04:05"))
		_, err := w.Platform.Files.AppendUpload(ctx(), roomtest.Teacher, u.ID, partSize+1,
			strings.NewReader(content[partSize+1:]))
		if !errors.Is(err, file.ErrUploadBusy) {
			t.Errorf("got %v", err)
		}
		w.WantUpload(t, u.ID, partSize+1)
		w.Clock.Advance(16 * time.Second)
		w.Send(t, u.ID, partSize+1, content[partSize+1:], len(content))
		w.Tidy(t)
		roomtest.WantFiles(t, w, files, content)
	})
}
