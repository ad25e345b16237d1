package main

import (
	"bytes"
	"database/sql"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/exchange"
)

// rows are the rows of a list that a route answers.
type rows []map[string]any

func (s *server) list(t *testing.T, path, field, token string) (all rows) {
	t.Helper()
	status, answer := call(t, http.MethodGet, s.url+path, token, "")
	list, ok := answer[field].([]any)
	if status != http.StatusOK || !ok {
		t.Fatalf("%s: status %d, %.300v", path, status, answer)
	}
	for _, row := range list {
		all = append(all, row.(map[string]any))
	}
	return all
}

// sum returns the sum of a field, in hundredths.
func (list rows) sum(field string) (n int64) {
	for _, row := range list {
		n += hundredths(row[field])
	}
	return n
}

func hundredths(v any) int64 { f, _ := v.(float64); return int64(math.Round(f * 100)) }

func TestDemo_TotalsAgreeAfterKilledStarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for pictures := 1; pictures < 20; pictures += 6 {
		killAt(t, dir, "some pictures",
			func(before int) bool { return countPictures(t, dir) >= before+pictures })
	}
	killAt(t, dir, "an order", func(int) bool {
		state, err := os.ReadFile(filepath.Join(dir, "learning.db.sandbox.json"))
		return err == nil && bytes.Contains(state, []byte(`"entity":"order"`))
	})
	s := serve(t, nil, dev(dir)...)
	admin := s.token(t, demoAdmin)
	_, answer := call(t, http.MethodGet, s.url+"/api/admin/stats", admin, "")
	stats, _ := answer["stats"].(map[string]any)
	courses := s.list(t, "/api/admin/courses", "courses", admin)
	completed := s.list(t, "/api/admin/purchases?status=completed", "purchases", admin)
	earned, enrolled := int64(0), 0
	for _, id := range educators(t) {
		_, answer := call(t, http.MethodGet, s.url+"/api/educator/dashboard",
			signIn(t, s.sandbox(t), id), "")
		data, _ := answer["dashboardData"].(map[string]any)
		earned += hundredths(data["totalEarnings"])
		students, _ := data["enrolledStudentsData"].([]any)
		enrolled += len(students)
	}
	revenue := hundredths(stats["totalRevenue"])
	if revenue == 0 || revenue != courses.sum("revenue") || revenue != completed.sum("amount") ||
		revenue != earned {
		t.Errorf("the revenue is %d, of courses %d, of purchases %d, on dashboards %d", revenue,
			courses.sum("revenue"), completed.sum("amount"), earned)
	}
	if n := hundredths(stats["totalEnrollments"]); n == 0 || n != courses.sum("enrolledCount") ||
		n != int64(100*enrolled) {
		t.Errorf("%d/100 enrolments, of courses %d/100, on dashboards %d", n,
			courses.sum("enrolledCount"), enrolled)
	}
	if n := courses.sum("purchases"); n != int64(100*len(completed)) {
		t.Errorf("%d/100 purchases of courses, %d completed", n, len(completed))
	}
	demo := &deployment{db: openDatabase(t, "sqlite:"+filepath.Join(dir, "learning.db"))}
	demo.wantInvariants(t)
	demo.wantTotals(t)
	s.wantWeek(t, admin)
	if diff := cmp.Diff(map[string]int{"pending": 3, "rejected": 2, "approved": 1},
		s.applications(t, admin)); diff != "" {
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
			t.Errorf("the revenue of %s is %v; that of the purchases is %d/100", date,
				day["revenue"], want[date])
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
	for _, p := range readCatalogue(t).People {
		ids = append(ids, p.ID)
	}
	return ids
}

// readCatalogue returns the courses of the demo and their educators.
func readCatalogue(t *testing.T) exchange.Catalogue {
	t.Helper()
	demo, err := exchange.ParseCatalogue(demoCatalogue)
	if err != nil {
		t.Fatal(err)
	}
	return demo
}

// killAt starts a server, and kills it when the condition is true, which is called with
// the number of pictures before the start. The server must have written nothing, or, if
// it was killed too late, everything.
func killAt(t *testing.T, dir, what string, condition func(pictures int) bool) {
	t.Helper()
	before := countPictures(t, dir)
	cmd, url, _ := process(t, nil, dev(dir)...)
	isSeeded := func() bool {
		_, answer := call(t, http.MethodGet, url+"/api/course/all", "", "")
		return len(answer["courses"].([]any)) > 0
	}
	await(t, what, func() bool { return condition(before) || isSeeded() })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ended(t, cmd)
	db := openDatabase(t, "sqlite:"+filepath.Join(dir, "learning.db"))
	var courses int
	if err := db.QueryRow("SELECT COUNT(*) FROM courses").Scan(&courses); err != nil {
		t.Fatal(err)
	}
	if courses < len(readCatalogue(t).Courses) {
		wantNoRows(t, db)
	}
}

func countPictures(t *testing.T, dir string) int {
	t.Helper()
	pictures, err := filepath.Glob(filepath.Join(dir, "media", "*.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	return len(pictures)
}

// wantNoRows checks that the tables of the demo are empty.
func wantNoRows(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, table := range []string{"users", "courses", "quizzes", "applications", "time_entries",
		"posts", "purchases", "enrollments"} {
		var n int
		err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n)
		if err != nil || n != 0 {
			t.Errorf("%d rows of %s: %v", n, table, err)
		}
	}
}
