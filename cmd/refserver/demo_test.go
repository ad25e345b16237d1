package main

import (
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/staff"
)

func TestCreateSandboxUsers_SendsEventsUntilThePlatformHasTheRoles(t *testing.T) {
	t.Parallel()
	s := newSeededServer(t)
	teachers := users(s.People, core.Educator)
	roles := func() (n int) {
		for _, p := range s.People {
			account, err := s.store.AccountState(t.Context(), p.ID)
			if err != nil {
				t.Fatal(err)
			}
			if account.Known && account.RoleAssignment.Role == core.Educator {
				n++
			}
		}
		return n
	}
	createUsers := func() (sent int) {
		before := len(s.box.Deliveries())
		if err := s.createSandboxUsers(t.Context(), demoUsers, teachers); err != nil {
			t.Fatal(err)
		}
		return len(s.box.Deliveries()) - before
	}
	s.seed(t, time.Now()) // educators have records without roles
	createUsers()         // without a webhook URL no event is sent
	if n := roles(); n != 0 {
		t.Fatalf("%d roles are known", n)
	}
	platform := httptest.NewServer(s.handler)
	defer platform.Close()
	s.box.SetWebhookURL(platform.URL)
	// The student has the default role, and no picture yet. The demo's educator is in both lists.
	if sent := createUsers(); sent != len(demoUsers)+len(teachers)-1 || roles() != len(teachers) {
		t.Errorf("%d events sent, %d roles known", sent, roles())
	}
	if sent := createUsers(); sent != 0 {
		t.Errorf("%d events sent about known users", sent)
	}
}

func TestSeedDemo_InterruptedRunWritesNothing(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, database string) {
		s := newSeededServerOn(t, database)
		ctx, cancel := context.WithCancel(t.Context())
		// most of the demo is written then
		s.box.Gateway().OnOrder(func(sandbox.Order) { cancel() })
		if err := s.seedDemo(ctx, s.demo, time.Now()); !errors.Is(err, context.Canceled) {
			t.Fatalf("the seeder was not interrupted: %v", err)
		}
		wantNoRows(t, openDatabase(t, database))
		s.seed(t, time.Now())
		if sales, orders := len(s.figures(t, time.Now()).Sales),
			s.count(purchase.Pending); sales != len(s.Sales) ||
			orders != len(s.openOrders()) {
			t.Errorf("%d sales of %d, %d pending ones with %d orders", sales, len(s.Sales), orders,
				len(s.openOrders()))
		}
	})
}

// count returns the number of sales of the demo with a status.
func (s *seededServer) count(status purchase.Status) (n int) {
	for _, x := range s.Sales {
		if x.Status == status {
			n++
		}
	}
	return n
}

func TestSeedDemo_ExistingDemoIsNotChanged(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newSeededServer(t)
	s.seed(t, now)
	s.payAll(t)
	before := s.figures(t, now)
	s.seed(t, now.AddDate(0, 0, 9))
	if diff := cmp.Diff(before, s.figures(t, now)); diff != "" {
		t.Errorf("figures (-before +after):\n%s", diff)
	}
}

func TestDemo_EveryChartHasData(t *testing.T) {
	t.Parallel()
	for name, now := range map[string]time.Time{
		"in the afternoon":   time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC),
		"just past midnight": time.Date(2026, 3, 1, 0, 0, 40, 0, time.UTC),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSeededServer(t)
			s.seed(t, now)
			f := s.figures(t, now)
			if len(f.Charts.Week) != 7 || len(f.Charts.TopCourses) != 6 ||
				f.Stats.PendingApplications != 3 {
				t.Errorf("%d days, %d top courses, %d pending applications", len(f.Charts.Week),
					len(f.Charts.TopCourses), f.Stats.PendingApplications)
			}
			for _, day := range f.Charts.Week {
				if day.Revenue == 0 {
					t.Errorf("there is no revenue on %s", day.Day.Format(time.DateOnly))
				}
			}
			for _, day := range f.Spent.Week {
				if day.Time == 0 {
					t.Errorf("the student spent no time on %s", day.Day.Format(time.DateOnly))
				}
			}
			quizzes := 0
			for _, c := range f.Spent.Courses {
				quizzes += c.Quizzes.Visits
			}
			// two are on pages that do not count
			if visits, all := f.Spent.Visits,
				len(s.Visits)-2; visits != all || len(f.Spent.Courses) != 7 || quizzes != 8 {
				t.Errorf("%d of %d visits, %d courses, %d visits of quizzes", visits, all,
					len(f.Spent.Courses), quizzes)
			}
			for _, p := range f.Sales {
				if p.CreatedAt.After(now) {
					t.Errorf("%s buys %s at %v, which is in the future", p.UserID, p.CourseID,
						p.CreatedAt)
				}
				i := slices.IndexFunc(f.Courses,
					func(c staff.CourseReport) bool { return c.ID == p.CourseID })
				if i < 0 || !f.Courses[i].CreatedAt.Before(p.CreatedAt) {
					t.Errorf("%s buys %s before the course exists", p.UserID, p.CourseID)
				}
			}
			count := map[purchase.Status]int{}
			for _, p := range f.Sales {
				count[p.Status]++
			}
			if len(f.Sales) != len(s.Sales) || len(count) != 4 {
				t.Errorf("%d of %d sales, by status: %v", len(f.Sales), len(s.Sales), count)
			}
			if len(s.Students) != 24 || f.Stats.Courses != len(s.Courses) {
				t.Errorf("%d students, %d courses", len(s.Students), f.Stats.Courses)
			}
		})
	}
}

func TestDemo_StudentsHaveProgressAndRatings(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	s := newSeededServer(t)
	s.seed(t, now)
	progress := s.figures(t, now).Progress
	if p := progress[demoStudent+" git-for-teams"]; !p.Completed() || p.Stars != 5 {
		t.Errorf("the student has not completed a course: %+v", p)
	}
	if p := progress[demoStudent+" linux-command-line"]; p.Completed() || len(p.Lectures) != 3 ||
		p.Stars != 4 {
		t.Errorf("the student has not begun another course: %+v", p)
	}
	given := map[string]catalog.Ratings{}
	for _, x := range s.Sales {
		p := progress[x.Student+" "+x.Course]
		isEnrolled := x.Status != purchase.Refunded
		lectures := x.Lectures // and the assignments that are graded
		for _, w := range s.Submissions {
			if w.Student == x.Student && w.Course == x.Course &&
				w.Decided.Status == assess.SubmissionGraded {
				lectures++
			}
		}
		if isEnrolled && x.Lectures > 0 &&
			(len(p.Lectures) != lectures || p.CreatedAt.Before(x.date(now)) ||
				p.UpdatedAt.After(now)) {
			t.Errorf("%s has completed %d lectures of %s, want %d, from %v to %v", x.Student,
				len(p.Lectures), x.Course, lectures, p.CreatedAt, p.UpdatedAt)
		}
		if isEnrolled && x.Stars != 0 && p.Stars != x.Stars {
			t.Errorf("%s gave %d stars to %s, want %d", x.Student, p.Stars, x.Course, x.Stars)
		}
		if x.Stars > 0 {
			given[x.Course] = catalog.Ratings{Sum: given[x.Course].Sum + x.Stars,
				Count: given[x.Course].Count + 1}
		}
	}
	page := learning.PageRequest{Limit: core.MaxPageRows}
	listed, err := s.platform.Catalog.Catalogue(t.Context(), catalog.CourseQuery{}, page)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range listed.Rows {
		if c.Ratings != given[c.ID] {
			t.Errorf("%s counts %+v, its students gave %+v", c.ID, c.Ratings, given[c.ID])
		}
	}
	if len(given) < 12 {
		t.Errorf("only %d courses are rated", len(given))
	}
}

func TestDemo_StudentHasQuizResultsAndEducatorInsights(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	s := newSeededServer(t)
	s.seed(t, now)
	f := s.figures(t, now)
	var marks []int
	for _, m := range f.Marks {
		marks = append(marks, m.Percentage)
	}
	if diff := cmp.Diff([]int{100, 80, 80, 43, 100, 40, 60, 60, 80}, marks); diff != "" {
		t.Errorf("the student's results, newest first: %s", diff)
	}
	if len(f.Insights) != 9 || f.Insights[0].Attempts < 4 {
		t.Errorf("the educator's insights: %+v", f.Insights)
	}
	kinds := map[assess.QuestionKind]bool{}
	for _, q := range s.HandQuizzes {
		for _, question := range q.Questions {
			kinds[question.Kind] = true
		}
	}
	if len(kinds) != 5 {
		t.Errorf("the quizzes by hand have the kinds %v", kinds)
	}
	counted := map[string]bool{"Learning": true, "Quiz": true, "My Enrollments": true,
		"Community": true, "AI Chat": true}
	for _, p := range f.Spent.Pages {
		if !counted[p.Page] {
			t.Errorf("%q is no page of the front ends", p.Page)
		}
	}
}

func TestDemo_GatewayHasTheOrders(t *testing.T) {
	t.Parallel()
	s := newSeededServer(t)
	s.seed(t, time.Now())
	found, err := s.platform.System().ReconcilePurchases(t.Context())
	if err != nil || found.Checked == 0 || found.Completed != 0 || found.CheckedPayments == 0 ||
		found.FoundRefunds != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	if n := len(s.openOrders()); n != s.count(purchase.Pending) {
		t.Errorf("%d orders for %d pending sales", n, s.count(purchase.Pending))
	}
	s.refundOne(t)
	s.payAll(t)
	for _, x := range s.Sales {
		if x.Status != purchase.Pending {
			continue
		}
		if enrolled, err := s.store.Enrolled(t.Context(), x.Student, x.Course); err != nil ||
			!enrolled {
			t.Errorf("%s paid %s: enrolled %v, %v", x.Student, x.Course, enrolled, err)
		}
	}
}
