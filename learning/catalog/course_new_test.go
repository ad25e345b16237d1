package catalog

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
)

func goodCourse() NewCourse {
	return NewCourse{
		Title: "Go", Description: "All of it", Price: 499_00, Discount: 10_00, Published: true,
		Content: []Chapter{{ID: "c1", Title: "One",
			Lectures: []Lecture{{ID: "l1", Title: "Hello", Minutes: 1.5,
				URL: "https://example.com/1"}}}},
	}
}

func countingIDs() func() string {
	n := 0
	return func() string { n++; return fmt.Sprintf("made-%d", n) }
}

func TestNewCourse_WithinTheLimits(t *testing.T) {
	wide := strings.Repeat("😀", MaxCourseTitle)
	changes := map[string]func(*NewCourse){
		"unchanged":     func(*NewCourse) {},
		"longest title": func(n *NewCourse) { n.Title = wide },
		"longest description": func(n *NewCourse) {
			n.Description = strings.Repeat("é",
				MaxCourseDescription)
		},
		"no description": func(n *NewCourse) { n.Description = "" },
		"highest price": func(
			n *NewCourse) {
			n.Price, n.Discount = MaxCoursePrice, 0
		},
		"free":                 func(n *NewCourse) { n.Price = 0 },
		"free by its discount": func(n *NewCourse) { n.Discount = 100_00 },
		"cheapest":             func(n *NewCourse) { n.Price, n.Discount = 2_00, 50_00 },
		"longest id": func(n *NewCourse) {
			n.Content[0].ID = strings.Repeat(
				"x", MaxContentID)
		},
		"chapter and lecture with one id": func(n *NewCourse) { n.Content[0].ID = "l1" },
		"no duration yet": func(
			n *NewCourse) {
			n.Content[0].Lectures[0].Minutes = 0
		},
		"a very short lecture": func(
			n *NewCourse) {
			n.Content[0].Lectures[0].Minutes = 0.01
		},
		"an empty second chapter": func(n *NewCourse) {
			n.Content = append(n.Content,
				Chapter{Title: "Two"})
		},
		"most lectures": func(
			n *NewCourse) {
			n.Content[0].Lectures = manyLectures(MaxLectures)
		},
	}
	for name, change := range changes {
		n := goodCourse()
		change(&n)
		if _, err := n.normal(countingIDs(), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNewCourse_OutsideTheLimits(t *testing.T) {
	changes := map[string]func(*NewCourse){
		"no title": func(n *NewCourse) { n.Title = " \n" },
		"title too long": func(n *NewCourse) {
			n.Title = strings.Repeat("é",
				MaxCourseTitle+1)
		},
		"description too long": func(n *NewCourse) {
			n.Description = strings.Repeat("x",
				MaxCourseDescription+1)
		},
		"negative price":                func(n *NewCourse) { n.Price = -1 },
		"price too high":                func(n *NewCourse) { n.Price = MaxCoursePrice + 1 },
		"negative discount":             func(n *NewCourse) { n.Discount = -1 },
		"discount over 100":             func(n *NewCourse) { n.Discount = 100_01 },
		"price below the minimum":       func(n *NewCourse) { n.Price, n.Discount = 99, 0 },
		"price after discount below it": func(n *NewCourse) { n.Price, n.Discount = 1_00, 1_00 },
		"no chapter":                    func(n *NewCourse) { n.Content = nil },
		"no lecture":                    func(n *NewCourse) { n.Content[0].Lectures = nil },
		"too many lectures": func(n *NewCourse) {
			n.Content[0].Lectures = manyLectures(
				MaxLectures + 1)
		},
		"chapter without title": func(n *NewCourse) { n.Content[0].Title = "" },
		"chapter id twice": func(n *NewCourse) {
			n.Content = append(n.Content,
				n.Content[0])
			n.Content[1].Lectures = nil
		},
		"lecture id twice": func(n *NewCourse) {
			l := n.Content[0].Lectures
			n.Content = append(n.Content, Chapter{ID: "c2", Title: "Two", Lectures: l})
		},
		"chapter id too long": func(n *NewCourse) {
			n.Content[0].ID = strings.Repeat("x",
				MaxContentID+1)
		},
		"lecture id blank":      func(n *NewCourse) { n.Content[0].Lectures[0].ID = "  " },
		"lecture without title": func(n *NewCourse) { n.Content[0].Lectures[0].Title = " " },
		"negative duration":     func(n *NewCourse) { n.Content[0].Lectures[0].Minutes = -1 },
		"endless duration":      func(n *NewCourse) { n.Content[0].Lectures[0].Minutes = 1e300 },
		"script URL": func(
			n *NewCourse) {
			n.Content[0].Lectures[0].URL = "javascript:alert(1)"
		},
		"relative URL":     func(n *NewCourse) { n.Content[0].Lectures[0].URL = "/video/1" },
		"no URL":           func(n *NewCourse) { n.Content[0].Lectures[0].URL = "" },
		"URL without host": func(n *NewCourse) { n.Content[0].Lectures[0].URL = "https://" },
		"URL too long": func(n *NewCourse) {
			n.Content[0].Lectures[0].URL = "https://e.com/" + strings.Repeat("x", MaxLectureURL)
		},
		"course id too long": func(n *NewCourse) { n.ID = strings.Repeat("x", 41) },
	}
	for _, word := range []string{"all", "attempts", "results", "course-results"} {
		changes["course id "+word+", a word of paths"] = func(n *NewCourse) { n.ID = word }
	}
	for name, change := range changes {
		n := goodCourse()
		change(&n)
		if _, err := n.normal(countingIDs(), nil); !errors.Is(err, core.ErrInvalidRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func manyLectures(n int) []Lecture {
	list := make([]Lecture, n)
	for i := range list {
		list[i] = Lecture{Title: "L", Minutes: 1, URL: "https://example.com/"}
	}
	return list
}

func TestNewCourse_ContentIsSortedAndCompleted(t *testing.T) {
	l := func(id string, order int) Lecture {
		return Lecture{ID: id, Order: order, Title: "L", Minutes: 1, URL: "https://example.com/"}
	}
	n := goodCourse()
	n.Content = []Chapter{
		// counted from 0
		{ID: "second", Order: 2, Title: "B", Lectures: []Lecture{l("b", 2), l("a", 1), l("", 0)}},
		{Order: 1, Title: "A", Lectures: []Lecture{l("x", 0), l("y", 0)}},
	}
	got, err := n.normal(countingIDs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []Chapter{
		{ID: "made-2", Order: 1, Title: "A", Lectures: []Lecture{l("x", 1), l("y", 2)}},
		{ID: "second", Order: 2, Title: "B",
			Lectures: []Lecture{l("made-1", 0), l("a", 1), l("b", 2)}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
	if n.Content[1].ID != "" || n.Content[0].Lectures[0].ID != "b" {
		t.Error("the argument was changed")
	}
}

func TestTotals_Rounded(t *testing.T) {
	content := []Chapter{{Lectures: []Lecture{{Minutes: 1.25}, {Minutes: 1.25}}}, {},
		{Lectures: []Lecture{{Minutes: 7}}}}
	if lectures, minutes := totals(content); lectures != 3 || minutes != 10 { // 9.5 rounded
		t.Errorf("%d lectures, %d minutes", lectures, minutes)
	}
	content = []Chapter{{Lectures: []Lecture{{Minutes: 17.5}, {Minutes: 27.3}, {Minutes: 26},
		{Minutes: 8.6}, {Minutes: 1.5}, {Minutes: 7.6}}}}
	// 88.5 rounded; as a float64 the sum is a little less
	if _, minutes := totals(content); minutes != 89 {
		t.Errorf("%d minutes", minutes)
	}
}

func TestAverageRating_ExactToOneDecimal(t *testing.T) {
	for r, want := range map[Ratings]float64{{}: 0, {5, 1}: 5, {9, 2}: 4.5, {13, 3}: 4.3,
		{14, 3}: 4.7, {17, 4}: 4.3, {15, 4}: 3.8} {
		if got := r.Average(); got != want {
			t.Errorf("%+v: %v, want %v", r, got, want)
		}
	}
}
