package contracttest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/file"
)

// filesFolder is the folder of the files of lectures, in that of the media.
const filesFolder = ".files"

// clock is a clock that stands still.
type clock time.Time

func (c clock) Now() time.Time { return time.Time(c) }

// FixtureFiles are files of an educator. course_odd uses the first one, and nothing the second.
var FixtureFiles = []file.File{
	{ID: "file_notes", OwnerID: "educator", Name: "Notes.pdf", Type: "application/pdf", Size: 9,
		SHA256: strings.Repeat("0", 64), StoredName: "PAIDNOTESOFCOURSEODDAAAAAA", Uses: 1,
		CreatedAt: day(5)},
	{ID: "file_spare", OwnerID: "educator", Name: "Spare.txt", Type: "text/plain", Size: 9,
		SHA256: strings.Repeat("1", 64), StoredName: "SPAREFILEOFEDUCATORAAAAAAA",
		UnusedSince: day(25), CreatedAt: day(6)},
}

// fixtureUploads are uploads of an educator: one of which a part is stored, one of which nothing
// is, and one that is complete.
var fixtureUploads = []file.Upload{
	{ID: "upload_open", OwnerID: "educator", Name: "Notes.md", Metadata: "filename Tm90ZXMubWQ=",
		Size: 7, Received: 4, CreatedAt: day(30), ExpiresAt: always,
		Parts: []file.UploadPart{{Name: "ZZZZOPENUPLOADOFEDUCATORAA", Size: 4}}},
	{ID: "upload_new", OwnerID: "educator", Name: "Notes.md", Size: 6, CreatedAt: day(30),
		ExpiresAt: always},
	{ID: "upload_complete", OwnerID: "educator", FileID: FixtureFiles[0].ID, Name: "Notes.pdf",
		Size: 9, Received: 9, CreatedAt: day(30), ExpiresAt: always},
}

// AnotherName is the name of a content that no file has, for tests that rename one.
const AnotherName = "ANOTHERFILEOFCOURSEODDAAAA"

// materialCourse is the course whose paid lecture has material.
const materialCourse = "course_odd"

// withMaterial gives the paid lecture of a content an attachment and, by insertFiles, a text.
func withMaterial(content []catalog.Chapter) []catalog.Chapter {
	l := &content[0].Lectures[1]
	l.Kind = catalog.KindVideo
	l.Attachments = []catalog.Attachment{{Title: "Notes", FileID: FixtureFiles[0].ID}}
	return content
}

// insertFiles stores the files, the uploads, and the text of the lecture with material.
func insertFiles(ctx context.Context, tx learning.Tx) error {
	for _, f := range FixtureFiles {
		if err := tx.InsertFile(ctx, f); err != nil {
			return err
		}
	}
	for _, u := range fixtureUploads {
		if err := tx.InsertUpload(ctx, u); err != nil {
			return err
		}
	}
	if err := tx.InsertCourseFiles(ctx, materialCourse, []string{FixtureFiles[0].ID}); err != nil {
		return err
	}
	return tx.InsertLectureTexts(ctx, materialCourse, []catalog.LectureText{{
		LectureID: "lecture_2", Text: "See https://videos.example.org/paid/course_odd/text."}})
}

// writeFixtureFiles writes the contents of the files, and of a part of an upload, into the folder
// of the media.
func writeFixtureFiles(tb testing.TB, dir string) {
	tb.Helper()
	dir = filepath.Join(dir, filesFolder)
	check(tb, os.MkdirAll(dir, 0o700))
	names := []string{AnotherName}
	for _, f := range slices.Concat(FixtureFiles, assignmentFiles) {
		names = append(names, f.StoredName)
	}
	for _, name := range names {
		check(tb, os.WriteFile(filepath.Join(dir, name), []byte("%PDF-1.7\n"), 0o600))
	}
	check(tb, os.WriteFile(filepath.Join(dir, fixtureUploads[0].Parts[0].Name), []byte("# No"), 0o600))
}
