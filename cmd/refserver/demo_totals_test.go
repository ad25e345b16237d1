package main

import (
	"math"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shown is the rows of a list that a route answers.
type shown []map[string]any

func (s *server) list(t *testing.T, path, field, token string) (rows shown) {
	t.Helper()
	status, answer := call(t, http.MethodGet, s.url+path, token, "")
	list, ok := answer[field].([]any)
	if status != http.StatusOK || !ok {
		t.Fatalf("%s: status %d, %.300v", path, status, answer)
	}
	for _, row := range list {
		rows = append(rows, row.(map[string]any))
	}
	return rows
}

// sum returns the sum of a field, in hundredths.
func (rows shown) sum(field string) (n int64) {
	for _, row := range rows {
		n += hundredths(row[field])
	}
	return n
}

func hundredths(v any) int64 { f, _ := v.(float64); return int64(math.Round(f * 100)) }

func TestDemo_TotalsAgreeAfterAKilledStart(t *testing.T) {
	dir := t.TempDir()
	kill(t, dir)
	s := serve(t, nil, dev(dir)...)
	admin := s.token(t, demoAdmin)
	_, answer := call(t, http.MethodGet, s.url+"/api/admin/stats", admin, "")
	stats, _ := answer["stats"].(map[string]any)
	courses := s.list(t, "/api/admin/courses", "courses", admin)
	completed := s.list(t, "/api/admin/purchases?status=completed", "purchases", admin)
	earned, taught := int64(0), 0
	for _, id := range educators(t) {
		_, answer := call(t, http.MethodGet, s.url+"/api/educator/dashboard", signIn(t, s.sandbox(t), id), "")
		data, _ := answer["dashboardData"].(map[string]any)
		earned += hundredths(data["totalEarnings"])
		students, _ := data["enrolledStudentsData"].([]any)
		taught += len(students)
	}
	revenue := hundredths(stats["totalRevenue"])
	if revenue == 0 || revenue != courses.sum("revenue") || revenue != completed.sum("amount") || revenue != earned {
		t.Errorf("the revenue is %d, of courses %d, of purchases %d, on dashboards %d", revenue, courses.sum("revenue"), completed.sum("amount"), earned)
	}
	if n := hundredths(stats["totalEnrollments"]); n == 0 || n != courses.sum("enrolledCount") || n != int64(100*taught) {
		t.Errorf("%d/100 enrolments, of courses %d/100, on dashboards %d", n, courses.sum("enrolledCount"), taught)
	}
	if n := courses.sum("purchases"); n != int64(100*len(completed)) {
		t.Errorf("%d/100 purchases of courses, %d completed", n, len(completed))
	}
	s.wantWeek(t, admin)
	if diff := cmp.Diff(map[string]int{"pending": 3, "rejected": 2, "approved": 1}, s.applications(t, admin)); diff != "" {
		t.Errorf("applications (-want +got):\n%s", diff)
	}
}

// wantWeek compares the chart with the purchases. Those of the demo were paid when they
// were created.
func (s *server) wantWeek(t *testing.T, admin string) {
	t.Helper()
	want := map[string]int64{}
	for _, p := range s.list(t, "/api/admin/purchases?status=completed", "purchases", admin) {
		want[p["createdAt"].(string)[:10]] += hundredths(p["amount"])
	}
	for _, day := range s.list(t, "/api/admin/chart-data", "weeklyRevenue", admin) {
		if date := day["date"].(string); hundredths(day["revenue"]) != want[date] {
			t.Errorf("on %s %v was earned; the purchases say %d/100", date, day["revenue"], want[date])
		}
	}
}

func (s *server) applications(t *testing.T, admin string) map[string]int {
	t.Helper()
	count := map[string]int{}
	for _, a := range s.list(t, "/api/admin/educator-applications", "applications", admin) {
		count[a["status"].(string)]++
		if a["status"] == "rejected" && a["rejectionReason"] == "" {
			t.Errorf("%v was rejected without a reason", a["userId"])
		}
	}
	return count
}

// educators returns the ids of the educators of the demo.
func educators(t *testing.T) (ids []string) {
	t.Helper()
	demo, err := parseCatalogue(demoCatalogue)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range demo.People {
		ids = append(ids, p.ID)
	}
	return ids
}

// kill starts a server on an empty folder, and kills it while it seeds the courses.
func kill(t *testing.T, dir string) {
	t.Helper()
	cmd, url, _ := process(t, dev(dir)...)
	await(t, "the first courses", func() bool {
		_, answer := call(t, http.MethodGet, url+"/api/course/all", "", "")
		return len(answer["courses"].([]any)) > 0
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ended(t, cmd)
}
