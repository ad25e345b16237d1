package roomtest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/openlectern/openlectern/learning/assess"
)

// RandomAnswer returns a question, an answer to it, and whether that is right.
func RandomAnswer(r *rand.Rand) (q assess.Question, given assess.Answer, isRight bool) {
	q = assess.Question{Text: "?", Solution: &assess.Solution{}}
	choices := func() (n int) {
		n = 2 + r.IntN(assess.MaxOptions-1)
		for i := range n {
			q.Options = append(q.Options,
				assess.Choice{ID: fmt.Sprint("id", i), Text: fmt.Sprint(i)})
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
		q.Kind = assess.SingleChoice
		n := choices()
		a, b := r.IntN(n), r.IntN(n)
		q.Solution.Answer = float64(a)
		return q, q.Options[b].ID, a == b
	case 1:
		q.Kind = assess.MultipleChoice
		n := choices()
		a, b := 1+r.IntN(1<<n-1), r.IntN(1<<n)
		if r.IntN(2) == 0 {
			b = a
		}
		q.Solution.Answer = set(a)
		given = set(b)
		if len(given.([]string)) > assess.MaxOptions { // the ids are doubled
			given, b = set(a & -a)[:1], a&-a
		}
		return q, given, a == b
	case 2:
		q.Kind = assess.TrueFalse
		a, b := r.IntN(2) == 0, r.IntN(2) == 0
		q.Solution.Answer = a
		return q, b, a == b
	case 3: // in hundredths
		q.Kind = assess.NumberQuestion
		a, b, tolerance := r.IntN(400)-200, r.IntN(400)-200, r.IntN(100)
		q.Solution.Answer, q.Solution.Tolerance = float64(a)/100, float64(tolerance)/100
		given = float64(b) / 100
		if r.IntN(2) == 0 {
			given = fmt.Sprintf(" %.2f%s", float64(b)/100, []string{"", " m/s²", "kg"}[r.IntN(3)])
		}
		return q, given, a-b <= tolerance && b-a <= tolerance
	}
	q.Kind = assess.TextQuestion
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
