package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/openlectern/openlectern/learning/httpapi"
)

// OPTIONS says what the server has of the protocol, to everyone, at both paths; a preflight of a
// browser gets the headers of CORS.
func TestUploads_Options(t *testing.T) {
	t.Parallel()
	s := fixtureSite(t)
	for path, allow := range map[string]string{"/api/educator/uploads": "OPTIONS, POST",
		"/api/educator/uploads/any": "DELETE, GET, HEAD, OPTIONS, PATCH"} {
		got := s.do(http.MethodOptions, path, "")
		h := got.Header()
		if got.Code != http.StatusNoContent || h.Get("Allow") != allow ||
			h.Get("Tus-Resumable") != "1.0.0" || h.Get("Tus-Version") != "1.0.0" ||
			h.Get("Tus-Max-Size") != "500000000" ||
			h.Get("Tus-Extension") != "creation,creation-with-upload,expiration,termination" {
			t.Errorf("%s: %d %v", path, got.Code, h)
		}
	}
	if h := s.do(http.MethodOptions, "/api/educator/files", "").Header(); h.Get("Tus-Version") != "" {
		t.Errorf("another route has %v", h)
	}
	h := s.do(http.MethodOptions, "/api/educator/uploads/any", "", "Origin", "http://localhost:5173",
		"Access-Control-Request-Method", "PATCH", "Access-Control-Request-Headers",
		"authorization,content-type,tus-resumable,upload-offset").Header()
	if h.Get("Access-Control-Allow-Methods") != "PATCH" ||
		!strings.Contains(h.Get("Access-Control-Allow-Headers"), "upload-offset") {
		t.Errorf("a preflight: %v", h)
	}
}

// Metadata are pairs of a key and a value in base64. The name is cleaned as that of a form.
func TestCreateUpload_Metadata(t *testing.T) {
	t.Parallel()
	s := fixtureSite(t, httpapi.WithLimiters(unlimited))
	for metadata, want := range map[string]string{
		"":                       "file",
		"filename":               "file",
		"filename YS50eHQ=":      "a.txt",
		"is_new, filename YQ== ": "a",
		"filename Li4vYS50eHQ=,filetype dGV4dC9odG1s": "a.txt",
		"filename /w==":                       "\ufffd",
		"filename AA==":                       "\ufffd",
		"filename a.txt":                      "",
		"filename YQ==,filename Yg==":         "",
		"filename YQ== YQ==":                  "",
		",":                                   "",
		"filename  YQ==":                      "",
		"name " + strings.Repeat("QUFB", 500): "",
	} {
		headers := append(s.as("educator"), "Tus-Resumable", "1.0.0", "Upload-Length", "1",
			"Upload-Metadata", metadata)
		got := s.do(http.MethodPost, "/api/educator/uploads", "", headers...)
		if want == "" {
			wantResponse(t, metadata, got, http.StatusBadRequest, "")
			continue
		}
		shown := s.do(http.MethodGet, "/api/educator/"+got.Header().Get("Location"), "",
			s.as("educator")...)
		if name := `"name":"` + want + `"`; !strings.Contains(shown.Body.String(), name) ||
			shown.Header().Get("Upload-Metadata") != metadata {
			t.Errorf("%q: %d %s %v", metadata, got.Code, shown.Body, shown.Header())
		}
	}
	for _, length := range []string{"", "-1", "1.5", "0x1", " ", "1e9"} {
		headers := append(s.as("educator"), "Tus-Resumable", "1.0.0", "Upload-Length", length)
		wantResponse(t, length, s.do(http.MethodPost, "/api/educator/uploads", "", headers...),
			http.StatusBadRequest, "")
	}
}

// When the connection of a PATCH breaks, the bytes before are stored: the next one continues there.
func TestAppendUpload_BrokenConnection(t *testing.T) {
	t.Parallel()
	s := fixtureSite(t)
	headers := append(s.as("educator"), "Tus-Resumable", "1.0.0", "Content-Type",
		"application/offset+octet-stream", "Upload-Length", "7")
	location := "/api/educator/" + s.do(http.MethodPost, "/api/educator/uploads", "",
		headers...).Header().Get("Location")
	r := httptest.NewRequest(http.MethodPatch, location, io.MultiReader(strings.NewReader("%PDF"),
		iotest.ErrReader(io.ErrUnexpectedEOF)))
	r.Header.Set("Upload-Offset", "0")
	for h := headers; len(h) > 1; h = h[2:] {
		r.Header.Set(h[0], h[1])
	}
	broken := httptest.NewRecorder()
	s.handler.ServeHTTP(broken, r)
	wantResponse(t, "the broken one", broken, http.StatusBadRequest, "")
	got := s.do(http.MethodPatch, location, "-1.", append(headers, "Upload-Offset", "4")...)
	if got.Code != http.StatusNoContent || got.Header().Get("Upload-Offset") != "7" {
		t.Errorf("the next one: %d %s", got.Code, got.Body)
	}
}
