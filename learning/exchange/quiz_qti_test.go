package exchange_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/qti"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/exchange"
)

// TestQTI_MarksAsBefore writes random quizzes as QTI and reads them, and marks random answers: by
// the quiz of before, by that which was read, and as the naive marker of roomtest.RandomAnswer
// does.
func TestQTI_MarksAsBefore(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 7))
	rights := map[assess.QuestionKind]int{}
	for range 300 {
		// Make a quiz, and answers with the indexes of options in place of ids.
		e := assess.QuizEdit{Settings: assess.QuizSettings{Minutes: r.IntN(100),
			Attempts:    r.IntN(5),
			PassPercent: 50, Review: assess.ReviewNever}}
		var given []assess.Answer
		var want []bool
		for range 1 + r.IntN(12) {
			q, answer, isRight := roomtest.RandomAnswer(r)
			q.Text, q.Points = randomText(r), 1+r.IntN(assess.MaxPoints)
			if r.IntN(2) == 0 {
				q.Solution.Explanation = randomText(r)
			}
			for i := range q.Options {
				q.Options[i].Text = fmt.Sprint(i, randomText(r))
			}
			e.Questions = append(e.Questions, q)
			given, want = append(given, answer), append(want, isRight)
		}
		before, err := e.Normal()
		if err != nil {
			t.Fatal(err)
		}
		title := randomText(r)
		written := qti.Write(title, *exchange.DescribeQuiz(assess.Quiz{
			Questions: before.Questions, Settings: before.Settings, ByHand: true}))
		a, err := qti.Read(budget.New(t.Context(), 0), written)
		if err != nil || len(a.Skipped) > 0 {
			t.Fatalf("skipped %+v, %v", a.Skipped, err)
		}
		after := exchange.ImportedQuiz(a.Quiz,
			func(what, why string) { t.Errorf("%s: %s", what, why) })
		if after.Settings != before.Settings || len(after.Questions) != len(before.Questions) {
			t.Fatalf("%d questions with %+v, want %d with %+v", len(after.Questions), after.Settings,
				len(before.Questions), before.Settings)
		}

		for i, q := range after.Questions {
			old := before.Questions[i]
			if q.Kind != old.Kind || q.Text != old.Text || q.Points != old.Points ||
				q.Solution.Explanation != old.Solution.Explanation ||
				q.Solution.Tolerance != old.Solution.Tolerance ||
				len(q.Options) != len(old.Options) {
				t.Fatalf("%+v %+v has become %+v %+v", old, old.Solution, q, q.Solution)
			}
			for j, option := range q.Options {
				if option.Text != old.Options[j].Text {
					t.Errorf("option %q has become %q", old.Options[j].Text, option.Text)
				}
			}
			if got := q.IsRightAnswer(sameAnswer(q, old, given[i])); got != want[i] ||
				got != old.IsRightAnswer(given[i]) {
				t.Errorf("%#v to %+v %+v is right: %v before, %v after, want %v", given[i], q,
					q.Solution, old.IsRightAnswer(given[i]), got, want[i])
			}
			if want[i] {
				rights[q.Kind]++
			}
		}
	}
	if len(rights) != 5 {
		t.Errorf("the kinds with right answers: %v", rights)
	}
}

// sameAnswer returns an answer to a question of before with the ids of the options of q.
func sameAnswer(q, before assess.Question, a assess.Answer) assess.Answer {
	switch a := a.(type) {
	case string:
		if i := before.OptionIndex(a); i >= 0 {
			return q.Options[i].ID
		}
	case []string:
		var ids []string
		for _, id := range a {
			ids = append(ids, q.Options[before.OptionIndex(id)].ID)
		}
		return ids
	}
	return a
}

// randomText returns a text that is no XML.
func randomText(r *rand.Rand) string {
	letters := []rune("ab \n\t\r\"'\\<>&;%\u00a0\u2028é漢🎓]³₃’“$^_{}")
	text := make([]rune, r.IntN(30))
	for i := range text {
		text[i] = letters[r.IntN(len(letters))]
	}
	return "x" + string(text) + "]]>y"
}
