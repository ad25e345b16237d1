package learning

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/qti"
	"github.com/openlectern/openlectern/internal/safexml"
)

// MaxQuizFile is the size of the largest QTI file that is imported, in bytes.
const MaxQuizFile = safexml.MaxSize

// QuizFile is a quiz as a QTI 1.2 file (docs/packages.md).
type QuizFile struct {
	Name    string // such as first-steps.xml
	Content []byte
}

// ExportQuiz returns the quiz of a chapter as a QTI 1.2 file, for the educator of the course and
// admins. Errors: those of [Platform.EditableQuiz].
func (p *Platform) ExportQuiz(
	ctx context.Context, actor Actor, courseID, chapterID string,
) (QuizFile, error) {
	q, err := p.EditableQuiz(ctx, actor, courseID, chapterID)
	if err != nil {
		return QuizFile{}, err
	}
	q.ByHand = true // the form does not tell the quizzes of the AI from others
	name := cmp.Or(slugOf(q.ChapterTitle), "quiz") + ".xml"
	return QuizFile{Name: name, Content: qti.Write(q.ChapterTitle, *describeQuiz(q))}, nil
}

// QuizImport is a QTI 1.2 file that becomes the quiz of a chapter.
type QuizImport struct {
	CourseID  string
	ChapterID string
	Version   *int64 // of the quiz that it replaces, 0 for none; nil replaces any
	Content   []byte
}

// ImportQuiz saves the quiz of a QTI 1.2 file as a quiz by hand of a chapter, for the educator of
// the course and admins. It returns what is not imported too. Errors: those of [Platform.SaveQuiz],
// [ErrFileTooLarge], [ErrImportRunning], and [ImportError], which wraps [ErrQuizFileRefused] and has the reason.
func (p *Platform) ImportQuiz(
	ctx context.Context, actor Actor, in QuizImport,
) (saved Quiz, skipped []SkippedPart, err error) {
	if _, err := p.editable(ctx, actor, in.CourseID); err != nil {
		return Quiz{}, nil, err
	}
	err = p.oneImport(ctx, actor, func(ctx context.Context) (err error) {
		saved, skipped, err = p.importQuiz(ctx, actor, in)
		return err
	})
	return saved, skipped, err
}

// importQuiz is [Platform.ImportQuiz] for an actor who may edit the course, without another import.
func (p *Platform) importQuiz(
	ctx context.Context, actor Actor, in QuizImport,
) (Quiz, []SkippedPart, error) {
	if len(in.Content) > MaxQuizFile {
		return Quiz{}, nil, ErrFileTooLarge
	}
	b := budget.New(ctx, MaxQuizFile)
	if err := b.Text(int64(len(in.Content))); err != nil {
		return Quiz{}, nil, fmt.Errorf("read a quiz: %w", err)
	}
	a, err := qti.Read(b, in.Content)
	if refused, isRefused := errors.AsType[*safexml.Error](err); isRefused {
		return Quiz{}, nil, &ImportError{ErrQuizFileRefused, "the file " + refused.Reason}
	}
	if err != nil {
		return Quiz{}, nil, fmt.Errorf("read a quiz: %w", err)
	}
	skipped := a.Skipped
	e := importedQuiz(a.Quiz, p.newID, func(what, why string) {
		skipped = append(skipped, coursepackage.Skipped{What: what, Why: why})
	})
	if len(e.Questions) == 0 {
		return Quiz{}, nil, &ImportError{ErrQuizFileRefused, refusedQuiz(skipped)}
	}
	e.CourseID, e.ChapterID, e.Version = in.CourseID, in.ChapterID, in.Version
	saved, err := p.SaveQuiz(ctx, actor, e)
	return saved, skippedParts(skipped), err
}

// refusedQuiz returns why a file without a question that can be imported is refused.
func refusedQuiz(skipped []coursepackage.Skipped) string {
	if len(skipped) == 0 {
		return "the file has no questions of QTI 1.2: export the quiz in this form"
	}
	return fmt.Sprintf("the file has no question that can be imported; %s: %s", skipped[0].What,
		skipped[0].Why)
}

// importedQuiz returns a quiz that was read from QTI as it is saved, with the default settings but
// for its time and attempts. Questions that do not follow the rules of a quiz are left out; skip is
// called with each.
func importedQuiz(
	described coursepackage.Quiz, newID func() string, skip func(what, why string),
) QuizEdit {
	e := QuizEdit{Settings: DefaultQuizSettings}
	e.Settings.Minutes = min(described.Settings.Minutes, MaxQuizMinutes)
	e.Settings.Attempts = min(described.Settings.Attempts, MaxQuizAttempts)
	for _, d := range described.Questions {
		q, err := questionOf(d).normal(newID)
		if err != nil {
			skip(fmt.Sprintf("question %q", truncate(d.Question, 60)), fmt.Sprintf("its texts or "+
				"options do not fit: a question has up to %d characters, 2 to %d different options of "+
				"up to %d, at most %d right texts, and an explanation of up to %d", MaxQuestionText,
				MaxOptions, MaxOptionText, MaxAnswerTexts, MaxExplanation))
			continue
		}
		if len(e.Questions) == MaxQuestionBank {
			skip("the questions after the first 500", "a quiz has at most 500")
			break
		}
		e.Questions = append(e.Questions, q)
	}
	return e
}

// fitQuizzes makes the quizzes of a cartridge follow the rules of quizzes. A chapter whose quiz has
// no question left goes, if it has no lectures.
func (in *packageImport) fitQuizzes() {
	kept := in.course.Chapters[:0]
	for _, ch := range in.course.Chapters {
		if ch.Quiz == nil {
			kept = append(kept, ch)
			continue
		}
		title := truncate(ch.Title, MaxCourseTitle)
		e := importedQuiz(*ch.Quiz, in.platform.newID, func(what, why string) {
			in.skip(fmt.Sprintf("%s of the quiz %q", what, title), why)
		})
		if ch.Quiz = nil; len(e.Questions) > 0 {
			ch.Quiz = describeQuiz(Quiz{Questions: e.Questions, Settings: e.Settings, ByHand: true})
		} else {
			in.skip(fmt.Sprintf("quiz %q", title), "it has no question that can be imported")
		}
		if ch.Quiz != nil || len(ch.Lectures) > 0 {
			kept = append(kept, ch)
		}
	}
	in.course.Chapters = kept
}
