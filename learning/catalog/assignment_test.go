package catalog

import (
	"strings"
	"testing"
	"time"
)

// Each bound of an assignment holds up to its last value, and no further.
func TestAssignment_Bounds(t *testing.T) {
	line := func(text string, points int) []Criterion { return []Criterion{{text, points}} }
	at := time.Date(2026, 3, 1, 0, 0, 0, 1_999_999, time.UTC)
	tooMany := append(longestRubric(), longestRubric()...)
	for name, test := range map[string]struct {
		a    Assignment
		want bool
	}{
		"nothing":               {Assignment{}, true},
		"longest instructions":  {Assignment{Instructions: strings.Repeat("ü", 20_000)}, true},
		"too long instructions": {Assignment{Instructions: strings.Repeat("x", 20_001)}, false},
		"most criteria":         {Assignment{Rubric: longestRubric()}, true},
		"too many criteria":     {Assignment{Rubric: tooMany}, false},
		"longest criterion":     {Assignment{Rubric: line(strings.Repeat("ü", 500), 1_000)}, true},
		"too long criterion":    {Assignment{Rubric: line(strings.Repeat("x", 501), 1)}, false},
		"no criterion":          {Assignment{Rubric: line("", 1)}, false},
		"no points":             {Assignment{Rubric: line("a", 0)}, false},
		"too many points":       {Assignment{Rubric: line("a", 1_001)}, false},
		"due at once":           {Assignment{DueAfterDays: new(0)}, true},
		"due late":              {Assignment{DueAfterDays: new(3_650), LateDays: 3_650}, true},
		"due before":            {Assignment{DueAfterDays: new(-1)}, false},
		"due too late":          {Assignment{DueAfterDays: new(3_651)}, false},
		"due in no year":        {Assignment{DueAt: at.AddDate(10_000, 0, 0)}, false},
		"due twice":             {Assignment{DueAfterDays: new(1), DueAt: at}, false},
		"negative late days":    {Assignment{LateDays: -1}, false},
		"too many late days":    {Assignment{LateDays: 3_651}, false},
		"most attempts":         {Assignment{Attempts: 1_000}, true},
		"negative attempts":     {Assignment{Attempts: -1}, false},
		"too many attempts":     {Assignment{Attempts: 1_001}, false},
	} {
		if _, err := test.a.normal(); (err == nil) != test.want {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if a, _ := (Assignment{DueAt: at}).normal(); a.DueAt.Nanosecond() != 1_000_000 {
		t.Errorf("the due time is %v, which answers do not show", a.DueAt)
	}
}

// longestRubric returns a rubric of as many lines as may be.
func longestRubric() (rubric []Criterion) {
	for range MaxCriteria {
		rubric = append(rubric, Criterion{"Style", 5})
	}
	return rubric
}

// An edit that changes any part of an assignment is a change of its course.
func TestAssignment_Equal(t *testing.T) {
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	same := func() *Assignment {
		return &Assignment{Instructions: "Write.", Rubric: []Criterion{{"Style", 5}},
			DueAfterDays: new(3), LateDays: 1, Attempts: 2, Files: true}
	}
	if !same().equal(same()) || !(*Assignment)(nil).equal(nil) {
		t.Error("equal assignments differ")
	}
	if same().equal(nil) || (*Assignment)(nil).equal(same()) {
		t.Error("an assignment equals none")
	}
	for name, change := range map[string]func(*Assignment){
		"instructions": func(a *Assignment) { a.Instructions = "Draw." },
		"criterion":    func(a *Assignment) { a.Rubric[0].Text = "Content" },
		"points":       func(a *Assignment) { a.Rubric[0].Points++ },
		"due days":     func(a *Assignment) { *a.DueAfterDays++ },
		"no due days":  func(a *Assignment) { a.DueAfterDays = nil },
		"due time":     func(a *Assignment) { a.DueAt = at },
		"late days":    func(a *Assignment) { a.LateDays = 0 },
		"attempts":     func(a *Assignment) { a.Attempts = 0 },
		"files":        func(a *Assignment) { a.Files = false },
	} {
		changed := same()
		change(changed)
		if changed.equal(same()) || same().equal(changed) {
			t.Errorf("a change of the %s is no change", name)
		}
	}
}
