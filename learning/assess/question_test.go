package assess_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// TestIsRight_AgreesWithANaiveMarker marks random answers to random questions of all kinds, and
// compares with a marker that works on what the questions and answers were made of: sets of bits,
// integers, and letters without case.
func TestIsRight_AgreesWithANaiveMarker(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	counts := map[string]int{}
	for range 20_000 {
		q, given, want := roomtest.RandomAnswer(r)
		stored, err := q.Normal()
		if err != nil {
			t.Fatalf("%+v is refused: %v", q, err)
		}
		if !stored.IsAnswer(given) {
			t.Fatalf("the answer %#v to %+v is refused", given, q)
		}
		if got := stored.IsRightAnswer(given); got != want {
			t.Fatalf("%#v to %+v with the solution %+v is right: %v, want %v", given, q,
				q.Solution, got, want)
		}
		counts[fmt.Sprint(q.Kind, want)]++
	}
	if len(counts) != 10 {
		t.Errorf("the kinds with right and with wrong answers: %v", counts)
	}
}

func TestIsRight_Numbers(t *testing.T) {
	for given, want := range map[assess.Answer]bool{
		0.4: true, 0.2: true, 0.400000000001: false, "0.4": true, ".3 m": true, "+3e-1": true,
		"0.3m/s": true, "0,3": false, "0.3.1": false, "0.3,1": false, "zero": false, "": false,
		nil: false, "\u22120.3": false, "1e999": false, "0.3 or 7": false,
	} {
		q := assess.Question{Kind: assess.NumberQuestion,
			Solution: &assess.Solution{Answer: 0.3, Tolerance: 0.1}}
		if got := q.IsRightAnswer(given); got != want {
			t.Errorf("%#v is right: %v, want %v", given, got, want)
		}
	}
}

// A unit after a number is ignored. A text that goes on with another number is none: what the
// student means is not its first one.
func TestIsRight_NumberWithUnit(t *testing.T) {
	q := assess.Question{Kind: assess.NumberQuestion, Solution: &assess.Solution{Answer: 5.0}}
	for _, text := range []string{"5", " 5. ", "5.0 m/s²", "5 m s⁻²", "5 m/s^2", "5kg m2 s-2",
		"5 m^-2", "5 cm3", "5 m·s−1", "5 °C", "5°", "5 %", "5%", "5 €", "5€/kg", "5 (m/s)^2",
		"5 [m]", "5 /s", "5 l/100 km", "5 mg/100ml", "5 Ω", "5 µm", "5 eV", "5 метров", "5 個",
		"0.5e1 mol", "5 metre2", "5 m (about)", "5'", "5\"", "5″"} {
		if !q.IsRightAnswer(text) {
			t.Errorf("%q is not read as 5", text)
		}
	}
	for _, text := range []string{"5 000", "5 000 m", "5\u00a0000", "5\u202f000", "5,000", "5'000",
		"5’000", "5_000", "5.000.000", "5/4", "5 / 4", "5 1/2", "5½", "5²", "5^2", "5e2", "5 e2",
		"5 E-2", "5x2", "5x10^3", "5 x 10^3", "5×10³", "5 · 10^3", "5*2", "5+1", "5-6", "5 - 6",
		"5–6", "5:2", "5;2", "5٫2", "5 or 6", "5 ft 3 in", "5' 3\"", "5 km / 2 h", "5(2)", "5!",
		"5 m/1000", "5 3", "5 ³", "$5", "m 5", "−−5", "5٢", "5..", "5%2"} {
		if q.IsRightAnswer(text) {
			t.Errorf("%q is read as 5", text)
		}
	}
}

// Keyboards, word processors and web pages write other characters than the author has typed.
func TestIsRight_Texts(t *testing.T) {
	for _, test := range []struct {
		accepted string
		right    []string
		wrong    []string
	}{
		{"don't", []string{"don’t", "DON\u2019T", "don‘t", "donʼt", "don‛t", " don't\u00a0"},
			[]string{"dont", "don`t", "don′t", "don´t"}},
		{"don’t", []string{"don't", "don’t"}, nil},
		{`"x"`, []string{"“x”", "„x“", "«x»", "”x”", "‟x‟", "＂x＂", `"X"`}, []string{"x", "'x'", "″x″"}},
		{"'x'", []string{"‘x’", "‚x‘", "‹x›"}, []string{`"x"`}},
		{"new york", []string{"New  York", "new\u00a0york", "new\u202fyork", "new\tyork",
			"new\n york",
			"\u3000new york\ufeff", "new \u00a0\u200byork"}, []string{"newyork"}},
		{"e-mail", []string{"e\u2011mail", "e‐mail", "e−mail", "e－mail"},
			[]string{"email", "e – mail", "e–mail", "e—mail"}},
		{"email", []string{"e\u00admail", "e\u200bmail", "e\u2060mail", "\u202ae\u200fmail\u202c",
			"ema\ufe0fil"}, []string{"e-mail", "e mail"}},
		{"1984", []string{"１９８４", "19\u200d84"}, []string{"١٩٨٤", "19 84"}},
		{"café", []string{"cafe\u0301", "cafe\u200b\u0301", "CAFE\u0301"}, []string{"cafe"}},
		{"می\u200cخواهم", []string{"میخواهم"}, []string{"می خواهم"}},
		{"Straße", []string{"STRASSE", "straße", "STRAẞE"}, []string{"strase"}},
		{"3.5", []string{"３．５"}, []string{"3,5"}},
		{"m²", []string{"M²"}, []string{"m2"}},
	} {
		q := assess.Question{Kind: assess.TextQuestion,
			Solution: &assess.Solution{Answer: []string{"other", test.accepted}}}
		for _, given := range test.right {
			if !q.IsRightAnswer(given) {
				t.Errorf("%+q is not taken for %+q", given, test.accepted)
			}
		}
		for _, given := range test.wrong {
			if q.IsRightAnswer(given) {
				t.Errorf("%+q is taken for %+q", given, test.accepted)
			}
		}
	}
}

// What follows a number, and what stands in it, may be as typographic as a text.
func TestIsRight_TypographicNumbers(t *testing.T) {
	q := assess.Question{Kind: assess.NumberQuestion,
		Solution: &assess.Solution{Answer: -31337.25}}
	for _, text := range []string{"-31337.25\u00a0€", "\u221231337.25\u202f€", "\u201131337.25",
		"‐31337.25 €", "−３１３３７．２５\u3000€", "－31337.25", "\ufeff-31337.25\u200b",
		"- 31337.25"} {
		if want := text != "- 31337.25"; q.IsRightAnswer(text) != want {
			t.Errorf("%+q is right: %v", text, !want)
		}
	}
	for _, text := range []string{"–31337.25", "-31\u00a0337.25", "-31337,25", "-31’337.25"} {
		if q.IsRightAnswer(text) {
			t.Errorf("%+q is right", text)
		}
	}
}

var twoChoices = []assess.Choice{{ID: "a", Text: "A"}, {ID: "b", Text: "B"}}

// An author may have a text that nobody sees: no answer at all would be right.
func TestNormal_RefusesInvisibleTexts(t *testing.T) {
	for _, text := range []string{"\u200b", "\ufeff\u00a0", "\u00ad"} {
		q := assess.Question{Kind: assess.TextQuestion, Text: "?",
			Solution: &assess.Solution{Answer: []string{"a", text}}}
		if _, err := q.Normal(); !errors.Is(err, core.ErrInvalidRequest) {
			t.Errorf("%+q: %v", text, err)
		}
	}
}

// A host calls the rules with values that JSON cannot carry. They are refused, without a panic.
func TestNormal_RefusesValuesThatAreNotJSON(t *testing.T) {
	number := func(answer assess.Answer, tolerance float64) assess.Question {
		return assess.Question{Kind: assess.NumberQuestion, Text: "?",
			Solution: &assess.Solution{Answer: answer, Tolerance: tolerance}}
	}
	nan := math.NaN()
	for name, q := range map[string]assess.Question{
		"no solution": {Kind: assess.TrueFalse, Text: "?"}, "NaN": number(nan, 0),
		"infinite": number(math.Inf(1), 0), "tolerance of NaN": number(1.0, nan),
		"int": number(1, 0), "pointer": number(new(1.0), 0), "typed nil": number((*float64)(nil), 0),
		"index of NaN": {Kind: assess.SingleChoice, Text: "?", Options: twoChoices,
			Solution: &assess.Solution{Answer: nan}},
		"list of NaN": {Kind: assess.MultipleChoice, Text: "?", Options: twoChoices,
			Solution: &assess.Solution{Answer: []any{nan, func() {}}}},
	} {
		if got, err := q.Normal(); !errors.Is(err, core.ErrInvalidRequest) {
			t.Errorf("%s: %+v (%v)", name, got, err)
		}
	}
	q := number(1.0, 0)
	for _, answer := range []assess.Answer{nan, math.Inf(-1), 1, (*float64)(nil), func() {}} {
		if q.IsAnswer(answer) || q.IsRightAnswer(answer) {
			t.Errorf("the answer %v (%T) is taken", answer, answer)
		}
	}
}

// A question that cannot be answered right, or whose answers are ambiguous, is refused.
func TestNormal_RefusesInvalidQuestions(t *testing.T) {
	valid := assess.Question{Kind: assess.SingleChoice, Text: " Why? ",
		Options:  []assess.Choice{{Text: " a "}, {ID: "o1", Text: "b"}, {Text: "c"}},
		Solution: &assess.Solution{Answer: 2.0}}
	got, err := valid.Normal()
	want := assess.Question{Kind: assess.SingleChoice, Text: "Why?", Points: 1,
		Options:  []assess.Choice{{Text: "a"}, {ID: "o1", Text: "b"}, {Text: "c"}},
		Solution: &assess.Solution{}}
	if err == nil { // the ids that are missing are made by chance
		want.ID, want.Options[0].ID, want.Options[2].ID = got.ID, got.Options[0].ID, got.Options[2].ID
		want.Solution.Answer = got.Options[2].ID
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("normal: %v %s", err, diff)
	}
	most := assess.Question{Kind: assess.TextQuestion, Text: "?", Points: 100,
		Solution: &assess.Solution{Answer: strings.Split(strings.Repeat("a,", 19)+"a", ",")}}
	if _, err := most.Normal(); err != nil {
		t.Errorf("100 points and 20 accepted texts: %v", err)
	}
	for name, change := range map[string]func(*assess.Question){
		"no kind":            func(q *assess.Question) { q.Kind = "" },
		"space after the id": func(q *assess.Question) { q.ID = "id " },
		"long id": func(q *assess.Question) {
			q.ID = strings.Repeat("é",
				catalog.MaxContentID+1)
		},
		"no text":    func(q *assess.Question) { q.Text = " " },
		"one option": func(q *assess.Question) { q.Options, q.Solution.Answer = q.Options[:1], 0.0 },
		"11 options": func(q *assess.Question) {
			for i := range 8 {
				q.Options = append(q.Options, assess.Choice{Text: fmt.Sprint(i)})
			}
		},
		"same option":     func(q *assess.Question) { q.Options[0].Text = "b " },
		"same id":         func(q *assess.Question) { q.Options[0].ID = "o1" },
		"no such index":   func(q *assess.Question) { q.Solution.Answer = 3.0 },
		"half an index":   func(q *assess.Question) { q.Solution.Answer = 0.5 },
		"no such id":      func(q *assess.Question) { q.Solution.Answer = "o4" },
		"no answer":       func(q *assess.Question) { q.Solution.Answer = nil },
		"points":          func(q *assess.Question) { q.Points = assess.MaxPoints + 1 },
		"negative points": func(q *assess.Question) { q.Points = -1 },
		"tolerance":       func(q *assess.Question) { q.Solution.Tolerance = 1 },
		"options of a text": func(q *assess.Question) {
			q.Kind, q.Solution.Answer = assess.TextQuestion,
				[]string{"a"}
		},
		"empty set": func(q *assess.Question) {
			q.Kind, q.Solution.Answer = assess.MultipleChoice,
				[]string{}
		},
		"a set that is none": func(q *assess.Question) {
			q.Kind, q.Solution.Answer = assess.MultipleChoice, "o1"
		},
		"a number as text": func(q *assess.Question) {
			q.Kind, q.Options, q.Solution.Answer = assess.NumberQuestion, nil, "1 000"
		},
		"long explanation": func(q *assess.Question) {
			q.Solution.Explanation = strings.Repeat("é", 2_001)
		},
		"long option id": func(q *assess.Question) { q.Options[0].ID = strings.Repeat("é", 101) },
		"blank option":   func(q *assess.Question) { q.Options[0].Text = " " },
		"an option of none": func(q *assess.Question) {
			q.Kind, q.Options, q.Solution.Answer = assess.TrueFalse, q.Options[:1], true
		},
		"no accepted text": func(q *assess.Question) {
			q.Kind, q.Options, q.Solution.Answer = assess.TextQuestion, nil, []string{}
		},
		"21 accepted texts": func(q *assess.Question) {
			q.Kind, q.Options = assess.TextQuestion, nil
			q.Solution.Answer = strings.Split(strings.Repeat("a,", assess.MaxAnswerTexts)+"a", ",")
		},
		"negative tolerance": func(q *assess.Question) {
			q.Kind, q.Options, q.Solution.Answer = assess.NumberQuestion, nil, 1.0
			q.Solution.Tolerance = -1
		},
		"infinite tolerance": func(q *assess.Question) {
			q.Kind, q.Options, q.Solution.Answer = assess.NumberQuestion, nil, 1.0
			q.Solution.Tolerance = math.Inf(1)
		},
		"blank accepted text": func(q *assess.Question) {
			q.Kind, q.Options, q.Solution.Answer = assess.TextQuestion, nil, []string{"a", " "}
		},
	} {
		q := valid
		q.Options = append([]assess.Choice{}, valid.Options...)
		q.Solution = new(*valid.Solution)
		change(&q)
		if got, err := q.Normal(); !errors.Is(err, core.ErrInvalidRequest) {
			t.Errorf("%s: %+v (%v)", name, got, err)
		}
	}
}

// A file may have a question with any number of options. It is refused before ids are made for
// them.
func TestNormal_RefusesManyOptionsAtOnce(t *testing.T) {
	q := assess.Question{Kind: assess.SingleChoice, Text: "?",
		Options:  make([]assess.Choice, 1_000),
		Solution: &assess.Solution{Answer: 0.0}}
	for i := range q.Options {
		q.Options[i].Text = fmt.Sprint(i)
	}
	allocations := testing.AllocsPerRun(1, func() {
		if _, err := q.Normal(); !errors.Is(err, core.ErrInvalidRequest) {
			t.Error(err)
		}
	})
	if allocations > 1_000 {
		t.Errorf("%v allocations", allocations)
	}
}

// Forged answers are refused, whatever their type.
func TestIsAnswer_RefusesWhatIsNone(t *testing.T) {
	q := assess.Question{Options: twoChoices}
	for kind, answers := range map[assess.QuestionKind][]assess.Answer{
		assess.SingleChoice: {"c", "", []string{"a"}, true, 0.0, nil, []any{"a", 1.0}},
		assess.MultipleChoice: {"a", []string{"c"}, true, 1.0, []any{1.0},
			strings.Split(strings.Repeat("a,", assess.MaxOptions)+"a", ",")},
		assess.TrueFalse:      {"true", 1.0, []string{}},
		assess.NumberQuestion: {true, []string{"1"}, "\x00"},
		assess.TextQuestion: {1.0, true, []string{"a"},
			strings.Repeat("x", assess.MaxOptionText+1)},
	} {
		for _, answer := range answers {
			q.Kind = kind
			if q.IsAnswer(answer) {
				t.Errorf("%s takes the answer %#v", kind, answer)
			}
		}
	}
}
