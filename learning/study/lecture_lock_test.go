package study_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/study"
)

// TestLocks_AgreesWithASecondReading compares the locks of random courses, progress and times with
// another reading of the rules (docs/api.md §18), which looks at each lecture by itself.
func TestLocks_AgreesWithASecondReading(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	now := time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC)
	for range 20_000 {
		content, p := randomCourse(random, now)
		since := now.Add(-time.Duration(random.IntN(5)) * 24 * time.Hour)
		inOrder := random.IntN(2) == 0
		c := catalog.Course{Terms: catalog.Terms{InOrder: inOrder}, HasOpenings: true}
		want := map[string]catalog.Lock{}
		for i, ch := range content {
			for j, l := range ch.Lectures {
				if lock := lockOf(content, i, j, inOrder, since, p, now); lock.By != "" {
					want[l.ID] = lock
				}
			}
		}
		if diff := cmp.Diff(want, study.LockedLectures(c, content, since, p, now)); diff != "" {
			t.Fatalf("in order %t: %+v %+v\n%s", inOrder, content, p, diff)
		}
	}
}

// lockOf returns the lock of one lecture.
func lockOf(
	content []catalog.Chapter, chapter, lecture int, inOrder bool, since time.Time,
	p study.Studied, now time.Time,
) catalog.Lock {
	l := content[chapter].Lectures[lecture]
	if p.Completed[l.ID] || l.PreviewFree {
		return catalog.Lock{}
	}
	opens := content[chapter].Opens
	opensAt := opens.At
	if opens.AfterDays != 0 {
		opensAt = since.Add(time.Duration(24*opens.AfterDays) * time.Hour)
	}
	if opensAt.After(now) {
		return catalog.Lock{By: catalog.LockedByTime, OpensAt: opensAt}
	}
	for i := 0; inOrder && i <= chapter; i++ {
		for j, before := range content[i].Lectures {
			isBefore := i < chapter || j < lecture
			isSubmitted := before.Kind == catalog.KindAssignment && p.Submitted[before.ID]
			if isBefore && !p.Completed[before.ID] && !isSubmitted {
				return catalog.Lock{By: catalog.LockedByOrder}
			}
		}
	}
	return catalog.Lock{}
}

// randomCourse returns up to four chapters of up to three lectures, and what a student has done.
func randomCourse(random *rand.Rand, now time.Time) (
	[]catalog.Chapter, study.Studied,
) {
	p := study.Studied{Completed: map[string]bool{}, Submitted: map[string]bool{}}
	content := make([]catalog.Chapter, 1+random.IntN(4))
	for i := range content {
		switch random.IntN(4) {
		case 0:
			content[i].Opens.AfterDays = 1 + random.IntN(5)
		case 1:
			content[i].Opens.At = now.Add(time.Duration(random.IntN(3)-1) * time.Second)
		}
		for j := range 1 + random.IntN(3) {
			id := fmt.Sprintf("%d.%d", i, j)
			l := catalog.Lecture{ID: id, PreviewFree: random.IntN(6) == 0}
			if random.IntN(2) == 0 {
				l.Kind, l.Assignment = catalog.KindAssignment, &catalog.Assignment{}
			}
			content[i].Lectures = append(content[i].Lectures, l)
			p.Completed[id] = random.IntN(2) == 0
			p.Submitted[id] = random.IntN(4) == 0
		}
	}
	return content, p
}

// A student is told of the end of access seven days before it, unless the access lasts no longer.
func TestEnrollment_FirstStep(t *testing.T) {
	const week = 7 * 24 * time.Hour
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct{ end, want time.Time }{
		"no end":            {time.Time{}, time.Time{}},
		"seven days":        {now.Add(week), now.Add(week)},
		"more than that":    {now.Add(week + time.Second), now.Add(time.Second)},
		"it is in the past": {now.Add(-time.Hour), now.Add(-time.Hour)},
	} {
		if got := (study.Enrollment{ExpiresAt: c.end}).FirstStep(now); !got.Equal(c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
