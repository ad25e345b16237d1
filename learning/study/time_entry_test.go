package study_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

func TestTrackTime_OneEntryPerPlaceAndDay(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, bob := w.Person(t, "ada", core.Student), learning.Actor{UserID: "not arrived yet"}
		w.Visit(t, ada, "My Enrollments", "/my-enrollments", 1.5)
		w.Visit(t, ada, " My Enrollments\n", "/my-enrollments ", 0.0345)
		w.Visit(t, ada, "My Enrollments", "/my-enrollments", 0.0001)
		w.Visit(t, ada, "my enrollments", "/my-enrollments", 1)
		w.Visit(t, ada, "My Enrollments", "/my-enrollments/", 2)
		w.Visit(t, bob, "My Enrollments", "/my-enrollments", 3)
		w.Clock.Set(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC).Add(-time.Nanosecond))
		w.Visit(t, ada, "My Enrollments", "/my-enrollments", 80_000)
		w.Clock.Advance(time.Nanosecond)
		w.Visit(t, ada, "My Enrollments", "/my-enrollments", 0.0005)
		if diff := cmp.Diff(map[string]string{
			"2026-01-31 My Enrollments /my-enrollments":  "80001535 ms, 4",
			"2026-01-31 my enrollments /my-enrollments":  "1000 ms, 1",
			"2026-01-31 My Enrollments /my-enrollments/": "2000 ms, 1",
			"2026-02-01 My Enrollments /my-enrollments":  "1 ms, 1",
		}, w.Entries(t, "ada")); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(
			map[string]string{"2026-01-31 My Enrollments /my-enrollments": "3000 ms, 1"},
			w.Entries(t, bob.UserID)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestTrackTime_Limits(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		long := func(n int) string { return strings.Repeat("🎓", n) }
		for name, tt := range map[string]struct {
			n     study.NewTimeEntry
			valid bool
		}{
			"as usual": {study.NewTimeEntry{Page: "Quiz", Path: "/quiz/a/b",
				Seconds: 12}, true},
			"the longest page": {study.NewTimeEntry{Page: " " + long(100) + " ", Path: "/",
				Seconds: 1}, true},
			"a longer page": {study.NewTimeEntry{Page: long(101), Path: "/", Seconds: 1},
				false},
			"a blank page": {study.NewTimeEntry{Page: " \t", Path: "/", Seconds: 1},
				false},
			"the longest path": {study.NewTimeEntry{Page: "p", Path: long(500), Seconds: 1},
				true},
			"a longer path": {study.NewTimeEntry{Page: "p", Path: long(501), Seconds: 1},
				false},
			"a blank path": {study.NewTimeEntry{Page: "p", Path: "\n", Seconds: 1}, false},
			"the longest time": {study.NewTimeEntry{Page: "p", Path: "/", Seconds: 86_400},
				true},
			"a longer time": {study.NewTimeEntry{Page: "p", Path: "/",
				Seconds: math.Nextafter(86_400, 86_401)}, false},
			"the shortest time": {study.NewTimeEntry{Page: "p", Path: "/",
				Seconds: math.SmallestNonzeroFloat64}, true},
			"no time":           {study.NewTimeEntry{Page: "p", Path: "/"}, false},
			"less than no time": {study.NewTimeEntry{Page: "p", Path: "/", Seconds: -1}, false},
			"what is no time": {study.NewTimeEntry{Page: "p", Path: "/", Seconds: math.NaN()},
				false},
			"time without end": {study.NewTimeEntry{Page: "p", Path: "/",
				Seconds: math.Inf(1)}, false},
			"a zero byte": {study.NewTimeEntry{Page: "a\x00b", Path: "/", Seconds: 1},
				false},
			"a course's own end": {study.NewTimeEntry{Page: "p", Path: "/player/a%20",
				Seconds: 1}, true},
		} {
			id := strings.ReplaceAll(name, " ", "-")
			err := w.Platform.Study.TrackTime(ctx(), learning.Actor{UserID: id}, tt.n)
			kept := w.Count(t, "time_entries WHERE user_id = ?", id)
			if tt.valid && (err != nil || kept != 1) ||
				!tt.valid && (!errors.Is(err, core.ErrInvalidRequest) || kept != 0) {
				t.Errorf("%s: %v, %d entries", name, err, kept)
			}
		}
		if err := w.Platform.Study.TrackTime(ctx(), learning.Actor{},
			study.NewTimeEntry{Page: "p", Path: "/", Seconds: 1}); !errors.Is(err,
			core.ErrUnauthenticated) {
			t.Errorf("of nobody: %v", err)
		}
	})
}

func TestTrackTime_SubjectOfThePath(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	ada := w.Person(t, "ada", core.Student)
	for path, want := range map[string]string{
		"/player/go":              "go|",
		"/player/go/":             "go|",
		"/player/go?t=90&x=/y":    "go|",
		"/player/go#notes":        "go|",
		"/player/g%6F":            "go|",
		"/player/%C3%A9":          "é|",
		"/quiz/go/one":            "go|one",
		"/quiz/go/one/?again=1":   "go|one",
		"/quiz/go/one%20two":      "go|one two",
		"/quiz/go/one%2Ftwo":      "go|one/two",
		"/quiz/go/a+b":            "go|a+b",
		"/player":                 "|",
		"/player/":                "|",
		"/player//":               "|",
		"/player/go/lecture":      "|",
		"//player/go":             "|",
		"player/go":               "|",
		"/app/player/go":          "|",
		"/Player/go":              "|",
		"/players/go":             "|",
		"/quiz/go":                "|",
		"/quiz/go/":               "|",
		"/quiz/go//":              "|",
		"/quiz//one":              "|",
		"/quiz/go/one/two":        "|",
		"/quiz/go/%20":            "|",
		"/quiz/go/%ff":            "|",
		"/player/%ff":             "|",
		"/player/go%20":           "|",
		"/player/%zz":             "|",
		"/player/go%":             "|",
		"/course/go":              "|",
		"/?next=/player/go":       "|",
		"/player/\x01":            "|",
		"/player/" + longID(40):   longID(40) + "|",
		"/player/" + longID(41):   "|",
		"/quiz/go/" + longID(100): "go|" + longID(100),
		"/quiz/go/" + longID(101): "|",
	} {
		w.Visit(t, ada, "Page", path, 1)
		var course, chapter string
		if err := w.DB.QueryRow("SELECT course_id, chapter_id FROM time_entries WHERE path = ?",
			path).Scan(&course, &chapter); err != nil {
			t.Fatalf("%q: %v", path, err)
		}
		if got := course + "|" + chapter; got != want {
			t.Errorf("%q is about %q, want %q", path, got, want)
		}
	}
}

func longID(n int) string { return strings.Repeat("x", n) }

func TestTrackTime_ConcurrentVisits(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		two := []*roomtest.World{w, w.OtherInstance(t)}
		ada := w.Person(t, "ada", core.Student)
		for day := range 3 {
			errs := roomtest.Concurrently(40, func(i int) error {
				return two[i%2].Platform.Study.TrackTime(ctx(), ada,
					study.NewTimeEntry{Page: "Quiz", Path: fmt.Sprint("/", i/2%4),
						Seconds: float64(i)/1000 + 0.001})
			})
			if diff := cmp.Diff(map[string]int{"": 40}, roomtest.CountErrors(errs)); diff != "" {
				t.Error(diff)
			}
			var rows, spent, visits int
			if err := w.DB.QueryRow(
				"SELECT COUNT(*), SUM(milliseconds), SUM(visits) FROM time_entries").Scan(&rows,
				&spent, &visits); err != nil {
				t.Fatal(err)
			}
			if n := day + 1; rows != 4*n || spent != 820*n || visits != 40*n {
				t.Errorf("%d days: %d entries of %d ms in %d visits", n, rows, spent, visits)
			}
			w.Clock.Advance(24 * time.Hour)
		}
	})
}

func TestTrackTime_TimeAndPlacesOfADayAreBounded(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		two := []*roomtest.World{w, w.OtherInstance(t)}
		ada := w.Person(t, "ada", core.Student)
		const before = 990 // places
		w.Visit(t, ada, "Quiz", "/known", 1)
		for i := 1; i < before; i++ {
			w.Exec(t,
				"INSERT INTO time_entries (user_id, place, day, page, path, course_id, "+
					"chapter_id, milliseconds, visits) SELECT user_id, ?, day, page, ?, '', '', "+
					"0, 1 FROM time_entries WHERE path = '/known'",
				fmt.Sprint("place ", i), fmt.Sprint("/", i))
		}
		errs := roomtest.Concurrently(40, func(i int) error {
			path := "/known"
			if i%2 == 0 {
				path = fmt.Sprint("/new/", i)
			}
			return two[i/2%2].Platform.Study.TrackTime(ctx(), ada,
				study.NewTimeEntry{Page: "Quiz", Path: path, Seconds: 40_000})
		})
		if diff := cmp.Diff(map[string]int{"": 40}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		var places, spent int
		if err := w.DB.QueryRow("SELECT COUNT(*), SUM(milliseconds) FROM time_entries").Scan(
			&places, &spent); err != nil {
			t.Fatal(err)
		}
		if places != 1_000 || spent != 86_400_000 {
			t.Errorf("one day has %d places and %d ms", places, spent)
		}
		if n := w.Count(t, "time_entries WHERE path = '/known' AND visits = 21"); n != 1 {
			t.Error("a visit to a known path was lost")
		}
		w.Clock.Advance(24 * time.Hour)
		w.Visit(t, ada, "Quiz", "/known", 86_400)
		if n := w.Count(t, "time_entries WHERE milliseconds = 86400000 AND visits = 1"); n != 1 {
			t.Error("the next day has no time of its own")
		}
	})
}

func TestTrackTime_DeletedWithTheUser(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, bob := w.Person(t, "ada", core.Student), w.Person(t, "adam", core.Student)
		for range 2 {
			w.Visit(t, ada, "Quiz", "/quiz/a/b", 1)
			w.Visit(t, bob, "Quiz", "/quiz/a/b", 1)
			w.Clock.Advance(24 * time.Hour)
		}
		w.Apply(t, roomtest.Event(people.UserDeleted, 1))
		err := w.Platform.Study.TrackTime(ctx(), ada,
			study.NewTimeEntry{Page: "Quiz", Path: "/quiz/a/b", Seconds: 1})
		roomtest.WantError(t, err, core.ErrUnauthenticated, "Unauthorized Access")
		if n, others := w.Count(t, "time_entries WHERE user_id = 'ada'"),
			w.Count(t, "time_entries"); n != 0 || others != 2 {
			t.Errorf("%d entries are left, and %d of others", n, others)
		}
		if n, others := w.Count(t, "time_days WHERE user_id = 'ada'"),
			w.Count(t, "time_days"); n != 0 || others != 2 {
			t.Errorf("%d days are left, and %d of others", n, others)
		}
	})
}

// In every order, a deleted user has no time entries, neither new ones nor old ones.
func TestTrackTime_ConcurrentDeletionOfTheUser(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		for i := range 20 {
			id := "ada-" + strings.Repeat("x", i+1)
			ada := w.Person(t, id, core.Student)
			if i%2 == 0 {
				w.Visit(t, ada, "Quiz", "/0", 1)
			}
			gone := roomtest.Event(people.UserDeleted, i)
			gone.User.ID = id
			errs := roomtest.Concurrently(7, func(i int) error {
				if i == 0 {
					return w.Platform.System().ApplyIdentityEvent(ctx(), gone)
				}
				err := w.Platform.Study.TrackTime(ctx(), ada,
					study.NewTimeEntry{Page: "Quiz", Path: fmt.Sprint("/", i%3), Seconds: 1})
				if errors.Is(err, core.ErrUnauthenticated) {
					return nil
				}
				return err
			})
			if diff := cmp.Diff(map[string]int{"": 7}, roomtest.CountErrors(errs)); diff != "" {
				t.Error(diff)
			}
			if n := w.Count(t, "time_entries WHERE user_id = ?", id); n != 0 {
				t.Errorf("%d entries of a deleted user", n)
			}
		}
	})
}

// between is a store that calls a function after an operation has read a time entry, and before
// it writes.
type between struct {
	learning.Store
	do func()
}

func (b *between) HasTimeDay(ctx context.Context, userID string, day time.Time) (bool, error) {
	begun, err := b.Store.HasTimeDay(ctx, userID, day)
	b.do()
	return begun, err
}

func TestTrackTime_UserDeletedMeanwhile(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		meanwhile := func() {}
		w := roomtest.New(t, database, learningtest.WithStore(func(st learning.Store) learning.Store {
			return &between{st, func() { meanwhile() }}
		}))
		for _, id := range []string{"first visit of the day", "another visit of the day"} {
			ada := w.Person(t, id, core.Student)
			if id == "another visit of the day" {
				meanwhile = func() {}
				w.Visit(t, ada, "Quiz", "/a", 1)
			}
			meanwhile = func() {
				w.Apply(t, people.IdentityEvent{SentAt: learningtest.Start,
					Type: people.UserDeleted, User: people.IdentityUser{ID: id}})
			}
			err := w.Platform.Study.TrackTime(ctx(), ada,
				study.NewTimeEntry{Page: "Quiz", Path: "/a", Seconds: 1})
			roomtest.WantError(t, err, core.ErrUnauthenticated, "Unauthorized Access")
			if n := w.Count(t, "time_entries"); n != 0 {
				t.Errorf("%s: %d entries are left", id, n)
			}
		}
	})
}

func TestTrackTime_PlacesPerDayAreBounded(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	ada, bob := w.Person(t, "ada", core.Student), w.Person(t, "bob", core.Student)
	for i := range 1_003 {
		w.Visit(t, ada, "Page", fmt.Sprint("/", i), 1)
	}
	w.Visit(t, ada, "Page", "/0", 1) // which is known
	w.Visit(t, bob, "Page", "/new", 1)
	if n := w.Count(t, "time_entries WHERE user_id = 'ada'"); n != 1_000 {
		t.Errorf("%d entries in one day", n)
	}
	if n := w.Count(t, "time_entries WHERE path = '/0' AND visits = 2") +
		w.Count(t, "time_entries WHERE user_id = 'bob'"); n != 2 {
		t.Error("a visit to a known path, or by another user, was not stored")
	}
	w.WantLogged(t, "too many places in one day", 3)
	w.Clock.Advance(24 * time.Hour)
	w.Visit(t, ada, "Page", "/new", 1)
	if n := w.Count(t, "time_entries WHERE user_id = 'ada'"); n != 1_001 {
		t.Errorf("%d entries with those of the next day", n)
	}
}

// A visit whose COMMIT was not answered is counted, and counted again if the client repeats it,
// because a repetition cannot be distinguished from another visit.
func TestTrackTime_FaultAtEachStep(t *testing.T) {
	for name, first := range map[string]bool{"the first of the day": true,
		"another of the day": false} {
		t.Run(name, func(t *testing.T) {
			s := &roomtest.Scenario{
				Prepare: func(t *testing.T, w roomtest.FaultRun) {
					if ada := w.Person(t, w.ID, core.Student); !first {
						w.Visit(t, ada, "Quiz", "/quiz/a/b", 1)
					}
				},
				Do: func(t *testing.T, w roomtest.FaultRun) error {
					return w.Platform.Study.TrackTime(ctx(), learning.Actor{UserID: w.ID},
						study.NewTimeEntry{Page: "Quiz", Path: "/quiz/a/b", Seconds: 1})
				},
				Check: func(t *testing.T, w roomtest.FaultRun) {
					want := 1
					if !first {
						want++
					}
					if w.Lost {
						want++
					}
					if n := w.Count(t,
						"time_entries WHERE user_id = ? AND visits = ? AND milliseconds = ?", w.ID,
						want, 1000*want); n != 1 {
						t.Errorf("the entry is %v, want %d visits", w.Entries(t, w.ID), want)
					}
				},
				Steps: append([]string{"look for a day", "sum up a day"},
					map[bool][]string{true: {"insert a day", "insert a time entry",
						"read the account state of a user"},
						false: {"lock a day", "add to a time entry"}}[first]...),
			}
			roomtest.OnEnginesRepeatedly(t, s.Run)
		})
	}
}
