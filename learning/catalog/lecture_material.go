package catalog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// setCourseFiles makes a course use the files of its new content, and no longer those that only the
// content before has. The course must be locked, or be new. It returns [core.ErrInvalidRequest] if
// a file is not one of the course's owner, or if that of a caption is no WebVTT.
func setCourseFiles(
	ctx context.Context, tx courseFileTx, c Course, before, after []Chapter, now time.Time,
) error {
	added, removed, err := file.ReplaceUses(ctx, tx, c.Educator.ID, FileIDs(before), FileIDs(after),
		now)
	if err != nil {
		return core.InField("courseContent", err)
	}
	if err := tx.InsertCourseFiles(ctx, c.ID, added); err != nil {
		return err
	}
	if err := tx.DeleteCourseFiles(ctx, c.ID, removed); err != nil {
		return err
	}
	return requireWebVTT(ctx, tx, captionFileIDs(after))
}

// requireWebVTT returns [core.ErrInvalidRequest] if one of the files is no WebVTT.
func requireWebVTT(ctx context.Context, tx courseFileTx, ids map[string]bool) error {
	if len(ids) == 0 {
		return nil
	}
	list := make([]string, 0, len(ids))
	for id := range ids {
		list = append(list, id)
	}
	files, err := tx.FilesByID(ctx, list)
	if err != nil {
		return err
	}
	isOther := func(f file.File) bool { return f.Type != "text/vtt" }
	return core.Require(!slices.ContainsFunc(files, isOther), "courseContent",
		"must have captions whose files are WebVTT")
}

// storeTexts stores the texts that are sent with a content: "" removes one, and the lectures that
// are sent without a text keep theirs. It removes the texts of lectures that the content does not
// have. before are the texts of before, by the ids of the lectures. It returns
// [core.ErrInvalidRequest] if the course would have more than [MaxCourseText] of texts.
func storeTexts(
	ctx context.Context, tx lectureTextWriter, courseID string, before map[string]string,
	content []Chapter,
) error {
	after := textsAfter(before, content)
	size := 0
	for _, text := range after {
		size += len(text)
	}
	if size > MaxCourseText {
		return core.InvalidField("courseContent", fmt.Sprintf(
			"must not make the texts of the course longer than %d bytes together", MaxCourseText))
	}

	// Remove those that change, and insert their new ones.
	var removed []string
	for id, text := range before {
		if after[id] != text {
			removed = append(removed, id)
		}
	}
	if len(removed) > 0 {
		if err := tx.DeleteLectureTexts(ctx, courseID, removed); err != nil {
			return err
		}
	}
	var added []LectureText
	for _, id := range slices.Sorted(maps.Keys(after)) {
		if before[id] != after[id] {
			added = append(added, LectureText{LectureID: id, Text: after[id]})
		}
	}
	return tx.InsertLectureTexts(ctx, courseID, added)
}

// textsAfter returns the texts of a course, by the ids of the lectures, after its content was
// replaced.
func textsAfter(before map[string]string, content []Chapter) map[string]string {
	after := map[string]string{}
	for id, l := range LecturesByID(content) {
		text := before[id]
		if l.Text != nil {
			text = *l.Text
		}
		if text != "" {
			after[id] = text
		}
	}
	return after
}

// releaseMaterial ends the uses of the files of a course that is about to be deleted, and deletes
// its texts. The course must be locked.
func releaseMaterial(ctx context.Context, tx Tx, c Course, content []Chapter, now time.Time) error {
	if !hasMaterial(content) {
		return nil
	}
	if err := setCourseFiles(ctx, tx, c, content, nil, now); err != nil {
		return err
	}
	return tx.DeleteTextsOfCourse(ctx, c.ID)
}

// SetLectureText replaces the text of a lecture, for the educator of the course and admins, and
// returns the course with its new version. Unlike the content of [CourseEdit], it is one text only,
// so that courses may have more text than a request may be long. Of two concurrent changes of one
// version, one gets [ErrCourseChanged].
//
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [ErrCourseNotFound], [ErrCourseChanged],
// [ErrInvalidLecture], [core.ErrInvalidRequest] for a text that is too long, and if the course
// would have more than [MaxCourseText] of texts.
func (s *Service) SetLectureText(
	ctx context.Context, actor core.Actor, courseID, lectureID string, version int64, newText string,
) (Course, error) {
	c, err := s.ForRooms().Editable(ctx, actor, courseID)
	if err != nil {
		return Course{}, err
	}
	if err := core.RequireText("text", newText, 0, MaxLectureText); err != nil {
		return Course{}, err
	}

	var edited Course
	err = s.base.Change(ctx, func(tx Tx, changes *core.Changes) (err error) {
		// Lock the educator, as an edit does, and the course, and read it with its content and
		// texts.
		if err := core.LockUser(ctx, tx, c.Educator.ID); err != nil {
			return err
		}
		old, err := lockWithContent(ctx, tx, courseID)
		if err != nil {
			return err
		}
		if old.Version != version {
			return ErrCourseChanged
		}
		l, hasLecture := LecturesByID(old.Content)[lectureID]
		if !hasLecture {
			return ErrInvalidLecture
		}
		texts, err := tx.LectureTexts(ctx, courseID)
		if err != nil {
			return err
		}
		if texts[lectureID] == newText && l.HasMaterial() {
			edited = old.Course
			return nil
		}

		// A lecture of before becomes one with a kind. The order of the statements is that of an
		// edit.
		changed := old.Course
		changed.UpdatedAt = changes.Now()
		if edited, err = s.storeEdit(ctx, tx, changes, old.Course, changed); err != nil {
			return err
		}
		content := withText(old.Content, lectureID, newText)
		if !l.HasMaterial() {
			if err := tx.UpdateContent(ctx, courseID, content); err != nil {
				return err
			}
		}
		return storeTexts(ctx, tx, courseID, texts, content)
	})
	return edited, core.Wrap("set the text of a lecture", err)
}

// withText returns the content with a text of a lecture, which is a video if it had no kind. It
// changes content itself.
func withText(content []Chapter, lectureID, text string) []Chapter {
	for _, ch := range content {
		for i := range ch.Lectures {
			l := &ch.Lectures[i]
			if l.ID != lectureID {
				continue
			}
			l.Text = &text
			if !l.HasMaterial() {
				l.Kind = KindVideo
			}
		}
	}
	return content
}

// LectureText is the text of a lecture, as it is stored.
type LectureText struct{ LectureID, Text string }

// lectureTextReader reads the texts of lectures.
type lectureTextReader interface {
	// LectureTexts reads the texts of a course by the ids of the lectures. Those without a text are
	// left out.
	LectureTexts(ctx context.Context, courseID string) (map[string]string, error)
}

// lectureTextWriter writes the texts of lectures.
type lectureTextWriter interface {
	// InsertLectureTexts stores the texts of lectures of a course that have none. It returns
	// [core.ErrDuplicate] if one has a text.
	InsertLectureTexts(ctx context.Context, courseID string, texts []LectureText) error
	// DeleteLectureTexts deletes the texts of lectures of a course.
	DeleteLectureTexts(ctx context.Context, courseID string, lectureIDs []string) error
	// DeleteTextsOfCourse deletes the texts of all lectures of a course.
	DeleteTextsOfCourse(ctx context.Context, courseID string) error
}

// courseFileReader reads which files courses use.
type courseFileReader interface {
	// FilesOfCourse lists the files that a course uses, in no order.
	FilesOfCourse(ctx context.Context, courseID string) ([]file.File, error)
}

// courseFileTx is what a transaction needs that changes which files courses use.
type courseFileTx interface {
	file.ChangeTx
	// InsertCourseFiles stores that a course uses files.
	InsertCourseFiles(ctx context.Context, courseID string, fileIDs []string) error
	// DeleteCourseFiles removes that a course uses files.
	DeleteCourseFiles(ctx context.Context, courseID string, fileIDs []string) error
}
