package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/engines"
)

func TestFrozenDatabase_RequestsAnswer503AndLaterSucceed(t *testing.T) {
	database := enginetest.StartMariaDB(t)
	url := database.URL("learning")
	k := learningtest.New(t, learningtest.WithDatabase(url),
		learningtest.WithStore(func(learning.Store) learning.Store {
			st, err := engines.Open(t.Context(), url,
				store.WithDeadlines(3*time.Second, 3*time.Second))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = st.Close() })
			return st
		}))
	handler, err := httpapi.New(k.Platform)
	if err != nil {
		t.Fatal(err)
	}
	token := k.Token(t, k.Person(t, "ada", core.Student).UserID)
	ask := func(method, path, body string) (status int, retryAfter, answer string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code, w.Header().Get("Retry-After"), w.Body.String()
	}
	requests := []struct{ method, path, body string }{
		{"GET", "/api/community/groups", ""},
		{"GET", "/api/user/data", ""},
		{"POST", "/api/community/groups", `{"name":"Go","description":""}`},
	}
	database.Freeze()
	var all sync.WaitGroup
	for _, r := range requests {
		all.Go(func() {
			began := time.Now()
			status, retryAfter, body := ask(r.method, r.path, r.body)
			if status != http.StatusServiceUnavailable || retryAfter != "5" ||
				body != `{"success":false,"message":"The server is busy. Please try again."}` {
				t.Errorf("%s %s: the answer is %d %s", r.method, r.path, status, body)
			}
			if took := time.Since(began); took > answerTime {
				t.Errorf("%s %s: took %v", r.method, r.path, took)
			}
		})
	}
	all.Wait()
	database.Thaw()
	for _, r := range requests {
		if status, _, body := ask(r.method, r.path, r.body); status != http.StatusOK {
			t.Errorf("%s %s after that: the answer is %d %s", r.method, r.path, status, body)
		}
	}
}
