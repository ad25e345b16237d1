package exchange

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/answertext"
	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/qti"
	"github.com/openlectern/openlectern/internal/safexml"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// ErrQuizFileRefused is the public failure of quiz files.
var ErrQuizFileRefused = &core.Error{Kind: core.Invalid, Code: "quiz_file_refused",
	Message: "This quiz cannot be imported"}

// MaxQuizFile is the size of the largest QTI file that is imported, in bytes.
const MaxQuizFile = safexml.MaxSize

// QuizFile is a quiz as a QTI 1.2 file (docs/packages.md).
type QuizFile struct {
	Name    string // such as first-steps.xml
	Content []byte
}

// ExportQuiz returns the quiz of a chapter as a QTI 1.2 file, for the educator of the course and
// admins. Errors: those of [assess.Service.EditableQuiz].
func (s *Service) ExportQuiz(
	ctx context.Context, actor core.Actor, courseID, chapterID string,
) (QuizFile, error) {
	q, err := s.assess.EditableQuiz(ctx, actor, courseID, chapterID)
	if err != nil {
		return QuizFile{}, err
	}
	q.ByHand = true // the form does not tell the quizzes of the AI from others
	name := cmp.Or(text.Slug(q.ChapterTitle), "quiz") + ".xml"
	return QuizFile{Name: name, Content: qti.Write(q.ChapterTitle, *describeQuiz(q))}, nil
}

// QuizImport is a QTI 1.2 file that becomes the quiz of a chapter.
type QuizImport struct {
	CourseID  string
	ChapterID string
	Version   *int64 // of the quiz that it replaces, 0 for none; nil replaces any
	Content   []byte // a document, or a zip
}

// ImportQuiz saves the quiz of a QTI 1.2 file, or of a zip that holds one, as a quiz by hand of a
// chapter, for the educator of the course and admins. It returns what is not imported too. Errors:
// those of [assess.Service.SaveQuiz], [file.ErrFileTooLarge], [ErrImportRunning], and
// [core.ImportError], which wraps [ErrQuizFileRefused] and has the reason.
func (s *Service) ImportQuiz(
	ctx context.Context, actor core.Actor, in QuizImport,
) (saved assess.Quiz, skipped []SkippedPart, err error) {
	if _, err := s.catalog.ForRooms().Editable(ctx, actor, in.CourseID); err != nil {
		return assess.Quiz{}, nil, err
	}
	err = s.oneImport(ctx, actor, func(ctx context.Context) (err error) {
		saved, skipped, err = s.importQuiz(ctx, actor, in)
		return err
	})
	return saved, skipped, err
}

// importQuiz is [Service.ImportQuiz] for an actor who may edit the course, without another import.
func (s *Service) importQuiz(
	ctx context.Context, actor core.Actor, in QuizImport,
) (assess.Quiz, []SkippedPart, error) {
	if len(in.Content) > MaxQuizFile {
		return assess.Quiz{}, nil, file.ErrFileTooLarge
	}
	a, err := readQuizFile(budget.New(ctx, maxQuizTexts), in.Content)
	if err != nil {
		return assess.Quiz{}, nil, err
	}
	skipped := a.Skipped
	e := importedQuiz(a.Quiz, func(what, why string) {
		skipped = append(skipped, coursepackage.Skipped{What: what, Why: why})
	})
	if len(e.Questions) == 0 {
		return assess.Quiz{}, nil, &core.ImportError{Failure: ErrQuizFileRefused,
			Reason: refusedQuiz(skipped)}
	}
	e.CourseID, e.ChapterID, e.Version = in.CourseID, in.ChapterID, in.Version
	saved, err := s.assess.SaveQuiz(ctx, actor, e)
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
// for those that it says. Questions that do not follow the rules of a quiz are left out; skip is
// called with each.
func importedQuiz(
	described coursepackage.Quiz, skip func(what, why string),
) assess.QuizEdit {
	e := assess.QuizEdit{Settings: assess.DefaultQuizSettings}
	for _, d := range described.Questions {
		name := fmt.Sprintf("question %q", text.Truncate(d.Question, 60))
		d = fitQuestion(d, func(what, why string) { skip(what+" of "+name, why) })
		q, err := questionOf(d).Normal()
		if err != nil {
			skip(name, unfitReason(d))
			continue
		}
		if len(e.Questions) == assess.MaxQuestionBank {
			skip("the questions after the first 500", "a quiz has at most 500")
			break
		}
		e.Questions = append(e.Questions, q)
	}
	s := described.Settings
	e.Settings.Minutes = min(s.Minutes, assess.MaxQuizMinutes)
	e.Settings.Attempts = min(s.Attempts, assess.MaxQuizAttempts)
	e.Settings.Shuffle = s.Shuffle
	if s.Draw < len(e.Questions) {
		e.Settings.Draw = s.Draw
	}
	return e
}

// fitQuestion returns a question without the texts that it may have no more of. cut is called with
// what is left out.
func fitQuestion(d coursepackage.Question, cut func(what, why string)) coursepackage.Question {
	if utf8.RuneCountInString(d.Explanation) > assess.MaxExplanation {
		d.Explanation = text.Truncate(d.Explanation, assess.MaxExplanation)
		cut("the end of the explanation", fmt.Sprintf("an explanation has up to %d characters",
			assess.MaxExplanation))
	}
	if list, isList := d.Answer.([]any); isList && assess.QuestionKind(d.Kind) == assess.TextQuestion {
		// Two texts that are compared as equal count once, and one that nobody sees not at all.
		isKnown := map[string]bool{}
		var texts []any
		for _, text := range list {
			key := answertext.Folded(fmt.Sprint(text))
			if key != "" && !isKnown[key] {
				isKnown[key] = true
				texts = append(texts, text)
			}
		}
		if len(texts) > assess.MaxAnswerTexts {
			texts = texts[:assess.MaxAnswerTexts]
			cut("right texts", fmt.Sprintf("a question has at most %d", assess.MaxAnswerTexts))
		}
		d.Answer = texts
	}
	return d
}

// unfitReason returns why a described question does not follow the rules of a quiz.
func unfitReason(d coursepackage.Question) string {
	isLong := func(text string, most int) bool { return utf8.RuneCountInString(text) > most }
	options := map[string]bool{}
	for _, text := range d.Options {
		options[strings.TrimSpace(text)] = true
	}
	switch {
	case strings.TrimSpace(d.Question) == "":
		return "it has no text"
	case isLong(d.Question, assess.MaxQuestionText):
		return fmt.Sprintf("its text is too long: a question has up to %d characters",
			assess.MaxQuestionText)
	case len(d.Options) > assess.MaxOptions:
		return fmt.Sprintf("it has %d options, and a question has at most %d", len(d.Options),
			assess.MaxOptions)
	case len(d.Options) == 1:
		return "it has one option only"
	case len(options) < len(d.Options):
		return "two of its options have the same text"
	case slices.ContainsFunc(d.Options, func(text string) bool { return isLong(text, assess.MaxOptionText) }):
		return fmt.Sprintf("one of its options is too long: an option has up to %d characters",
			assess.MaxOptionText)
	}
	return fmt.Sprintf("its answer does not fit: a right text has 1 to %d characters, and a number is "+
		"finite", assess.MaxOptionText)
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
		title := text.Truncate(ch.Title, catalog.MaxCourseTitle)
		e := importedQuiz(*ch.Quiz, func(what, why string) {
			in.skip(fmt.Sprintf("%s of the quiz %q", what, title), why)
		})
		if ch.Quiz = nil; len(e.Questions) > 0 {
			ch.Quiz = describeQuiz(assess.Quiz{Questions: e.Questions, Settings: e.Settings, ByHand: true})
		} else {
			in.skip(fmt.Sprintf("quiz %q", title), "it has no question that can be imported")
		}
		if ch.Quiz != nil || len(ch.Lectures) > 0 {
			kept = append(kept, ch)
		}
	}
	in.course.Chapters = kept
}
