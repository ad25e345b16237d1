package file_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/learningtest"
)

const day = 24 * time.Hour

// Uploads that fail leave neither rows nor contents.
func TestUploadFile_FailureLeavesNothing(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database, learning.WithMaxFile(10))
		broken := errors.New("the client has left")
		for name, test := range map[string]struct {
			content io.Reader
			want    error
		}{
			"too large": {strings.NewReader("12345678901"), file.ErrFileTooLarge},
			"refused":   {strings.NewReader("<svg>"), file.ErrFileRefused},
			"empty":     {strings.NewReader(""), file.ErrFileRefused},
			"cut off":   {io.MultiReader(strings.NewReader("1"), iotest.ErrReader(broken)), broken},
		} {
			_, err := w.Platform.Files.UploadFile(ctx(), roomtest.Teacher, "a.txt", test.content)
			if !errors.Is(err, test.want) {
				t.Errorf("%s: %v, want %v", name, err, test.want)
			}
		}
		student := w.Person(t, "ada", core.Student)
		if _, err := w.Platform.Files.UploadFile(ctx(), student, "a.txt",
			strings.NewReader("x")); !errors.Is(err, core.ErrForbidden) {
			t.Errorf("by a student: %v", err)
		}
		if n := w.Count(t, "{files}"); n != 0 {
			t.Errorf("%d files", n)
		}
		roomtest.WantFiles(t, w, files)
		w.Upload(t, "a.txt", "1234567890") // as large as a file may be
	})
}

func TestUploadFile_NameIsCleaned(t *testing.T) {
	w, _ := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	for name, want := range map[string]string{
		"a.txt": "a.txt", "../../etc/a.txt": "a.txt", `C:\notes\a.txt`: "a.txt", "": "file.md",
		" a\x00\r\n.txt ": "a\uFFFD.txt", "a\u202etxt.txt": "atxt.txt",
		strings.Repeat("é", 300) + ".txt": strings.Repeat("é", 200),
	} {
		f, err := w.Platform.Files.UploadFile(ctx(), roomtest.Teacher, name,
			strings.NewReader(fmt.Sprintf("of %q", name)))
		if name == "" { // its type does not follow from the content
			if !errors.Is(err, file.ErrFileRefused) {
				t.Errorf("without a name: %v", err)
			}
			continue
		}
		if roomtest.Must(t, err); f.Name != want {
			t.Errorf("%q is stored as %q, want %q", name, f.Name, want)
		}
	}
}

// Concurrent uploads of one content give one file, and those of two contents do not exceed the
// bound, also if the record of their owner has not arrived, so that it cannot be locked.
func TestUploadFile_AtOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		w.Person(t, roomtest.Teacher.UserID, core.Educator)
		newcomer := learning.Actor{UserID: "newcomer", Role: core.Educator}
		for i, who := range []learning.Actor{roomtest.Teacher, newcomer} {
			errs := roomtest.Concurrently(6, func(int) error {
				_, err := w.Platform.Files.UploadFile(ctx(), who, "a.txt",
					strings.NewReader("same"))
				return err
			})
			for _, err := range errs {
				roomtest.Must(t, err)
			}
			if n := len(files.Contents()); n != 2*i+1 {
				t.Errorf("%d files are stored", n)
			}

			// One of the next uploads fits.
			w.Exec(t, "UPDATE files SET size = ? WHERE owner_id = ?", file.MaxUnusedFiles-4,
				who.UserID)
			errs = roomtest.Concurrently(4, func(i int) error {
				_, err := w.Platform.Files.UploadFile(ctx(), who, "a.txt",
					strings.NewReader(fmt.Sprint("abc", i)))
				return err
			})
			want := map[string]int{"": 1, file.ErrStorageFull.Error(): 3}
			if diff := cmp.Diff(want, roomtest.CountErrors(errs)); diff != "" {
				t.Errorf("the uploads of %s: %s", who.UserID, diff)
			}
			if n := len(files.Contents()); n != 2*i+2 || w.Count(t, "{files}") != n {
				t.Errorf("%d files are stored, %q", w.Count(t, "{files}"), files.Contents())
			}
		}
		if n := w.Count(t, "{leases}"); n != 0 {
			t.Errorf("%d leases are left", n)
		}
	})
}

// If nothing more fits, the content is not even read.
func TestUploadFile_StorageIsFull(t *testing.T) {
	w, files := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	w.Upload(t, "a.txt", "content")
	w.Exec(t, "UPDATE files SET size = ?", file.MaxUnusedFiles)
	w.Recount(t)
	_, err := w.Platform.Files.UploadFile(ctx(), roomtest.Teacher, "b.txt",
		iotest.ErrReader(roomtest.ErrInjected))
	roomtest.WantFailure(t, err, file.ErrStorageFull, "upload a file")
	roomtest.WantFiles(t, w, files, "content")
}

func TestDeleteFile_OnlyWhatNoCourseUses(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		f := w.Upload(t, "a.txt", "content")
		one, other := w.Course(t, "one", 0), w.Course(t, "other", 0)
		w.UseFile(t, one, f.ID)
		w.UseFile(t, other, f.ID)
		w.UseFile(t, one, "")
		if err := w.Platform.Files.DeleteFile(ctx(), roomtest.Teacher, f.ID); !errors.Is(err,
			file.ErrFileInUse) {
			t.Errorf("a file in use: %v", err)
		}
		w.UseFile(t, other, "")
		eve := w.Person(t, "eve", core.Educator)
		if err := w.Platform.Files.DeleteFile(ctx(), eve, f.ID); !errors.Is(err,
			file.ErrFileNotFound) {
			t.Errorf("a file of another: %v", err)
		}
		roomtest.WantFiles(t, w, files, "content")
		roomtest.Must(t, w.Platform.Files.DeleteFile(ctx(), roomtest.Teacher, f.ID))
		roomtest.WantFiles(t, w, files)
	})
}

// A file is deleted while a course begins to use it: the course has it, or it is gone.
func TestDeleteFile_BesideAnEditAtOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		for i := range 4 {
			f := w.Upload(t, "a.txt", fmt.Sprint("content ", i))
			course := w.Course(t, fmt.Sprint("course-", i), 0)
			e := w.WithFile(t, course, f.ID)
			errs := roomtest.Concurrently(2, func(i int) error {
				if i == 0 {
					return w.Platform.Files.DeleteFile(ctx(), roomtest.Teacher, f.ID)
				}
				_, err := w.Platform.Catalog.EditCourse(ctx(), roomtest.Teacher, course, e)
				return err
			})
			isDeleted, isUsed := errs[0] == nil, errs[1] == nil
			if isDeleted == isUsed || !isDeleted && !errors.Is(errs[0], file.ErrFileInUse) ||
				!isUsed && !errors.Is(errs[1], core.ErrInvalidRequest) {
				t.Errorf("the file is deleted: %v, used: %v", errs[0], errs[1])
			}
			w.WantInvariants(t)
		}
		if n := w.Count(t, "{files}"); n != len(files.Contents()) {
			t.Errorf("%d files, contents %q", n, files.Contents())
		}
	})
}

// Files go seven days after the last use or upload, with their contents; used ones stay. A content
// that cannot be deleted is tried again.
func TestTidy_RemovesFilesUnusedForSevenDays(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		used, ended := w.Upload(t, "a.txt", "used"), w.Upload(t, "b.txt", "ended")
		w.Upload(t, "c.txt", "renewed")
		w.Upload(t, "d.txt", "unused")
		one, other := w.Course(t, "one", 0), w.Course(t, "other", 0)
		w.UseFile(t, one, used.ID)
		w.UseFile(t, other, ended.ID)
		w.Clock.Advance(4 * day)
		w.UseFile(t, other, "")
		w.Upload(t, "c.txt", "renewed")
		w.Clock.Advance(3*day - time.Second)
		w.Tidy(t)
		roomtest.WantFiles(t, w, files, "ended", "renewed", "unused", "used")
		w.Clock.Advance(time.Second)
		w.Tidy(t)
		roomtest.WantFiles(t, w, files, "ended", "renewed", "used")
		w.Clock.Advance(4 * day)
		files.Broken = roomtest.ErrInjected
		if err := w.Platform.System().Tidy(ctx()); !errors.Is(err, roomtest.ErrInjected) {
			t.Error(err)
		}
		files.Broken = nil
		w.Clock.Advance(time.Hour)
		w.Tidy(t)
		roomtest.WantFiles(t, w, files, "used")
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
	files := &roomtest.MemoryFiles{}
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(learning.WithFiles(files)),
		learningtest.WithStore(func(s learning.Store) learning.Store {
			late.Store = s
			return late
		}))
	course := w.Course(t, "go", 0)
	used := w.Upload(t, "a.txt", "used")
	w.Upload(t, "b.txt", "renewed")
	w.Upload(t, "c.txt", "unused")
	w.Clock.Advance(8 * day)
	late.listed = func() {
		w.UseFile(t, course, used.ID)
		w.Upload(t, "b.txt", "renewed")
		late.listed = func() {}
	}
	w.Tidy(t)
	roomtest.WantFiles(t, w, files, "renewed", "used")
	w.WantInvariants(t)
}

func TestDeleteCourse_ReleasesItsMaterial(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		f := w.Upload(t, "a.txt", "content")
		course := w.Course(t, "go", 0)
		w.UseFile(t, course, f.ID)
		_, err := w.Platform.Catalog.SetLectureText(ctx(), roomtest.Teacher, course, firstLecture(t,
			w,
			course).ID, 2,
			"# Text")
		roomtest.Must(t, err)
		roomtest.Must(t, w.Platform.DeleteCourse(ctx(), roomtest.Teacher, course))
		if n := w.Count(t, "{course_files}") + w.Count(t, "{lecture_texts}"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
		roomtest.WantFiles(t, w, files, "content")
		roomtest.Must(t, w.Platform.Files.DeleteFile(ctx(), roomtest.Teacher, f.ID))
	})
}

// firstLecture returns the first lecture of a course, as its educator sees it.
func firstLecture(t *testing.T, w *roomtest.World, course string) catalog.Lecture {
	t.Helper()
	c, err := w.Platform.Catalog.EditableCourse(ctx(), roomtest.Teacher, course)
	roomtest.Must(t, err)
	return c.Content[0].Lectures[0]
}

// The files of a deleted educator go, except those of courses, which stay too.
func TestUserDeleted_KeepsTheFilesOfCourses(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		w.Person(t, roomtest.Teacher.UserID, core.Educator)
		used := w.Upload(t, "a.txt", "used")
		w.Upload(t, "b.txt", "unused")
		course := w.Course(t, "go", 0)
		w.UseFile(t, course, used.ID)
		w.DeleteUser(t, roomtest.Teacher.UserID)
		if n := w.Count(t, "{files}"); n != 1 {
			t.Errorf("%d files are left", n)
		}
		w.Clock.Advance(time.Minute)
		w.Tidy(t)
		roomtest.WantFiles(t, w, files, "used")
		if _, err := w.Platform.Files.UploadFile(ctx(), roomtest.Teacher, "c.txt",
			bytes.NewReader([]byte("later"))); !errors.Is(err, core.ErrUnauthenticated) {
			t.Errorf("a deleted user uploads: %v", err)
		}
		roomtest.WantFiles(t, w, files, "used")
	})
}

// What an editor was shown and sends back changes nothing: neither signed URLs nor types and sizes.
func TestEditCourse_WhatWasShownIsNoChange(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files := roomtest.NewWithFiles(t, database)
		f, captions := w.Upload(t, "a.txt", "content"), w.Upload(t, "de.vtt", "WEBVTT\n")
		course := w.Course(t, "go", 0)
		e := w.WithFile(t, course, f.ID)
		l := &e.Content[0].Lectures[0]
		l.Text = new("# Text")
		l.Attachments = []catalog.Attachment{{Title: "Same file", FileID: f.ID}}
		l.Captions = []catalog.Caption{{Language: "de", Label: "Deutsch", FileID: captions.ID}}
		edited, err := w.Platform.Catalog.EditCourse(ctx(), roomtest.Teacher, course, e)
		roomtest.Must(t, err)
		again, err := w.Platform.Catalog.EditCourse(ctx(), roomtest.Teacher, course,
			catalog.CourseEdit{Version: edited.Version, Content: edited.Content})
		roomtest.Must(t, err)
		if again.Version != edited.Version {
			t.Errorf("the version grows from %d to %d", edited.Version, again.Version)
		}
		shown := firstLecture(t, w, course)
		if shown.URL == "" || shown.Attachments[0].URL == "" || shown.Attachments[0].Size != 7 ||
			shown.Captions[0].URL == "" || *shown.Text != "# Text" {
			t.Errorf("%+v", shown)
		}
		roomtest.WantFiles(t, w, files, "WEBVTT\n", "content")
	})
}
