package tutor

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/internal/webvtt"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/study"
)

// LecturePlace is a place in a lecture.
type LecturePlace struct {
	CourseID  string
	LectureID string
	Seconds   int // from the beginning
}

// LectureSource is the lecture whose material the tutor had for an answer.
type LectureSource struct {
	CourseID     string
	LectureID    string
	LectureTitle string
	// Seconds is when the caption begins that the answer names first, from the beginning of the
	// lecture; nil if it names none.
	Seconds *int
}

// Limits of what the tutor is told of a lecture.
const (
	tutorLectureText = 12_000          // code points of the text
	tutorCaptions    = 12_000          // code points of all captions
	tutorCaptionFile = 1 << 20         // bytes that are read of a file with captions
	tutorCriterion   = 200             // code points of a criterion of an assignment
	tutorBefore      = 5 * time.Minute // how long before the student's place the captions begin
)

// tutorLectureInstructions are added to the system message if the student asks at a lecture.
const tutorLectureInstructions = `
The student asks at a lecture. The data has its title, its text and its captions; each caption begins with its time. Answer from them where they help, and say so where they do not. Name the time of each caption that the answer uses exactly as it stands there, in square brackets, such as [1:05].`

// tutorLecture is what the tutor is told of a lecture.
type tutorLecture struct {
	source LectureSource
	text   string
	cues   []webvtt.Cue
	quiz   *assess.ReviewedResult // of the chapter; nil for nothing
	// assignment is what the lecture asks, if it is an assignment.
	assignment *catalog.Assignment
}

// tutorLecture reads what the tutor is told of a lecture, at a place of the actor. Errors:
// [catalog.ErrCourseNotFound], [study.ErrNotPurchased] if the actor may not read the lecture,
// [catalog.ErrInvalidLecture].
func (s *Service) tutorLecture(
	ctx context.Context, actor core.Actor, at LecturePlace,
) (*tutorLecture, error) {
	// Only who may read the lecture gets anything of it, also through the tutor.
	access, err := study.AccessOf(ctx, s.store, actor, at.CourseID, s.base.Now())
	if err != nil {
		return nil, err
	}
	if access.Caller == catalog.Outsider && !access.HasEnded() {
		if _, err := s.catalog.Published(ctx, at.CourseID); err != nil {
			return nil, err
		}
	}
	content, err := catalog.ContentOf(ctx, s.store, at.CourseID)
	if err != nil {
		return nil, err
	}
	l, found := catalog.LecturesByID(content)[at.LectureID]
	switch {
	case !found:
		return nil, catalog.ErrInvalidLecture
	case !access.MayRead(l):
		return nil, access.RequireOpen(l.ID)
	}

	t := &tutorLecture{source: LectureSource{CourseID: at.CourseID, LectureID: l.ID,
		LectureTitle: l.Title}, assignment: l.Assignment}
	if access.Caller == catalog.EnrolledStudent {
		t.quiz, err = s.assess.LatestReviewed(ctx, actor.UserID, at.CourseID,
			chapterOf(content, l.ID))
		if err != nil {
			return nil, err
		}
	}
	if !l.HasMaterial() {
		return t, nil
	}
	files, texts, err := s.catalog.MaterialOf(ctx, at.CourseID)
	if err != nil {
		return nil, err
	}
	t.text = text.Truncate(texts[l.ID], tutorLectureText)
	if len(l.Captions) > 0 && s.files.HasFileStore() {
		f, isUsed := files[l.Captions[0].FileID]
		if isUsed {
			t.cues = s.captionsAt(ctx, f, time.Duration(at.Seconds)*time.Second)
		}
	}
	return t, nil
}

// captionsAt returns the cues of a file from a time before at on, as many as the tutor is told. The
// tutor can answer without them, so that a file that cannot be read has none.
func (s *Service) captionsAt(ctx context.Context, f file.File, at time.Duration) []webvtt.Cue {
	file, err := s.files.OpenStored(ctx, f.StoredName)
	var cues []webvtt.Cue
	if err == nil {
		cues, err = webvtt.Cues(io.LimitReader(file, tutorCaptionFile))
		_ = file.Close() // nothing was written
	}
	if err != nil {
		s.base.Log.WarnContext(ctx, "read captions for the tutor", "file", f.ID, "err", err)
		return nil
	}
	first := slices.IndexFunc(cues, func(c webvtt.Cue) bool { return c.Start >= at-tutorBefore })
	cues = cues[max(0, first):]
	left := tutorCaptions
	for i, c := range cues {
		if left -= utf8.RuneCountInString(c.Text); left < 0 {
			return cues[:i]
		}
	}
	return cues
}

// data returns the lecture as data for the prompt.
func (t *tutorLecture) data() map[string]any {
	captions := make([]string, len(t.cues))
	for i, c := range t.cues {
		captions[i] = clock(c.Start) + " " + c.Text
	}
	data := map[string]any{"lectureTitle": t.source.LectureTitle, "text": t.text,
		"captions": captions}
	if t.assignment != nil {
		data["assignment"] = assignmentData(*t.assignment)
	}
	if t.quiz != nil {
		data["latestQuizResultOfChapter"] = quizData(t.quiz)
	}
	return data
}

// tutorAssignmentInstructions are added to the system message if the lecture is an assignment.
const tutorAssignmentInstructions = `
The lecture is an assignment; the data has its instructions and the criteria by which it is graded. Help the student to understand and to plan the work, and do not write what is to be submitted.`

// assignmentData returns an assignment as data for the prompt.
func assignmentData(a catalog.Assignment) map[string]any {
	rubric := make([]map[string]any, len(a.Rubric))
	for i, c := range a.Rubric {
		rubric[i] = map[string]any{"criterion": text.Truncate(c.Text, tutorCriterion),
			"points": c.Points}
	}
	return map[string]any{"instructions": text.Truncate(a.Instructions, tutorLectureText),
		"rubric": rubric}
}

// chapterOf returns the id of the chapter that has a lecture, or "".
func chapterOf(content []catalog.Chapter, lectureID string) string {
	for _, ch := range content {
		for _, l := range ch.Lectures {
			if l.ID == lectureID {
				return ch.ID
			}
		}
	}
	return ""
}

// clock returns a time as the tutor names it: 1:05, or 1:01:05 from an hour on.
func clock(d time.Duration) string {
	hours, minutes, seconds := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	if hours > 0 {
		return fmt.Sprintf("%d:%02d:%02d", hours, minutes, seconds)
	}
	return fmt.Sprintf("%d:%02d", minutes, seconds)
}

// namedTime matches a time that an answer names.
var namedTime = regexp.MustCompile(`\[((?:\d+:)?\d+:\d\d)\]`)

// sourceOf returns the source of an answer. Times that no caption of the prompt has are invented,
// and left out.
func (t *tutorLecture) sourceOf(answer string) LectureSource {
	source := t.source
	for _, m := range namedTime.FindAllStringSubmatch(answer, -1) {
		i := slices.IndexFunc(t.cues, func(c webvtt.Cue) bool { return clock(c.Start) == m[1] })
		if i >= 0 {
			source.Seconds = new(int(t.cues[i].Start.Seconds()))
			return source
		}
	}
	return source
}
