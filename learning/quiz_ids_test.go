package learning_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/tutor"
)

// author is an AI whose quizzes have the right option first.
type author struct{ tutor.AI }

func (author) Complete(context.Context, tutor.AIRequest) (tutor.AIReply, error) {
	var questions []map[string]any
	for i := range assess.MaxQuestions {
		questions = append(questions, map[string]any{"question": fmt.Sprint("Question ", i),
			"options": []string{"A", "B", "C", "D"}, "correctIndex": 0, "explanation": "So."})
	}
	text, err := json.Marshal(map[string]any{"questions": questions})
	return tutor.AIReply{Text: string(text)}, err
}

// rightFirst returns questions of four options without ids, of which the first is right.
func rightFirst() (list []assess.Question) {
	for i := range assess.MaxQuestions {
		q := assess.Question{Kind: assess.SingleChoice, Text: fmt.Sprint("Question ", i),
			Solution: &assess.Solution{Answer: 0.0, Explanation: "So."}}
		if i%2 == 0 {
			q.Kind, q.Solution.Answer = assess.MultipleChoice, []any{0.0}
		}
		for _, text := range []string{"A", "B", "C", "D"} {
			q.Options = append(q.Options, assess.Choice{Text: text})
		}
		list = append(list, q)
	}
	return list
}

// A student who sees questions and options in another order must not find the order of their author
// in the ids, because an author often writes the right option first. All sources of quizzes are
// tried, those of the first version included, whose ids follow from the indexes.
func TestQuizIDs_TellNoOrder(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database, learning.WithAI(author{}))
		w.Saves(t, assess.QuizEdit{CourseID: course, ChapterID: roomtest.TheChapter,
			Questions: rightFirst(), Settings: assess.DefaultQuizSettings})
		file, err := w.Platform.Exchange.ExportQuiz(ctx(), roomtest.Teacher, course,
			roomtest.TheChapter)
		roomtest.Must(t, err)

		// shuffled makes the quiz of a course one that is shuffled, with the ids that its editor
		// reads.
		shuffled := func(course string) {
			q, err := w.Platform.Assess.EditableQuiz(ctx(), roomtest.Teacher, course,
				roomtest.TheChapter)
			roomtest.Must(t, err)
			q.Settings.Shuffle = true
			w.Saves(t, assess.QuizEdit{CourseID: course, ChapterID: roomtest.TheChapter,
				Questions: q.Questions, Settings: q.Settings})
		}
		for i, source := range []struct {
			name string
			make func(course string)
		}{
			{"by hand", func(course string) {
				w.Saves(t, assess.QuizEdit{CourseID: course, ChapterID: roomtest.TheChapter,
					Questions: rightFirst(), Settings: assess.DefaultQuizSettings})
			}},
			{"QTI", func(course string) {
				_, _, err := w.Platform.Exchange.ImportQuiz(ctx(), roomtest.Teacher,
					exchange.QuizImport{
						CourseID: course, ChapterID: roomtest.TheChapter, Content: file.Content})
				roomtest.Must(t, err)
			}},
			{"AI", func(course string) {
				_, err := w.Platform.Tutor.RewriteQuiz(ctx(), roomtest.Teacher, course,
					roomtest.TheChapter)
				roomtest.Must(t, err)
			}},
			{"first version", func(course string) {
				var list []assess.Question
				for i := range assess.MaxQuestions {
					list = append(list, assess.NewQuestion(i, fmt.Sprint("Question ", i),
						[]string{"A", "B", "C", "D"}, 0, "So."))
				}
				roomtest.Must(t, w.Store.InTx(ctx(), func(tx learning.Tx) error {
					return tx.InsertQuiz(ctx(), assess.Quiz{ID: course, CourseID: course,
						ChapterID: roomtest.TheChapter, ChapterTitle: "One", Version: 1, Questions: list,
						CreatedAt: w.Clock.Now(), UpdatedAt: w.Clock.Now()})
				}))
			}},
		} {
			course := w.Course(t, fmt.Sprint("source-", i), 0)
			source.make(course)
			shuffled(course)
			a := w.Starts(t, w.Enrolls(t, fmt.Sprint("ada-", i), course), course)
			wantNoOrder(t, source.name, a.Questions, source.name != "first version")
		}
	})
}

// The same holds for quizzes in packages, in both of their forms.
func TestQuizIDs_OfPackagesTellNoOrder(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t), learning.WithAI(author{}))
	for _, name := range []string{"AI", "by hand"} {
		if name == "AI" {
			_, err := w.Platform.Tutor.RewriteQuiz(ctx(), roomtest.Teacher, course,
				roomtest.TheChapter)
			roomtest.Must(t, err)
		} else {
			w.Saves(t, assess.QuizEdit{CourseID: course, ChapterID: roomtest.TheChapter,
				Questions: rightFirst(), Settings: assess.DefaultQuizSettings})
		}
		in, err := w.Imported(roomtest.Teacher, w.Exported(t, roomtest.Teacher, course))
		roomtest.Must(t, err)
		content, err := w.Platform.Catalog.EditableCourse(ctx(), roomtest.Teacher, in.CourseID)
		roomtest.Must(t, err)
		q, err := w.Platform.Assess.EditableQuiz(ctx(), roomtest.Teacher, in.CourseID,
			content.Content[0].ID)
		roomtest.Must(t, err)
		wantNoOrder(t, name, q.Questions, true)
	}
}

// wantNoOrder checks that the ids of questions and of their options have not the order of their
// texts. By chance, 1 in 24 of the options of questions has it.
func wantNoOrder(t *testing.T, source string, questions []assess.Question, areIDsNew bool) {
	t.Helper()
	ordered := 0
	for _, q := range questions {
		byText := slices.Clone(q.Options)
		slices.SortFunc(byText, func(a, b assess.Choice) int { return int(a.Text[0]) - int(b.Text[0]) })
		if slices.IsSortedFunc(byText, func(a, b assess.Choice) int {
			if a.ID < b.ID {
				return -1
			}
			return 1
		}) {
			ordered++
		}
	}
	if len(questions) != assess.MaxQuestions || ordered > len(questions)/2 {
		t.Errorf("%s: the ids of options of %d in %d questions have the order of their author", source,
			ordered, len(questions))
	}
	byText := slices.Clone(questions)
	number := func(q assess.Question) (n int) { fmt.Sscanf(q.Text, "Question %d", &n); return n }
	slices.SortFunc(byText, func(a, b assess.Question) int { return number(a) - number(b) })
	if areIDsNew && slices.IsSortedFunc(byText, func(a, b assess.Question) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	}) {
		t.Errorf("%s: the ids of questions have the order of their author", source)
	}
}

// Ids that are sent back stay, so that answers and figures keep belonging to what they were given
// to.
func TestSaveQuiz_KeepsIDs(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	e := assess.QuizEdit{CourseID: course, ChapterID: roomtest.TheChapter, Questions: rightFirst(),
		Settings: assess.DefaultQuizSettings}
	first := w.Saves(t, e)
	e.Questions = first.Questions
	e.Settings.Shuffle = true
	second := w.Saves(t, e)
	for i, q := range second.Questions {
		if q.ID != first.Questions[i].ID || !slices.Equal(q.Options, first.Questions[i].Options) {
			t.Errorf("%+v has become %+v", first.Questions[i], q)
		}
	}
	a := w.Starts(t, w.Enrolls(t, "ada", course), course)
	for _, q := range a.Questions {
		i := slices.IndexFunc(first.Questions,
			func(stored assess.Question) bool { return stored.ID == q.ID })
		for _, option := range q.Options {
			if i < 0 || !slices.Contains(first.Questions[i].Options, option) {
				t.Errorf("the attempt has %+v, which the quiz does not have", option)
			}
		}
	}
}
