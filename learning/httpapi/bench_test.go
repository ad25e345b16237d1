package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// benchClients is the number of concurrent clients.
const benchClients = 16

// BenchmarkListOfCourses requests the list of courses. The baseline is a handler that only
// writes the same bytes, without security headers, request id and content negotiation.
func BenchmarkListOfCourses(b *testing.B) {
	for _, courses := range []int{100, 1000} {
		k := learningtest.New(b)
		fillCatalogue(b, k, courses)
		ours := serve(b, platformHandler(b, k))
		for _, coding := range []string{"plain", "gzip"} {
			b.Run(fmt.Sprintf("courses=%d/%s", courses, coding), func(b *testing.B) {
				request := get(b, ours, "/api/course/all", "Accept-Encoding", coding)
				bare := serve(b, sameBytes(request))
				compareHTTP(b, 0.7, request, get(b, bare, "/api/course/all", "Accept-Encoding", coding))
			})
		}
	}
}

// BenchmarkUserData requests the caller's user record. The baseline is a handler with the same
// query and the same answer that does not verify a token.
func BenchmarkUserData(b *testing.B) {
	enginetest.Each(b, enginetest.Dialects, func(b *testing.B, e enginetest.Engine) {
		address := e.URL(b)
		k := learningtest.New(b, learningtest.WithDatabase(address))
		k.Person(b, "user", learning.Student)
		enroll(b, k, "user", 10)
		ours, bare := serve(b, platformHandler(b, k)), serve(b, bareUserData(b, address, "user"))
		token := "Bearer " + k.Token(b, "user")
		b.Run("clients="+strconv.Itoa(benchClients), func(b *testing.B) {
			compareHTTP(b, 0.5, get(b, ours, "/api/user/data", "Authorization", token), get(b, bare, "/api/user/data", "Authorization", token))
		})
	})
}

func platformHandler(tb testing.TB, k *learningtest.Kit) http.Handler {
	tb.Helper()
	h, err := httpapi.New(k.Platform)
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// fillCatalogue publishes courses with descriptions of ordinary length.
func fillCatalogue(tb testing.TB, k *learningtest.Kit, courses int) {
	tb.Helper()
	educator := k.Person(tb, "educator", learning.Educator)
	err := k.Store.InTx(context.Background(), func(tx learning.Tx) error {
		for i := range courses {
			err := tx.InsertCourse(context.Background(), learning.Course{
				ID: fmt.Sprintf("018f4b6a-7c2e-7f3a-9d51-%012d", i), Title: fmt.Sprintf("Reading the Night Sky, part %d", i), Description: description(i),
				Thumbnail: fmt.Sprintf("%032x.jpg", i), Price: 199900, Discount: 1500, Published: true, Educator: learning.Person{ID: educator.UserID},
				Ratings: learning.Ratings{Sum: 4*i + 3, Count: i + 1}, Lectures: 12, Minutes: 340, Students: 7 * i,
				CreatedAt: learningtest.Start, UpdatedAt: learningtest.Start,
			}, nil)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

func description(i int) string {
	var b strings.Builder
	for j := range 6 {
		fmt.Fprintf(&b, "In lesson %d we follow constellation %d across the seasons and learn why it seems to move. ", j+1, (i*7+j*13)%88)
	}
	return b.String()
}

func enroll(tb testing.TB, k *learningtest.Kit, userID string, courses int) {
	tb.Helper()
	err := k.Store.InTx(context.Background(), func(tx learning.Tx) error {
		for i := range courses {
			id := fmt.Sprintf("018f4b6a-7c2e-7f3a-9d51-%012d", i)
			if err := tx.InsertEnrollment(context.Background(), learning.Enrollment{UserID: userID, CourseID: id, PurchaseID: id, CreatedAt: learningtest.Start}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// sameBytes returns a handler that writes the body of an answer with its Content headers.
func sameBytes(answered request) http.Handler {
	header, body := answered.answer.header, answered.answer.body
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", header.Get("Content-Type"))
		h.Set("Content-Length", strconv.Itoa(len(body)))
		if coding := header.Get("Content-Encoding"); coding != "" {
			h.Set("Content-Encoding", coding)
		}
		_, _ = w.Write(body)
	})
}

type bareUser struct {
	Success bool `json:"success"`
	User    struct {
		ID       string   `json:"_id"`
		Name     string   `json:"name"`
		Email    string   `json:"email"`
		ImageURL string   `json:"imageUrl"`
		Enrolled []string `json:"enrolledCourses"`
	} `json:"user"`
}

// bareUserData answers every request with the record of one user.
func bareUserData(tb testing.TB, address, userID string) http.Handler {
	tb.Helper()
	read := baseline.Open(tb, address).Reading(tb, `
		SELECT u.id, u.name, u.email, u.image_url, u.created_at, u.changed_at, e.course_id
		FROM users u LEFT JOIN enrollments e ON e.user_id = u.id
		WHERE u.id = ? AND u.deleted_at IS NULL
		ORDER BY e.created_at, e.course_id`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rows, err := read(r.Context(), userID)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer rows.Close()
		answer := bareUser{Success: true}
		for rows.Next() {
			var course, created, changed any
			u := &answer.User
			if err := rows.Scan(&u.ID, &u.Name, &u.Email, &u.ImageURL, &created, &changed, &course); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			switch id := course.(type) {
			case string:
				u.Enrolled = append(u.Enrolled, id)
			case []byte:
				u.Enrolled = append(u.Enrolled, string(id))
			}
		}
		body, _ := json.Marshal(answer)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	})
}

// serve serves a handler on a port of 127.0.0.1 until the benchmark ends.
func serve(tb testing.TB, h http.Handler) string {
	tb.Helper()
	s := httptest.NewServer(h)
	tb.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// compareHTTP compares two servers that must give the same answer.
func compareHTTP(b *testing.B, wanted float64, ours, bare request) {
	b.Helper()
	if !bytes.Equal(ours.answer.body, bare.answer.body) || len(ours.answer.body) < 100 {
		b.Fatalf("the answers differ:\nours %.300s\nbare %.300s", ours.answer.body, bare.answer.body)
	}
	b.SetBytes(int64(len(ours.answer.body)))
	baseline.Run(b, wanted, baseline.Side{Do: ours.clients(b, benchClients)}, baseline.Side{Do: bare.clients(b, benchClients)})
}
