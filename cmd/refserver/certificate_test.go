package main

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/certify"
)

// fetch makes a request with the Accept header of a browser.
func fetch(t *testing.T, url string) (status int, header http.Header, body []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err = io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, body
}

var certificateFile = regexp.MustCompile(`^/media/certificate-([0-9a-f-]{36})\.pdf$`)

// TestCertificate_FromProgressToRevocation completes a course, generates, verifies and
// revokes the certificate.
func TestCertificate_FromProgressToRevocation(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	s := serve(t, nil, dev(dir, "--certificate-name=School of Tea")...)
	token := s.token(t, demoStudent)
	ask := func(status int, method, path, body string) map[string]any {
		t.Helper()
		got, answer := call(t, method, s.url+path, token, body)
		if got != status {
			t.Fatalf("%s %s: status %d, want %d: %v", method, path, got, status, answer)
		}
		return answer
	}
	ask(http.StatusForbidden, http.MethodPost, "/api/user/certificate/generate/free", "")
	ask(http.StatusOK, http.MethodPost, "/api/user/purchase", `{"courseId":"free"}`)
	ask(http.StatusNotFound, http.MethodPost, "/api/user/certificate/generate/free", "")
	course, _ := ask(http.StatusOK, http.MethodGet, "/api/user/enrolled-courses/free",
		"")["courseData"].(map[string]any)
	for _, chapter := range course["courseContent"].([]any) {
		for _, lecture := range chapter.(map[string]any)["chapterContent"].([]any) {
			id, _ := lecture.(map[string]any)["lectureId"].(string)
			ask(http.StatusOK, http.MethodPost, "/api/user/update-course-progress",
				`{"courseId":"free","lectureId":"`+id+`"}`)
		}
	}
	if answer := ask(http.StatusOK, http.MethodGet, "/api/user/certificate/check/free",
		""); answer["eligible"] != true || answer["certificateExists"] != false {
		t.Errorf("check: %v", answer)
	}
	made := ask(http.StatusOK, http.MethodPost, "/api/user/certificate/generate/free", "")
	got := ask(http.StatusOK, http.MethodGet, "/api/user/certificate/free", "")
	address, _ := made["pdfUrl"].(string)
	file := certificateFile.FindStringSubmatch(strings.TrimPrefix(address, s.url))
	if made["created"] != true || got["pdfUrl"] != address || file == nil {
		t.Fatalf("generated %v and fetched %v", made, got)
	}
	status, header, pdf := fetch(t, address)
	if status != http.StatusOK || header.Get("Content-Type") != "application/pdf" ||
		!bytes.HasPrefix(pdf, []byte("%PDF-")) || !bytes.Contains(pdf, []byte(">School of Tea<")) {
		t.Errorf("the PDF: status %d, %v, %.20q", status, header, pdf)
	}

	if err := os.Remove(filepath.Join(dir, "media", "certificate-"+file[1]+".pdf")); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := fetch(t, address); status != http.StatusNotFound {
		t.Errorf("the PDF that is gone: status %d", status)
	}
	ask(http.StatusOK, http.MethodGet, "/api/user/certificate/free", "")
	if status, _, again := fetch(t, address); status != http.StatusOK || !bytes.Equal(again, pdf) {
		t.Errorf("the PDF that was made again: status %d, the same: %v", status,
			bytes.Equal(again, pdf))
	}

	verify := "/api/certificate/verify/" + file[1]
	answer := ask(http.StatusOK, http.MethodGet, verify, "")
	printed, _ := answer["certificate"].(map[string]any)
	if answer["valid"] != true || printed["certificateId"] != file[1] ||
		printed["courseTitle"] != "Free" || printed["educatorName"] != "Tea Cher" ||
		printed["issuerName"] != "School of Tea" {
		t.Errorf("verified: %v", answer)
	}
	status, header, page := fetch(t, s.url+verify)
	if status != http.StatusOK || header.Get("Content-Type") != "text/html; charset=utf-8" ||
		!bytes.Contains(page, []byte("This certificate is valid")) ||
		!bytes.Contains(page, []byte(">School of Tea<")) {
		t.Errorf("the page: status %d, %v\n%s", status, header, page)
	}

	if code, stdout, stderr := command(t,
		dev(dir, "revoke", file[1], "--reason=A mistake")...); code != 0 ||
		!strings.Contains(stdout, "is revoked now") {
		t.Errorf("revoke: exit code %d, %q, %q", code, stdout, stderr)
	}
	if answer := ask(http.StatusOK, http.MethodGet, verify, ""); answer["valid"] != false ||
		answer["reason"] != "A mistake" {
		t.Errorf("revoked: %v", answer)
	}
	ask(http.StatusConflict, http.MethodGet, "/api/user/certificate/free", "")
	if status, _, _ := fetch(t, address); status != http.StatusNotFound {
		t.Errorf("the PDF of the revoked certificate: status %d", status)
	}
	code, stdout, _ := command(t, dev(dir, "revoke", file[1], "--reason=Another")...)
	if code != 0 || !strings.Contains(stdout, "was revoked before") ||
		!strings.Contains(stdout, "A mistake") {
		t.Errorf("revoke again: exit code %d and %q", code, stdout)
	}
}

func TestRevokeCommand_ExplainsErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dev(dir) // creates the tables
	database := "--database=sqlite:" + filepath.Join(dir, "learning.db")
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{1, `there is no certificate "00000000-0000-4000-8000-000000000000"`,
			[]string{"revoke", "00000000-0000-4000-8000-000000000000", "--reason=x"}},
		{1, "between 1 and 1000 characters", []string{"revoke", "x", "--reason= "}},
		{1, "between 1 and 1000 characters",
			[]string{"revoke", "x", "--reason=" + strings.Repeat("x", 1001)}},
		{2, "--reason", []string{"revoke", "x"}},
		{2, "<id>", []string{"revoke", "--reason=x"}},
	} {
		code, stdout, stderr := command(t, append([]string{database}, c.args...)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit code %d, %q and %q, which lacks %q", c.args, code, stdout, stderr,
				c.want)
		}
	}
}

func TestCertificateSettings_ChangeTheAppearance(t *testing.T) {
	t.Parallel()
	draw := func(look CertificateSettings) []byte {
		t.Helper()
		s := Settings{Fonts: t.TempDir(), Certificate: look}
		r, err := s.newRenderer(slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		page, err := r.RenderCertificate(t.Context(),
			certify.Certificate{ID: "id", StudentName: "Ada", CourseTitle: "Tea"},
			"https://api.example.org/id")
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	plain := draw(CertificateSettings{})
	logo := write(t, t.TempDir(), "logo.png", tinyPicture(t))
	if bytes.Contains(plain, []byte("/Subtype/Image")) ||
		!bytes.Contains(draw(CertificateSettings{Logo: logo}), []byte("/Subtype/Image")) {
		t.Error("the logo is not in it, or is without being there")
	}
	if bytes.Equal(draw(CertificateSettings{Accent: "#7A1f2b"}), plain) {
		t.Error("the colour is that of another one")
	}
}

func TestServer_LogsTheScriptsOfItsFonts(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, dev(shop(t), "--fonts="+t.TempDir())...)
	if log := s.stderr.String(); !strings.Contains(log, `scripts="Latin, Greek, Cyrillic`) ||
		strings.Contains(log, "Devanagari") {
		t.Errorf("the log says\n%s", log)
	}
}
