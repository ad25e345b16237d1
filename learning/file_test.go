package learning_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// memoryFiles is a file store in memory.
type memoryFiles struct {
	mu         sync.Mutex
	files      map[string]string
	broken     error // the error of DeleteFile
	unreadable bool  // OpenFile fails
	written    int   // bytes of all files that were ever stored
	most       int   // the largest number of files at one time
}

func (s *memoryFiles) StoreFile(_ context.Context, name string, content io.Reader) error {
	data, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string]string{}
	}
	s.files[name] = string(data)
	s.written += len(data)
	s.most = max(s.most, len(s.files))
	return nil
}

func (s *memoryFiles) OpenFile(_ context.Context, name string) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, found := s.files[name]
	if !found || s.unreadable {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(strings.NewReader(data)), nil
}

func (s *memoryFiles) DeleteFile(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	delete(s.files, name)
	return nil
}

func (s *memoryFiles) SignFile(_ context.Context, f learning.SignedFile) (string, error) {
	return fmt.Sprintf("https://files.example.org/%s?until=%d", f.Name, f.Until.Unix()), nil
}

// contents returns the contents of all files, in order.
func (s *memoryFiles) contents() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Values(s.files))
}

// newFileFixture returns a platform with a file store in memory.
func newFileFixture(t *testing.T, database string, opts ...learning.Option) (*fixture, *memoryFiles) {
	t.Helper()
	files := &memoryFiles{}
	w := newFixture(t, database, learningtest.WithPlatform(append(opts,
		learning.WithFiles(files))...))
	return w, files
}

// upload uploads a file of the teacher.
func (w *fixture) upload(t *testing.T, name, content string) learning.File {
	t.Helper()
	f, err := w.Platform.UploadFile(ctx(), teacher, name, strings.NewReader(content))
	must(t, err)
	return f
}

// wantFiles checks the contents of the stored files, and that none of them is about to be removed.
func wantFiles(t *testing.T, w *fixture, files *memoryFiles, want ...string) {
	t.Helper()
	if got := files.contents(); !slices.Equal(got, want) {
		t.Errorf("stored: %.100q, want %.100q", got, want)
	}
	if n := w.count(t, "{unused_files}"); n != 0 {
		t.Errorf("%d contents are in the list of unused files", n)
	}
	w.wantInvariants(t)
}

// Uploads that fail leave neither rows nor contents.
func TestUploadFile_FailureLeavesNothing(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, files := newFileFixture(t, database, learning.WithMaxFile(10))
		broken := errors.New("the client has left")
		for name, test := range map[string]struct {
			content io.Reader
			want    error
		}{
			"too large": {strings.NewReader("12345678901"), learning.ErrFileTooLarge},
			"refused":   {strings.NewReader("<svg>"), learning.ErrFileRefused},
			"empty":     {strings.NewReader(""), learning.ErrFileRefused},
			"cut off":   {io.MultiReader(strings.NewReader("1"), iotest.ErrReader(broken)), broken},
		} {
			_, err := w.Platform.UploadFile(ctx(), teacher, "a.txt", test.content)
			if !errors.Is(err, test.want) {
				t.Errorf("%s: %v, want %v", name, err, test.want)
			}
		}
		student := w.Person(t, "ada", learning.Student)
		if _, err := w.Platform.UploadFile(ctx(), student, "a.txt",
			strings.NewReader("x")); !errors.Is(err, learning.ErrForbidden) {
			t.Errorf("by a student: %v", err)
		}
		if n := w.count(t, "{files}"); n != 0 {
			t.Errorf("%d files", n)
		}
		wantFiles(t, w, files)
		w.upload(t, "a.txt", "1234567890") // as large as a file may be
	})
}

func TestUploadFile_NameIsCleaned(t *testing.T) {
	w, _ := newFileFixture(t, sqlite(t))
	for name, want := range map[string]string{
		"a.txt": "a.txt", "../../etc/a.txt": "a.txt", `C:\notes\a.txt`: "a.txt", "": "file.md",
		" a\x00\r\n.txt ": "a\uFFFD.txt", "a\u202etxt.txt": "atxt.txt",
		strings.Repeat("é", 300) + ".txt": strings.Repeat("é", 200),
	} {
		f, err := w.Platform.UploadFile(ctx(), teacher, name, strings.NewReader(fmt.Sprintf("of %q", name)))
		if name == "" { // its type does not follow from the content
			if !errors.Is(err, learning.ErrFileRefused) {
				t.Errorf("without a name: %v", err)
			}
			continue
		}
		if must(t, err); f.Name != want {
			t.Errorf("%q is stored as %q, want %q", name, f.Name, want)
		}
	}
}

// Concurrent uploads of one content give one file, and those of two contents do not exceed the
// bound, also if the record of their owner has not arrived, so that it cannot be locked.
func TestUploadFile_AtOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, files := newFileFixture(t, database)
		w.Person(t, teacher.UserID, learning.Educator)
		newcomer := learning.Actor{UserID: "newcomer", Role: learning.Educator}
		for i, who := range []learning.Actor{teacher, newcomer} {
			errs := concurrently(6, func(int) error {
				_, err := w.Platform.UploadFile(ctx(), who, "a.txt", strings.NewReader("same"))
				return err
			})
			for _, err := range errs {
				must(t, err)
			}
			if n := len(files.contents()); n != 2*i+1 {
				t.Errorf("%d files are stored", n)
			}

			// One of the next uploads fits.
			w.exec(t, "UPDATE files SET size = ? WHERE owner_id = ?", learning.MaxUnusedFiles-4,
				who.UserID)
			errs = concurrently(4, func(i int) error {
				_, err := w.Platform.UploadFile(ctx(), who, "a.txt",
					strings.NewReader(fmt.Sprint("abc", i)))
				return err
			})
			want := map[string]int{"": 1, learning.ErrStorageFull.Error(): 3}
			if diff := cmp.Diff(want, countErrors(errs)); diff != "" {
				t.Errorf("the uploads of %s: %s", who.UserID, diff)
			}
			if n := len(files.contents()); n != 2*i+2 || w.count(t, "{files}") != n {
				t.Errorf("%d files are stored, %q", w.count(t, "{files}"), files.contents())
			}
		}
		if n := w.count(t, "{leases}"); n != 0 {
			t.Errorf("%d leases are left", n)
		}
	})
}

// If nothing more fits, the content is not even read.
func TestUploadFile_StorageIsFull(t *testing.T) {
	w, files := newFileFixture(t, sqlite(t))
	w.upload(t, "a.txt", "content")
	w.exec(t, "UPDATE files SET size = ?", learning.MaxUnusedFiles)
	w.recount(t)
	_, err := w.Platform.UploadFile(ctx(), teacher, "b.txt", iotest.ErrReader(errInjected))
	wantFailure(t, err, learning.ErrStorageFull, "upload a file")
	wantFiles(t, w, files, "content")
}

// withFile returns the edit that makes the first lecture of a course a file; "" makes it a text.
func (w *fixture) withFile(t *testing.T, course, fileID string) learning.CourseEdit {
	t.Helper()
	c, err := w.Platform.EditableCourse(ctx(), teacher, course)
	must(t, err)
	e := learning.CourseEdit{Version: c.Version, Content: c.Content}
	l := &e.Content[0].Lectures[0]
	l.Kind, l.FileID = learning.KindFile, fileID
	if fileID == "" {
		l.Kind, l.Text = learning.KindText, new("# Text")
	}
	return e
}

// useFile makes the first lecture of a course a file or a text.
func (w *fixture) useFile(t *testing.T, course, fileID string) {
	t.Helper()
	_, err := w.Platform.EditCourse(ctx(), teacher, course, w.withFile(t, course, fileID))
	must(t, err)
}

func TestDeleteFile_OnlyWhatNoCourseUses(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, files := newFileFixture(t, database)
		f := w.upload(t, "a.txt", "content")
		one, other := w.Course(t, "one", 0), w.Course(t, "other", 0)
		w.useFile(t, one, f.ID)
		w.useFile(t, other, f.ID)
		w.useFile(t, one, "")
		if err := w.Platform.DeleteFile(ctx(), teacher, f.ID); !errors.Is(err,
			learning.ErrFileInUse) {
			t.Errorf("a file in use: %v", err)
		}
		w.useFile(t, other, "")
		eve := w.Person(t, "eve", learning.Educator)
		if err := w.Platform.DeleteFile(ctx(), eve, f.ID); !errors.Is(err,
			learning.ErrFileNotFound) {
			t.Errorf("a file of another: %v", err)
		}
		wantFiles(t, w, files, "content")
		must(t, w.Platform.DeleteFile(ctx(), teacher, f.ID))
		wantFiles(t, w, files)
	})
}

// A file is deleted while a course begins to use it: the course has it, or it is gone.
func TestDeleteFile_BesideAnEditAtOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, files := newFileFixture(t, database)
		for i := range 4 {
			f := w.upload(t, "a.txt", fmt.Sprint("content ", i))
			course := w.Course(t, fmt.Sprint("course-", i), 0)
			e := w.withFile(t, course, f.ID)
			errs := concurrently(2, func(i int) error {
				if i == 0 {
					return w.Platform.DeleteFile(ctx(), teacher, f.ID)
				}
				_, err := w.Platform.EditCourse(ctx(), teacher, course, e)
				return err
			})
			isDeleted, isUsed := errs[0] == nil, errs[1] == nil
			if isDeleted == isUsed || !isDeleted && !errors.Is(errs[0], learning.ErrFileInUse) ||
				!isUsed && !errors.Is(errs[1], learning.ErrInvalidRequest) {
				t.Errorf("the file is deleted: %v, used: %v", errs[0], errs[1])
			}
			w.wantInvariants(t)
		}
		if n := w.count(t, "{files}"); n != len(files.contents()) {
			t.Errorf("%d files, contents %q", n, files.contents())
		}
	})
}

// Files go seven days after the last use or upload, with their contents; used ones stay. A content
// that cannot be deleted is tried again.
func TestTidy_RemovesFilesUnusedForSevenDays(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, files := newFileFixture(t, database)
		used, ended := w.upload(t, "a.txt", "used"), w.upload(t, "b.txt", "ended")
		w.upload(t, "c.txt", "renewed")
		w.upload(t, "d.txt", "unused")
		one, other := w.Course(t, "one", 0), w.Course(t, "other", 0)
		w.useFile(t, one, used.ID)
		w.useFile(t, other, ended.ID)
		w.Clock.Advance(4 * day)
		w.useFile(t, other, "")
		w.upload(t, "c.txt", "renewed")
		w.Clock.Advance(3*day - time.Second)
		w.tidy(t)
		wantFiles(t, w, files, "ended", "renewed", "unused", "used")
		w.Clock.Advance(time.Second)
		w.tidy(t)
		wantFiles(t, w, files, "ended", "renewed", "used")
		w.Clock.Advance(4 * day)
		files.broken = errInjected
		if err := w.Platform.System().Tidy(ctx()); !errors.Is(err, errInjected) {
			t.Error(err)
		}
		files.broken = nil
		w.Clock.Advance(time.Hour)
		w.tidy(t)
		wantFiles(t, w, files, "used")
	})
}

// lateFiles is a store in which something happens after the unused files were listed.
type lateFiles struct {
	learning.Store
	listed func()
}

func (s *lateFiles) UnusedFileIDs(
	ctx context.Context, at time.Time, limit int,
) ([]string, error) {
	ids, err := s.Store.UnusedFileIDs(ctx, at, limit)
	s.listed()
	return ids, err
}

// A file that was listed as unused stays if it is used or uploaded again before it is deleted.
func TestTidy_FilesThatAreUsedMeanwhile(t *testing.T) {
	late := &lateFiles{listed: func() {}}
	files := &memoryFiles{}
	w := newFixture(t, sqlite(t), learningtest.WithPlatform(learning.WithFiles(files)),
		learningtest.WithStore(func(s learning.Store) learning.Store {
			late.Store = s
			return late
		}))
	course := w.Course(t, "go", 0)
	used := w.upload(t, "a.txt", "used")
	w.upload(t, "b.txt", "renewed")
	w.upload(t, "c.txt", "unused")
	w.Clock.Advance(8 * day)
	late.listed = func() {
		w.useFile(t, course, used.ID)
		w.upload(t, "b.txt", "renewed")
		late.listed = func() {}
	}
	w.tidy(t)
	wantFiles(t, w, files, "renewed", "used")
	w.wantInvariants(t)
}

func TestDeleteCourse_ReleasesItsMaterial(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, files := newFileFixture(t, database)
		f := w.upload(t, "a.txt", "content")
		course := w.Course(t, "go", 0)
		w.useFile(t, course, f.ID)
		_, err := w.Platform.SetLectureText(ctx(), teacher, course, firstLecture(t, w, course).ID, 2,
			"# Text")
		must(t, err)
		must(t, w.Platform.DeleteCourse(ctx(), teacher, course))
		if n := w.count(t, "{course_files}") + w.count(t, "{lecture_texts}"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
		wantFiles(t, w, files, "content")
		must(t, w.Platform.DeleteFile(ctx(), teacher, f.ID))
	})
}

// firstLecture returns the first lecture of a course, as its educator sees it.
func firstLecture(t *testing.T, w *fixture, course string) learning.Lecture {
	t.Helper()
	c, err := w.Platform.EditableCourse(ctx(), teacher, course)
	must(t, err)
	return c.Content[0].Lectures[0]
}

// The files of a deleted educator go, except those of courses, which stay too.
func TestUserDeleted_KeepsTheFilesOfCourses(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, files := newFileFixture(t, database)
		w.Person(t, teacher.UserID, learning.Educator)
		used := w.upload(t, "a.txt", "used")
		w.upload(t, "b.txt", "unused")
		course := w.Course(t, "go", 0)
		w.useFile(t, course, used.ID)
		w.deleteUser(t, teacher.UserID)
		if n := w.count(t, "{files}"); n != 1 {
			t.Errorf("%d files are left", n)
		}
		w.Clock.Advance(time.Minute)
		w.tidy(t)
		wantFiles(t, w, files, "used")
		if _, err := w.Platform.UploadFile(ctx(), teacher, "c.txt",
			bytes.NewReader([]byte("later"))); !errors.Is(err, learning.ErrUnauthenticated) {
			t.Errorf("a deleted user uploads: %v", err)
		}
		wantFiles(t, w, files, "used")
	})
}

// What an editor was shown and sends back changes nothing: neither signed URLs nor types and sizes.
func TestEditCourse_WhatWasShownIsNoChange(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, files := newFileFixture(t, database)
		f, captions := w.upload(t, "a.txt", "content"), w.upload(t, "de.vtt", "WEBVTT\n")
		course := w.Course(t, "go", 0)
		e := w.withFile(t, course, f.ID)
		l := &e.Content[0].Lectures[0]
		l.Text = new("# Text")
		l.Attachments = []learning.Attachment{{Title: "Same file", FileID: f.ID}}
		l.Captions = []learning.Caption{{Language: "de", Label: "Deutsch", FileID: captions.ID}}
		edited, err := w.Platform.EditCourse(ctx(), teacher, course, e)
		must(t, err)
		again, err := w.Platform.EditCourse(ctx(), teacher, course,
			learning.CourseEdit{Version: edited.Version, Content: edited.Content})
		must(t, err)
		if again.Version != edited.Version {
			t.Errorf("the version grows from %d to %d", edited.Version, again.Version)
		}
		shown := firstLecture(t, w, course)
		if shown.URL == "" || shown.Attachments[0].URL == "" || shown.Attachments[0].Size != 7 ||
			shown.Captions[0].URL == "" || *shown.Text != "# Text" {
			t.Errorf("%+v", shown)
		}
		wantFiles(t, w, files, "WEBVTT\n", "content")
	})
}
