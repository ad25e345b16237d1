package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/safezip"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// store stores the files and the thumbnail, and then the course with its quizzes. If it fails,
// discard removes what is stored.
func (in *packageImport) store(ctx context.Context, actor core.Actor) (ImportedCourse, error) {
	if err := in.storeFiles(ctx, actor); err != nil {
		return ImportedCourse{}, err
	}
	if err := in.storeThumbnail(ctx); err != nil {
		return ImportedCourse{}, err
	}

	// Build the course again, with the ids of the stored files.
	c, quizzes, err := in.build(ctx, actor)
	if errors.Is(err, core.ErrInvalidRequest) {
		err = in.whyInvalid() // no lecture may be left
	}
	if err != nil {
		return ImportedCourse{}, err
	}
	c.Thumbnail = in.thumbnail
	err = in.service.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
		if err := in.service.catalog.ForRooms().InsertCourse(ctx, tx, changes, c); err != nil {
			return err
		}
		for _, q := range quizzes {
			q.ID, q.CourseID = changes.NewID(), c.ID
			q.CreatedAt, q.UpdatedAt = c.CreatedAt, c.CreatedAt
			if err := tx.InsertQuiz(ctx, q); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, core.ErrInvalidRequest) { // found by the contents of the files
		err = refusePackage("the captions of a lecture are no WebVTT, or its texts are longer than "+
			"%d bytes together: correct them", catalog.MaxCourseText)
	}
	imported := ImportedCourse{CourseID: c.ID, Chapters: len(c.Content), Lectures: c.Lectures,
		Files: len(catalog.FileIDs(c.Content)), Quizzes: len(quizzes), Skipped: skippedParts(in.skipped)}
	return imported, err
}

// storeFiles stores the files that the lectures name. Of a cartridge it leaves out those that may
// not be uploaded.
func (in *packageImport) storeFiles(ctx context.Context, actor core.Actor) error {
	names := map[string]string{} // of files, by their entries
	for _, f := range in.course.Files {
		names[f.Path] = f.Name
	}
	refused := map[string]string{} // why files are left out
	for _, entry := range filePaths(in.course) {
		content := in.archive.File(entry).Open()
		f, err := in.service.files.UploadFile(ctx, actor, cmp.Or(names[entry], path.Base(entry)),
			contextReader{ctx, content})
		_ = content.Close() // it was read
		switch refusal, _ := errors.AsType[*core.ImportError](err); {
		case errors.Is(err, file.ErrFileRefused):
			refused[entry] = "files of its type are not allowed"
			if refusal != nil {
				refused[entry] += ": " + refusal.Reason
			}
		case in.isCartridge && errors.Is(err, safezip.ErrDamaged):
			refused[entry] = "its file in the zip is damaged"
		case errors.Is(err, file.ErrFileTooLarge):
			refused[entry] = fmt.Sprintf("its file is larger than %d bytes",
				in.service.files.MaxFile())
		case err != nil:
			return err
		}
		if refused[entry] != "" && !in.isCartridge {
			return refusePackage("its file %q cannot be imported, because %s: leave it out",
				text.Truncate(entry, file.MaxFileName), refused[entry])
		}
		// A file that the owner had is in use, or is unused since now.
		in.files[entry] = f
		if _, isAdded := in.added[f.ID]; isAdded || err == nil && f.UnusedSince.Equal(f.CreatedAt) {
			in.added[f.ID] = f // as it is after the last upload of its content
		}
	}

	// Leave out what shows them.
	in.dropLectures(func(l coursepackage.Lecture) string { return refused[l.File] })
	for i := range in.course.Chapters {
		for j := range in.course.Chapters[i].Lectures {
			l := &in.course.Chapters[i].Lectures[j]
			l.Attachments = slices.DeleteFunc(l.Attachments, func(a coursepackage.Attachment) bool {
				if refused[a.File] != "" {
					in.skip(fmt.Sprintf("file %q of the lecture %q",
						text.Truncate(path.Base(a.File),
							file.MaxFileName), l.Title), refused[a.File])
				}
				return refused[a.File] != ""
			})
		}
	}
	return nil
}

// contextReader reads until its context is done, so that an import of large files ends soon after
// its caller has left.
type contextReader struct {
	ctx context.Context
	in  io.Reader
}

func (r contextReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(b)
}

// storeThumbnail stores the thumbnail of a package, if it has one.
func (in *packageImport) storeThumbnail(ctx context.Context) error {
	entry := in.archive.File(in.course.Thumbnail)
	if entry == nil {
		return nil
	}
	data, err := entry.ReadAll(maxPackageImage)
	if err != nil {
		return err
	}
	in.thumbnail, err = in.service.files.ForRooms().KeepThumbnail(ctx, data)
	return err
}

// discard removes what an import has stored that failed because of err. If it is not known whether
// the course was stored, the files stay, and the host removes them later when it tidies, unless a
// course uses them.
func (in *packageImport) discard(ctx context.Context, err error) {
	if errors.Is(err, core.ErrUnknownOutcome) {
		return
	}
	ctx = context.WithoutCancel(ctx) // also if the caller has left
	in.service.files.ForRooms().RemoveUnusedFile(ctx, in.thumbnail)
	for _, f := range in.added {
		err := in.service.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
			_, err := in.service.files.ForRooms().RemoveFile(ctx, tx, changes, f.ID,
				func(stored file.File) error {
					if stored.Uses > 0 || !stored.UnusedSince.Equal(f.UnusedSince) {
						return file.ErrFileKept // a course uses it, or it was uploaded again
					}
					return nil
				})
			return err
		})
		switch {
		case err == nil:
			in.service.files.ForRooms().RemoveUnusedFile(ctx, f.StoredName)
		case !errors.Is(err, file.ErrFileKept) && !errors.Is(err, file.ErrFileNotFound):
			in.service.base.Log.WarnContext(ctx, "remove a file of a failed import", "file", f.ID,
				"error", err)
			return // tidying removes the files as those that nothing uses
		}
	}
}
