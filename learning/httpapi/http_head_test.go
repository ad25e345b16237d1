package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning/httpapi"
)

func TestHead_AnswersAsGetWithoutTheBody(t *testing.T) {
	t.Parallel()
	s := fixtureSite(t, httpapi.WithLimiters(unlimited))
	server := httptest.NewServer(s.handler)
	defer server.Close()
	for _, row := range httpapi.Table() {
		if row.Method != http.MethodGet {
			continue
		}
		for _, who := range []string{"student", "educator", "admin", "newcomer", ""} {
			address := server.URL + strings.ReplaceAll(row.Path, ":id", "course_go")
			head := s.ask(http.MethodHead, address, who)
			if row.ID == "notification.stream" { // which does not end by itself
				address += "?seconds=0"
			}
			get := s.ask(http.MethodGet, address, who)
			if len(head.Content) != 0 || len(get.Content) == 0 {
				t.Errorf("%s for %q: HEAD has %d bytes, GET %d", row.ID, who, len(head.Content),
					len(get.Content))
			}
			if diff := cmp.Diff(withoutLength(get.Text(false)),
				withoutLength(head.Text(false)+string(get.Content)+"\n")); diff != "" {
				t.Errorf("%s for %q (-GET +HEAD):\n%s", row.ID, who, diff)
			}
			if head.ContentLength != get.ContentLength { // a stream has none
				t.Errorf("%s for %q: HEAD says %d bytes, GET has %d", row.ID, who,
					head.ContentLength, get.ContentLength)
			}
		}
	}
}

// withoutLength leaves out Content-Length, which text shows for HEAD only.
func withoutLength(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "Content-Length: ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// ask sends a request over HTTP.
func (s *site) ask(method, address, who string) *contracttest.Response {
	s.tb.Helper()
	r, err := http.NewRequest(method, address, nil)
	check(s.tb, err)
	r.Header.Set("Accept-Encoding", "identity")
	if who != "" {
		r.Header.Set("Authorization", "Bearer "+s.Token(s.tb, who))
	}
	answer, err := http.DefaultClient.Do(r)
	check(s.tb, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	check(s.tb, err)
	return &contracttest.Response{Response: answer, Content: body}
}
