package web

import (
	"fmt"
	"html"
	"html/template"
	"io/fs"
	"regexp"
	"strings"
)

// lecturePolicy is the Content-Security-Policy of lectures, which the player shows in a frame.
const lecturePolicy = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri " +
	"'none'; form-action 'none'; frame-ancestors 'self'"

var (
	lectureTitle = regexp.MustCompile(`(?s)^\s*<h1>(.*?)</h1>`)
	tag          = regexp.MustCompile(`<[^>]*>`)
)

// lectureData is the data of lecture.html.
type lectureData struct {
	Title string
	Body  template.HTML // begins with the title as an h1
}

// noLectureBody is the body of the answer for a lecture that does not exist.
const noLectureBody = "<h1>This lecture does not exist</h1>\n<p>The link may be old. Open the " +
	"course in the storefront and choose the lecture there.</p>\n"

// addLectures adds each fragment lectures/COURSE/LECTURE.html as a page /lectures/COURSE/LECTURE,
// and sets the page for lectures that do not exist.
func (s *site) addLectures(files fs.FS, _ Config) error {
	page, err := template.ParseFS(files, "lecture.html")
	if err != nil {
		return err
	}
	// One page for lectures that do not exist, and one for each that does.
	if s.noLecture, err = newLecture(page, noLectureBody); err != nil {
		return err
	}
	names, err := glob(files, "lectures", ".html")
	if err != nil {
		return err
	}
	for _, name := range names {
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if s.assets["/"+strings.TrimSuffix(name, ".html")], err = newLecture(page,
			string(body)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// scrolling gives code and tables, which scroll if they are wide, a stop of the keyboard.
var scrolling = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<table>",
	`<div class="table-scroll" tabindex="0"><table>`, "</table>", "</table></div>")

// newLecture returns the page of a fragment, which must begin with an h1. The title of the page is
// the text of the h1. The fragment is part of the program, so its HTML is not escaped.
func newLecture(page *template.Template, body string) (*asset, error) {
	title := lectureTitle.FindStringSubmatch(body)
	if title == nil {
		return nil, fmt.Errorf("a lecture must begin with <h1>its title</h1>")
	}
	data := lectureData{Title: html.UnescapeString(tag.ReplaceAllString(title[1], "")),
		Body: template.HTML(scrolling.Replace(body))}
	return newPage(page, data, lecturePolicy)
}
