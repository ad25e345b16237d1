package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/examples/storefront/web"
)

// The lectures of the demo are pages of the storefront, on the origin that it has.
func TestDemo_StorefrontServesEveryLecture(t *testing.T) {
	t.Parallel()
	pages, err := web.New(web.Config{API: "http://localhost:3000"})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(pages)
	t.Cleanup(srv.Close)
	h := &devServer{program: &program{Settings: Settings{FrontendOrigin: srv.URL}}}
	d, err := h.readDemo()
	if err != nil {
		t.Fatal(err)
	}
	for _, course := range d.Courses {
		for _, chapter := range course.Content {
			for _, l := range chapter.Lectures {
				if want := srv.URL + "/lectures/" + course.ID + "/" + l.ID; l.URL != want {
					t.Errorf("the URL is %s, want %s", l.URL, want)
				}
				if status, page := read(t, l.URL); status != http.StatusOK ||
					!strings.Contains(page, `<main class="lecture">`) {
					t.Errorf("%s: status %d", l.URL, status)
				}
			}
		}
	}
}
