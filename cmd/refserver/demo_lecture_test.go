package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/examples/storefront/web"
	"github.com/openlectern/openlectern/learning/catalog"
)

// The lectures of the demo without a kind are pages of the storefront, on the origin that it has.
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
				if l.Kind != "" { // its material is in files and texts
					continue
				}
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

// The demo has lectures of every kind, whose files can be opened by those who may read them.
func TestDemo_HasLecturesOfEveryKind(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, dev(t.TempDir())...)
	_, answer := call(t, http.MethodGet, s.url+"/api/user/enrolled-courses/home-networks",
		s.token(t, demoStudent), "")
	data, _ := answer["courseData"].(map[string]any)
	kinds := map[string]bool{}
	for _, chapter := range objects(data["courseContent"]) {
		for _, l := range objects(chapter["chapterContent"]) {
			kind, _ := l["kind"].(string)
			kinds[kind] = true
			urls := []object{{"url": l["lectureUrl"]}}
			if kind == "text" || kind == "embed" || kind == "assignment" {
				urls = nil
			}
			urls = append(append(urls, objects(l["captions"])...), objects(l["attachments"])...)
			for _, file := range urls {
				if kind == "" {
					continue // a page of the storefront
				}
				if status, _ := read(t, file["url"].(string)); status != http.StatusOK {
					t.Errorf("%v: %v: status %d", l["lectureTitle"], file, status)
				}
			}
		}
	}
	for _, kind := range catalog.LectureKinds {
		if !kinds[string(kind)] {
			t.Errorf("no lecture of the kind %s", kind)
		}
	}
}
