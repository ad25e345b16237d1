package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

var fileTests = []test{
	{"a file is read as it was stored, also with the longest texts", fileRoundTrip},
	{"an owner has a content once", fileUnique},
	{"files of an owner are listed, the newest first", fileList},
	{"uses of files of the owner are counted, and the last one that ends makes a file unused",
		fileUses},
	{"the sizes of unused files of an owner are added", fileSizes},
	{"the totals of owners are the sums of what was added to them", fileTotalAdded},
	{"the totals of owners are compared with their files", fileTotalWrong},
	{"a file without a use is renewed", fileRenewed},
	{"files of a user that no course uses become unused contents", filesOfDeletedUser},
	{"the texts of lectures are stored, read and deleted", lectureTexts},
}

// storedFile returns a file of ada that no course uses. The content and the stored name are the id.
func storedFile(id string) file.File {
	return file.File{ID: id, OwnerID: "ada", Name: id + ".pdf", Type: "application/pdf",
		Size: 7, SHA256: id, StoredName: id, UnusedSince: noon, CreatedAt: noon}
}

func fileRoundTrip(t *testing.T, f *fixture) {
	largest := file.File{ID: long(10), OwnerID: long(20),
		Name: long(file.MaxFileName), Type: strings.Repeat("t", 100), Size: 1 << 62,
		SHA256: strings.Repeat("f", 64), StoredName: strings.Repeat("A", 64), Uses: 9,
		CreatedAt: noon}
	for _, want := range []file.File{storedFile("a"), largest} {
		f.add(want)
		got, err := f.File(t.Context(), want.ID)
		equal(t, got, err, want)
		got, err = f.FileByHash(t.Context(), want.OwnerID, want.SHA256)
		equal(t, got, err, want)
		list, err := f.FilesByID(t.Context(), []string{want.ID, "none"})
		equal(t, list, err, []file.File{want})
	}
	got, err := f.File(t.Context(), "none")
	missing(t, got, err)
	got, err = f.FileByHash(t.Context(), "eve", "a")
	missing(t, got, err)
}

func fileUnique(t *testing.T, f *fixture) {
	f.add(storedFile("a"))
	same, other := storedFile("b"), storedFile("c")
	same.SHA256, other.SHA256, other.OwnerID = "a", "a", "eve"
	f.fails(core.ErrDuplicate,
		func(ctx context.Context, tx learning.Tx) error { return tx.InsertFile(ctx, same) })
	f.add(other)
}

func fileList(t *testing.T, f *fixture) {
	var want []file.File
	for i, id := range []string{"d", "c", "b", "a"} { // two at the same time
		one := storedFile(id)
		one.CreatedAt = noon.Add(-time.Duration(i/2) * time.Hour)
		want = append(want, one)
		f.add(one)
	}
	other := storedFile("e")
	other.OwnerID = "eve"
	f.add(other)
	for limit := range 5 {
		list, err := f.FilesOf(t.Context(), "ada", core.PageRequest{Limit: limit + 1})
		equal(t, list, err, want[:min(limit+1, len(want))])
	}
	after := core.Position{At: want[1].CreatedAt, ID: want[1].ID}
	list, err := f.FilesOf(t.Context(), "ada", core.PageRequest{After: after, Limit: 9})
	equal(t, list, err, want[2:])
}

// useFiles counts one use more of files of ada, and checks how many were found.
func (f *fixture) useFiles(want int, ids ...string) {
	f.t.Helper()
	f.do(func(ctx context.Context, tx learning.Tx) error {
		n, err := tx.AddFileUses(ctx, "ada", ids)
		equal(f.t, n, err, want)
		return err
	})
}

func fileUses(t *testing.T, f *fixture) {
	other := storedFile("other")
	other.OwnerID = "eve"
	f.add(storedFile("a"), storedFile("b"), other)
	f.useFiles(2, "a", "b")
	f.useFiles(1, "a", "other", "none")
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertCourseFiles(ctx, "course", []string{"a", "b"})
	})
	want := []file.File{storedFile("a"), storedFile("b")}
	want[0].Uses, want[0].UnusedSince = 2, time.Time{}
	want[1].Uses, want[1].UnusedSince = 1, time.Time{}
	for i, id := range []string{"a", "b"} {
		got, err := f.File(t.Context(), id)
		equal(t, got, err, want[i])
	}
	ofCourse, err := f.FilesOfCourse(t.Context(), "course")
	equal(t, len(ofCourse), err, 2)

	later := noon.Add(time.Hour)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if err := tx.EndFileUses(ctx, []string{"a", "b"}, later); err != nil {
			return err
		}
		return tx.DeleteCourseFiles(ctx, "course", []string{"b", "none"})
	})
	want[0].Uses = 1
	want[1].Uses, want[1].UnusedSince = 0, later
	for i, id := range []string{"a", "b"} {
		got, err := f.File(t.Context(), id)
		equal(t, got, err, want[i])
	}
	ofCourse, err = f.FilesOfCourse(t.Context(), "course")
	equal(t, ofCourse, err, want[:1])
}

func fileSizes(t *testing.T, f *fixture) {
	other, used, older := storedFile("other"), storedFile("used"), storedFile("older")
	other.OwnerID = "eve"
	used.Uses, used.UnusedSince = 1, time.Time{}
	older.UnusedSince = noon.Add(-time.Hour)
	f.add(storedFile("a"), older, other, used)
	n, err := f.UnusedBytes(t.Context(), "ada")
	equal(t, n, err, 14)
	n, err = f.UnusedBytes(t.Context(), "nobody")
	equal(t, n, err, 0)
	total, err := f.UnusedFilesTotal(t.Context(), "ada")
	equal(t, total, err, file.Total{OwnerID: "ada", Files: 2, Bytes: 14})
	total, err = f.UnusedFilesTotal(t.Context(), "nobody")
	equal(t, total, err, file.Total{OwnerID: "nobody"})
	ids, err := f.UnusedFileIDs(t.Context(), noon, 2)
	equal(t, ids, err, []string{"older", "a"})
	ids, err = f.UnusedFileIDs(t.Context(), noon.Add(-time.Minute), 9)
	equal(t, ids, err, []string{"older"})
}

// addFileTotals adds to the totals of owners.
func (f *fixture) addFileTotals(changes ...file.Total) {
	f.t.Helper()
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.AddToFileTotals(ctx, changes)
	})
}

func fileTotalAdded(t *testing.T, f *fixture) {
	const mostBytes = 1<<62 - 1
	wantBytes := func(ofAda, ofLong int64) {
		t.Helper()
		for owner, want := range map[string]int64{"ada": ofAda, long(20): ofLong, "eve": 0} {
			n, err := f.StoredBytes(t.Context(), owner)
			equal(t, n, err, want)
		}
	}
	wantBytes(0, 0)
	f.addFileTotals(
		file.Total{OwnerID: "ada", Files: 2, Bytes: 9},
		file.Total{OwnerID: long(20), Files: 1, Bytes: mostBytes})
	f.addFileTotals(file.Total{OwnerID: "ada", Files: 1, Bytes: 5})
	wantBytes(14, mostBytes)
	f.addFileTotals(file.Total{OwnerID: "ada", Files: -1, Bytes: -9})
	wantBytes(5, mostBytes)

	// Totals that are subtracted again leave nothing to correct.
	f.addFileTotals(
		file.Total{OwnerID: "ada", Files: -2, Bytes: -5},
		file.Total{OwnerID: long(20), Files: -1, Bytes: -mostBytes})
	wantBytes(0, 0)
	f.wantFileTotals()
}

// wantFileTotals checks the corrections that the totals of owners need, which are none without
// want.
func (f *fixture) wantFileTotals(want ...file.Total) {
	f.t.Helper()
	got, err := f.WrongFileTotals(f.t.Context())
	equal(f.t, got, err, want)
}

func fileTotalWrong(t *testing.T, f *fixture) {
	f.wantFileTotals()
	used, other := storedFile("used"), storedFile("other")
	used.Uses, used.UnusedSince = 1, time.Time{}
	other.OwnerID = "eve"
	f.add(storedFile("a"), used, other) // without the totals that count them

	missing := []file.Total{
		{OwnerID: "ada", Files: 2, Bytes: 14}, {OwnerID: "eve", Files: 1, Bytes: 7}}
	f.wantFileTotals(missing...)
	f.addFileTotals(missing...)
	f.wantFileTotals()

	// A total may be too large, only in its bytes, or of an owner who has no files.
	f.addFileTotals(
		file.Total{OwnerID: "ada", Files: 1, Bytes: 3},
		file.Total{OwnerID: "ben", Files: 4, Bytes: 8},
		file.Total{OwnerID: "eve", Bytes: -1})
	wrong := []file.Total{
		{OwnerID: "ada", Files: -1, Bytes: -3}, {OwnerID: "ben", Files: -4, Bytes: -8},
		{OwnerID: "eve", Bytes: 1}}
	f.wantFileTotals(wrong...)
	f.addFileTotals(wrong...)
	f.wantFileTotals()
}

func fileRenewed(t *testing.T, f *fixture) {
	used := storedFile("used")
	used.Uses, used.UnusedSince = 1, time.Time{}
	f.add(storedFile("a"), used)
	later := noon.Add(time.Hour)
	renew := func(hash string) func(ctx context.Context, tx learning.Tx) (bool, error) {
		return func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.RenewFile(ctx, "ada", hash, later)
		}
	}
	f.reports(true, renew("a"))
	f.reports(true, renew("used"))
	f.reports(false, renew("none"))
	want := storedFile("a")
	want.UnusedSince = later
	got, err := f.File(t.Context(), "a")
	equal(t, got, err, want)
	got, err = f.File(t.Context(), "used")
	equal(t, got, err, used)
}

func filesOfDeletedUser(t *testing.T, f *fixture) {
	used, other := storedFile("used"), storedFile("other")
	used.Uses, used.UnusedSince = 1, time.Time{}
	other.OwnerID = "eve"
	f.add(storedFile("a"), storedFile("b"), used, other)
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.LockFile(ctx, "b")
	})
	f.reports(false, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.LockFile(ctx, "none")
	})
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteFile(ctx, "b") })
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if err := tx.LockFilesOf(ctx, "ada"); err != nil {
			return err
		}
		if err := tx.InsertUnusedFilesOf(ctx, "ada", noon); err != nil {
			return err
		}
		return tx.DeleteUnusedFilesOf(ctx, "ada")
	})
	names, err := f.UnusedFiles(t.Context(), noon, 9)
	equal(t, names, err, []string{"a"})
	list, err := f.FilesByID(t.Context(), []string{"a", "b", "used", "other"})
	equal(t, len(list), err, 2)
}

func lectureTexts(t *testing.T, f *fixture) {
	longest := strings.Repeat("🎓", catalog.MaxLectureText)
	texts := []catalog.LectureText{{LectureID: long(catalog.MaxContentID), Text: longest},
		{LectureID: "l1", Text: "# A\n\n<b>&\u2028"}, {LectureID: "l2", Text: "B"}}
	for _, course := range []string{"course", "other"} {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertLectureTexts(ctx, course, texts)
		})
	}
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertLectureTexts(ctx, "course", texts[1:2])
	})
	got, err := f.LectureTexts(t.Context(), "course")
	equal(t, got, err, map[string]string{texts[0].LectureID: longest, "l1": texts[1].Text, "l2": "B"})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteLectureTexts(ctx, "course", []string{texts[0].LectureID, "l2", "none"})
	})
	got, err = f.LectureTexts(t.Context(), "course")
	equal(t, got, err, map[string]string{"l1": texts[1].Text})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteTextsOfCourse(ctx, "course")
	})
	got, err = f.LectureTexts(t.Context(), "course")
	equal(t, got, err, nil)
	got, err = f.LectureTexts(t.Context(), "other")
	equal(t, len(got), err, 3)
}
