package learning

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestIsRight_AgreesWithANaiveMarker marks random answers to random questions of all kinds, and
// compares with a marker that works on what the questions and answers were made of: sets of bits,
// integers, and letters without case.
func TestIsRight_AgreesWithANaiveMarker(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	counts := map[string]int{}
	for range 20_000 {
		q, given, want := randomAnswer(r)
		stored, err := q.normal(func() string { return "id" })
		if err != nil {
			t.Fatalf("%+v is refused: %v", q, err)
		}
		if !stored.isAnswer(given) {
			t.Fatalf("the answer %#v to %+v is refused", given, q)
		}
		if got := stored.isRight(given); got != want {
			t.Fatalf("%#v to %+v with the solution %+v is right: %v, want %v", given, q,
				q.Solution, got, want)
		}
		counts[fmt.Sprint(q.Kind, want)]++
	}
	if len(counts) != 10 {
		t.Errorf("the kinds with right and with wrong answers: %v", counts)
	}
}

// randomAnswer returns a question, an answer to it, and whether that is right.
func randomAnswer(r *rand.Rand) (q Question, given Answer, isRight bool) {
	q = Question{Text: "?", Solution: &Solution{}}
	choices := func() (n int) {
		n = 2 + r.IntN(MaxOptions-1)
		for i := range n {
			q.Options = append(q.Options, Choice{ID: fmt.Sprint("id", i), Text: fmt.Sprint(i)})
		}
		return n
	}
	set := func(bits int) []string {
		var ids []string
		for i, option := range q.Options {
			if bits&(1<<i) != 0 {
				ids = append(ids, option.ID, option.ID)
			}
		}
		r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		return ids
	}
	switch r.IntN(5) {
	case 0:
		q.Kind = SingleChoice
		n := choices()
		a, b := r.IntN(n), r.IntN(n)
		q.Solution.Answer = float64(a)
		return q, q.Options[b].ID, a == b
	case 1:
		q.Kind = MultipleChoice
		n := choices()
		a, b := 1+r.IntN(1<<n-1), r.IntN(1<<n)
		if r.IntN(2) == 0 {
			b = a
		}
		q.Solution.Answer = set(a)
		given = set(b)
		if len(given.([]string)) > MaxOptions { // the ids are doubled
			given, b = set(a & -a)[:1], a&-a
		}
		return q, given, a == b
	case 2:
		q.Kind = TrueFalse
		a, b := r.IntN(2) == 0, r.IntN(2) == 0
		q.Solution.Answer = a
		return q, b, a == b
	case 3: // in hundredths
		q.Kind = NumberQuestion
		a, b, tolerance := r.IntN(400)-200, r.IntN(400)-200, r.IntN(100)
		q.Solution.Answer, q.Solution.Tolerance = float64(a)/100, float64(tolerance)/100
		given = float64(b) / 100
		if r.IntN(2) == 0 {
			given = fmt.Sprintf(" %.2f%s", float64(b)/100, []string{"", " m/s²", "kg"}[r.IntN(3)])
		}
		return q, given, a-b <= tolerance && b-a <= tolerance
	}
	q.Kind = TextQuestion
	words := []string{"ärger", "paris", "new york", "x"}
	var right []string
	accepted := map[int]bool{}
	for range 1 + r.IntN(2) {
		i := r.IntN(len(words))
		right, accepted[i] = append(right, " "+strings.ToUpper(words[i])), true
	}
	q.Solution.Answer = right
	i := r.IntN(len(words))
	word := []rune(words[i])
	return q, strings.ToUpper(string(word[:1])) + string(word[1:]) + "\t", accepted[i]
}

func TestIsRight_Numbers(t *testing.T) {
	for given, want := range map[Answer]bool{
		0.4: true, 0.2: true, 0.400000000001: false, "0.4": true, ".3 m": true, "+3e-1": true,
		"0.3m/s": true, "0,3": false, "0.3.1": false, "0.3,1": false, "zero": false, "": false,
		nil: false, "\u22120.3": false, "1e999": false, "0.3 or 7": false,
	} {
		q := Question{Kind: NumberQuestion, Solution: &Solution{Answer: 0.3, Tolerance: 0.1}}
		if got := q.isRight(given); got != want {
			t.Errorf("%#v is right: %v, want %v", given, got, want)
		}
	}
}

// A unit after a number is ignored. A text that goes on with another number is none: what the
// student means is not its first one.
func TestIsRight_NumberWithUnit(t *testing.T) {
	q := Question{Kind: NumberQuestion, Solution: &Solution{Answer: 5.0}}
	for _, text := range []string{"5", " 5. ", "5.0 m/s²", "5 m s⁻²", "5 m/s^2", "5kg m2 s-2",
		"5 m^-2", "5 cm3", "5 m·s−1", "5 °C", "5°", "5 %", "5%", "5 €", "5€/kg", "5 (m/s)^2",
		"5 [m]", "5 /s", "5 l/100 km", "5 mg/100ml", "5 Ω", "5 µm", "5 eV", "5 метров", "5 個",
		"0.5e1 mol", "5 metre2", "5 m (about)", "5'", "5\"", "5″"} {
		if !q.isRight(text) {
			t.Errorf("%q is not read as 5", text)
		}
	}
	for _, text := range []string{"5 000", "5 000 m", "5\u00a0000", "5\u202f000", "5,000", "5'000",
		"5’000", "5_000", "5.000.000", "5/4", "5 / 4", "5 1/2", "5½", "5²", "5^2", "5e2", "5 e2",
		"5 E-2", "5x2", "5x10^3", "5 x 10^3", "5×10³", "5 · 10^3", "5*2", "5+1", "5-6", "5 - 6",
		"5–6", "5:2", "5;2", "5٫2", "5 or 6", "5 ft 3 in", "5' 3\"", "5 km / 2 h", "5(2)", "5!",
		"5 m/1000", "5 3", "5 ³", "$5", "m 5", "−−5", "5٢", "5..", "5%2"} {
		if q.isRight(text) {
			t.Errorf("%q is read as 5", text)
		}
	}
}

// A question that cannot be answered right, or whose answers are ambiguous, is refused.
func TestNormal_RefusesInvalidQuestions(t *testing.T) {
	valid := Question{Kind: SingleChoice, Text: " Why? ",
		Options:  []Choice{{Text: " a "}, {ID: "o1", Text: "b"}, {Text: "c"}},
		Solution: &Solution{Answer: 2.0}}
	got, err := valid.normal(func() string { return "made" })
	want := Question{ID: "made", Kind: SingleChoice, Text: "Why?", Points: 1,
		Options:  []Choice{{"o2", "a"}, {"o1", "b"}, {"o3", "c"}},
		Solution: &Solution{Answer: "o3"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("normal: %v %s", err, diff)
	}
	most := Question{Kind: TextQuestion, Text: "?", Points: 100,
		Solution: &Solution{Answer: strings.Split(strings.Repeat("a,", 19)+"a", ",")}}
	if _, err := most.normal(newID); err != nil {
		t.Errorf("100 points and 20 accepted texts: %v", err)
	}
	for name, change := range map[string]func(*Question){
		"no kind":            func(q *Question) { q.Kind = "" },
		"space after the id": func(q *Question) { q.ID = "id " },
		"long id":            func(q *Question) { q.ID = strings.Repeat("é", MaxContentID+1) },
		"no text":            func(q *Question) { q.Text = " " },
		"one option":         func(q *Question) { q.Options, q.Solution.Answer = q.Options[:1], 0.0 },
		"11 options": func(q *Question) {
			for i := range 8 {
				q.Options = append(q.Options, Choice{Text: fmt.Sprint(i)})
			}
		},
		"same option":        func(q *Question) { q.Options[0].Text = "b " },
		"same id":            func(q *Question) { q.Options[0].ID = "o1" },
		"no such index":      func(q *Question) { q.Solution.Answer = 3.0 },
		"half an index":      func(q *Question) { q.Solution.Answer = 0.5 },
		"no such id":         func(q *Question) { q.Solution.Answer = "o4" },
		"no answer":          func(q *Question) { q.Solution.Answer = nil },
		"points":             func(q *Question) { q.Points = MaxPoints + 1 },
		"negative points":    func(q *Question) { q.Points = -1 },
		"tolerance":          func(q *Question) { q.Solution.Tolerance = 1 },
		"options of a text":  func(q *Question) { q.Kind, q.Solution.Answer = TextQuestion, []string{"a"} },
		"empty set":          func(q *Question) { q.Kind, q.Solution.Answer = MultipleChoice, []string{} },
		"a set that is none": func(q *Question) { q.Kind, q.Solution.Answer = MultipleChoice, "o1" },
		"a number as text": func(q *Question) {
			q.Kind, q.Options, q.Solution.Answer = NumberQuestion, nil, "1 000"
		},
		"long explanation": func(q *Question) { q.Solution.Explanation = strings.Repeat("é", 2_001) },
		"long option id":   func(q *Question) { q.Options[0].ID = strings.Repeat("é", 101) },
		"blank option":     func(q *Question) { q.Options[0].Text = " " },
		"an option of none": func(q *Question) {
			q.Kind, q.Options, q.Solution.Answer = TrueFalse, q.Options[:1], true
		},
		"no accepted text": func(q *Question) {
			q.Kind, q.Options, q.Solution.Answer = TextQuestion, nil, []string{}
		},
		"21 accepted texts": func(q *Question) {
			q.Kind, q.Options = TextQuestion, nil
			q.Solution.Answer = strings.Split(strings.Repeat("a,", MaxAnswerTexts)+"a", ",")
		},
		"negative tolerance": func(q *Question) {
			q.Kind, q.Options, q.Solution.Answer, q.Solution.Tolerance = NumberQuestion, nil, 1.0, -1
		},
		"infinite tolerance": func(q *Question) {
			q.Kind, q.Options, q.Solution.Answer = NumberQuestion, nil, 1.0
			q.Solution.Tolerance = math.Inf(1)
		},
		"blank accepted text": func(q *Question) {
			q.Kind, q.Options, q.Solution.Answer = TextQuestion, nil, []string{"a", " "}
		},
	} {
		q := valid
		q.Options = append([]Choice{}, valid.Options...)
		q.Solution = new(*valid.Solution)
		change(&q)
		if got, err := q.normal(newID); !errors.Is(err, ErrInvalidRequest) {
			t.Errorf("%s: %+v (%v)", name, got, err)
		}
	}
}

// A file may have a question with any number of options. It is refused before ids are made for them,
// which would take the square of the number.
func TestNormal_RefusesManyOptionsAtOnce(t *testing.T) {
	q := Question{Kind: SingleChoice, Text: "?", Options: make([]Choice, 1_000),
		Solution: &Solution{Answer: 0.0}}
	for i := range q.Options {
		q.Options[i].Text = fmt.Sprint(i)
	}
	allocations := testing.AllocsPerRun(1, func() {
		if _, err := q.normal(newID); !errors.Is(err, ErrInvalidRequest) {
			t.Error(err)
		}
	})
	if allocations > 1_000 {
		t.Errorf("%v allocations", allocations)
	}
}

// Forged answers are refused, whatever their type.
func TestIsAnswer_RefusesWhatIsNone(t *testing.T) {
	q := Question{Options: []Choice{{"a", "A"}, {"b", "B"}}}
	for kind, answers := range map[QuestionKind][]Answer{
		SingleChoice: {"c", "", []string{"a"}, true, 0.0, nil, []any{"a", 1.0}},
		MultipleChoice: {"a", []string{"c"}, true, 1.0, []any{1.0},
			strings.Split(strings.Repeat("a,", MaxOptions)+"a", ",")},
		TrueFalse:      {"true", 1.0, []string{}},
		NumberQuestion: {true, []string{"1"}, "\x00"},
		TextQuestion:   {1.0, true, []string{"a"}, strings.Repeat("x", MaxOptionText+1)},
	} {
		for _, answer := range answers {
			q.Kind = kind
			if q.isAnswer(answer) {
				t.Errorf("%s takes the answer %#v", kind, answer)
			}
		}
	}
}
