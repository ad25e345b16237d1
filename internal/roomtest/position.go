package roomtest

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// Save saves a position, which must succeed.
func (w *World) Save(t *testing.T, who core.Actor, course, lecture string, seconds float64) {
	t.Helper()
	if err := w.Platform.Study.SavePosition(ctx(), who, course, lecture, seconds); err != nil {
		t.Fatal(err)
	}
}

// pageOfCourses reads a page of the courses of a user.
type pageOfCourses = func(*learning.Platform, context.Context, core.Actor,
	core.PageRequest) (core.Page[study.EnrolledCourse], error)

// EnrolledCourses is the list of that name of a platform.
func EnrolledCourses(
	p *learning.Platform, ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[study.EnrolledCourse], error) {
	return p.Study.EnrolledCourses(ctx, actor, page)
}

// RecentCourses is the list of that name of a platform.
func RecentCourses(
	p *learning.Platform, ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[study.EnrolledCourse], error) {
	return p.Study.RecentCourses(ctx, actor, page)
}

// WantCourses checks the list of the courses of a user: id, completed and all lectures, and the
// last lecture. It reads it in pages of one row, too.
func (w *World) WantCourses(
	t *testing.T, who core.Actor, read pageOfCourses, want ...string,
) {
	t.Helper()
	for _, limit := range []int{1, 10} {
		var got []string
		for c, err := range core.All(
			func(page core.PageRequest) (core.Page[study.EnrolledCourse], error) {
				page.Limit = limit
				return read(w.Platform, ctx(), who, page)
			}) {
			Must(t, err)
			last := c.LastLectureID
			if last == "" {
				last = "-"
			}
			got = append(got, fmt.Sprintf("%s %d/%d %s", c.ID, c.CompletedLectures, c.Lectures,
				last))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pages of %d: %s", limit, diff)
		}
	}
}
