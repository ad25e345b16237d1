package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/store"
)

func TestFrozenDatabase_RequestsAnswer500AndLaterSucceed(t *testing.T) {
	database := enginetest.StartMariaDB(t)
	url := database.URL("learning")
	k := learningtest.New(t, learningtest.WithDatabase(url), learningtest.WithStore(func(learning.Store) learning.Store {
		st, err := store.Open(t.Context(), url, store.WithDeadlines(3*time.Second, 3*time.Second))
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
	token := k.Token(t, k.Person(t, "ada", learning.Student).UserID)
	ask := func(method, path, body string) (int, string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		answer, _ := io.ReadAll(w.Result().Body)
		return w.Code, string(answer)
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
			status, body := ask(r.method, r.path, r.body)
			if status != http.StatusInternalServerError || body != `{"success":false,"message":"An unexpected error occurred"}` {
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
		if status, body := ask(r.method, r.path, r.body); status != http.StatusOK {
			t.Errorf("%s %s after that: the answer is %d %s", r.method, r.path, status, body)
		}
	}
}
