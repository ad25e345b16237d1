package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// Caller is what a caller is to a course, for the question which of its lectures the caller
// may read.
type Caller uint8

const (
	Outsider        Caller = iota // everyone
	EnrolledStudent               // is enrolled
	Editor                        // owns the course, or is an admin
)

// Access is what a caller is to a course, and which of its lectures are not open to the caller yet.
type Access struct {
	Caller Caller
	Locks  map[string]Lock // of a student, by the id of the lecture; nil if all are open
}

// Lock says why a lecture is not open to a student yet. The zero Lock is none.
type Lock struct {
	By      LockedBy
	OpensAt time.Time // zero if it depends on the progress
}

// LockedBy is what a lecture waits for.
type LockedBy string

// The values of LockedBy.
const (
	LockedByTime  LockedBy = "time"  // a day
	LockedByOrder LockedBy = "order" // the lectures before it
)

// MayRead reports whether a caller may read a lecture now. All answers with a lecture ask it, and
// all that makes URLs of files: see Shown.
//
//	caller    a free preview  a lecture with a lock  another lecture
//	outsider  yes             no                     no
//	student   yes             no                     yes
//	editor    yes             yes                    yes
func (a Access) MayRead(l Lecture) bool {
	_, isLocked := a.Locks[l.ID]
	return l.PreviewFree || a.Caller == Editor || a.Caller == EnrolledStudent && !isLocked
}

// Shown returns the content of a course as a caller may see it. A lecture that the caller may read
// has its text and signed URLs of its files; of any other one remain the id, the title, the
// minutes, the order, the kind, and whether it is a free preview. Only editors see the ids of
// files.
func (s *ForRooms) Shown(
	ctx context.Context, access Access, courseID string, content []Chapter,
) ([]Chapter, error) {
	// Courses of before have no material, and cost no query more.
	var files map[string]file.File
	var texts map[string]string
	if hasMaterial(content) {
		var err error
		if files, texts, err = s.MaterialOf(ctx, courseID); err != nil {
			return nil, err
		}
	}

	shown := make([]Chapter, len(content))
	for i, ch := range content {
		lectures := make([]Lecture, len(ch.Lectures))
		for j, l := range ch.Lectures {
			if !access.MayRead(l) {
				lectures[j] = l.withoutMaterial()
				continue
			}
			if text := texts[l.ID]; l.HasMaterial() {
				l.Text = &text
			}
			readable, err := (*Service)(s).signed(ctx, l, files)
			if err != nil {
				return nil, err
			}
			if access.Caller != Editor {
				readable = readable.withoutFileIDs()
			}
			lectures[j] = readable
		}
		ch.Lectures = lectures
		shown[i] = ch
	}
	return shown, nil
}

// MaterialOf reads the files that a course uses, by their ids, and the texts of its lectures, by
// theirs.
func (s *ForRooms) MaterialOf(
	ctx context.Context, courseID string,
) (files map[string]file.File, texts map[string]string, err error) {
	list, err := s.store.FilesOfCourse(ctx, courseID)
	if err != nil {
		return nil, nil, fmt.Errorf("read the files of a course: %w", err)
	}
	files = make(map[string]file.File, len(list))
	for _, f := range list {
		files[f.ID] = f
	}
	texts, err = s.store.LectureTexts(ctx, courseID)
	return files, texts, core.Wrap("read the texts of a course", err)
}

// signed returns a lecture with the signed URLs of its files. A file that the course does not use
// any more, because it was changed after its content was read, has no URL.
func (s *Service) signed(
	ctx context.Context, l Lecture, files map[string]file.File,
) (Lecture, error) {
	var failed error
	sign := func(fileID, title string) string {
		f, isUsed := files[fileID]
		if !isUsed || failed != nil {
			return ""
		}
		f.Name = title
		var url string
		url, failed = s.files.SignedURL(ctx, f)
		return url
	}

	if l.FileID != "" {
		l.URL = sign(l.FileID, files[l.FileID].Name)
	}
	captions := make([]Caption, len(l.Captions))
	for i, c := range l.Captions {
		c.URL = sign(c.FileID, files[c.FileID].Name)
		captions[i] = c
	}
	attachments := make([]Attachment, len(l.Attachments))
	for i, a := range l.Attachments {
		f := files[a.FileID]
		a.URL, a.Type, a.Size = sign(a.FileID, f.Name), f.Type, f.Size
		attachments[i] = a
	}
	l.Captions, l.Attachments = captions, attachments
	return l, failed
}

// withoutMaterial returns what everyone may see of a lecture.
func (l Lecture) withoutMaterial() Lecture {
	return Lecture{ID: l.ID, Order: l.Order, Title: l.Title, Minutes: l.Minutes,
		PreviewFree: l.PreviewFree, Kind: l.Kind}
}

// withoutFileIDs returns the lecture without the ids of files. It changes the captions and the
// attachments that l has.
func (l Lecture) withoutFileIDs() Lecture {
	l.FileID = ""
	for i := range l.Captions {
		l.Captions[i].FileID = ""
	}
	for i := range l.Attachments {
		l.Attachments[i].FileID = ""
	}
	return l
}
