package httpapi_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/study"
)

// BenchmarkEnrolledCourse_WithTerms requests a course of 40 lectures as the player does, whose
// chapters open after days and whose lectures open in order. The baseline is the same course
// without terms.
func BenchmarkEnrolledCourse_WithTerms(b *testing.B) {
	const chapters, lectures = 8, 5
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		k := learningtest.New(b, learningtest.WithDatabase(e.URL(b)))
		teacher := k.Person(b, "teacher", core.Educator)
		boss := k.Person(b, "boss", core.Admin)
		k.Person(b, "ada", core.Student)
		address := serve(b, platformHandler(b, k))
		page := func(isGated bool) request {
			content := make([]catalog.Chapter, chapters)
			for i := range content {
				content[i] = catalog.Chapter{ID: fmt.Sprint("chapter-", i), Title: "Stars"}
				for j := range lectures {
					content[i].Lectures = append(content[i].Lectures, catalog.Lecture{
						ID: fmt.Sprintf("lecture-%d-%d", i, j), Title: "The Plough", Minutes: 3,
						URL: fmt.Sprintf("https://videos.example.org/%d/%d", i, j)})
				}
				if isGated {
					content[i].Opens.AfterDays = i
				}
			}
			course, err := k.Platform.Catalog.AddCourse(b.Context(), teacher,
				catalog.NewCourse{Title: "Reading the Night Sky", Published: true,
					Terms: catalog.Terms{InOrder: isGated}, Content: content},
				learningtest.Thumbnail(b))
			check(b, err)
			_, err = k.Platform.Study.GrantEnrollment(b.Context(), boss,
				study.Grant{UserID: "ada", CourseID: course})
			check(b, err)
			r := get(b, address, "/api/user/enrolled-courses/"+course, "Authorization",
				"Bearer "+k.Token(b, "ada"))
			locked := bytes.Count(r.answer.body, []byte(`"isLocked":true`))
			if isGated != (locked == chapters*lectures-1) || !isGated && locked > 0 {
				b.Fatalf("%d lectures are locked", locked)
			}
			return r
		}
		gated, plain := page(true), page(false)
		for _, n := range []int{1, benchClients} {
			b.Run(fmt.Sprintf("clients=%d", n), func(b *testing.B) {
				baseline.Run(b, 0.9, baseline.Side{Do: gated.clients(b, n)},
					baseline.Side{Do: plain.clients(b, n)})
			})
		}
	})
}
