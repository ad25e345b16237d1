package httpapi_test

import (
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// upload sends a course with a thumbnail as an educator.
func (s *site) upload(courseData string, image []byte) *httptest.ResponseRecorder {
	s.tb.Helper()
	var b strings.Builder
	form := multipart.NewWriter(&b)
	check(s.tb, form.WriteField("courseData", courseData))
	part, err := form.CreateFormFile("image", "picture.png")
	check(s.tb, err)
	_, err = part.Write(image)
	check(s.tb, err)
	check(s.tb, form.Close())
	return s.do(http.MethodPost, "/api/educator/add-course", b.String(),
		append(s.as("educator"), "Content-Type", form.FormDataContentType())...)
}

// longCharacter has four bytes of UTF-8 and two units of UTF-16, so that a limit in bytes or units
// fails the test.
const longCharacter = "🎓"

// longCourse returns courseData that set has changed.
func longCourse(set func(course, chapter, lecture map[string]any)) string {
	lecture := map[string]any{"lectureId": "l", "lectureTitle": "L", "lectureDuration": 1,
		"lectureUrl": "https://videos.example.org/"}
	chapter := map[string]any{"chapterId": "c", "chapterTitle": "C",
		"chapterContent": []any{lecture}}
	course := map[string]any{"courseTitle": "T", "courseDescription": "", "coursePrice": 1,
		"discount": 0, "courseContent": []any{chapter}}
	set(course, chapter, lecture)
	text, _ := json.Marshal(course) // maps of texts and numbers can always be encoded
	return string(text)
}

// The limits of the schemas must be those of the platform.
func TestSchemas_HaveTheLimitsOfThePlatform(t *testing.T) {
	s := fixtureSite(t)
	image := learningtest.Thumbnail(t)
	text := func(where int, field string) func(int) string {
		return func(n int) string {
			return longCourse(func(course, chapter, lecture map[string]any) {
				[]map[string]any{course, chapter,
					lecture}[where][field] = strings.Repeat(longCharacter, n)
			})
		}
	}
	for _, test := range []struct {
		name  string
		limit int
		with  func(n int) string
	}{
		{"title of a course", catalog.MaxCourseTitle, text(0, "courseTitle")},
		{"description", catalog.MaxCourseDescription, text(0, "courseDescription")},
		{"id of a chapter", catalog.MaxContentID, text(1, "chapterId")},
		{"title of a chapter", catalog.MaxCourseTitle, text(1, "chapterTitle")},
		{"id of a lecture", catalog.MaxContentID, text(2, "lectureId")},
		{"title of a lecture", catalog.MaxCourseTitle, text(2, "lectureTitle")},
		{"address of a lecture", catalog.MaxLectureURL, func(n int) string {
			return longCourse(func(_, _, lecture map[string]any) {
				lecture["lectureUrl"] = "https://v.example.org/" +
					strings.Repeat(longCharacter, n-len("https://v.example.org/"))
			})
		}},
		{"number of lectures in a chapter", catalog.MaxLectures,
			func(n int) string { return manyLectures(n, 1) }},
		{"number of lectures in two chapters", catalog.MaxLectures,
			func(n int) string { return manyLectures(n, 2) }},
		{"minutes of a lecture", catalog.MaxLectureMinutes, func(n int) string {
			return longCourse(func(_, _, lecture map[string]any) { lecture["lectureDuration"] = n })
		}},
		{"price", int(catalog.MaxCoursePrice / 100), func(n int) string {
			return longCourse(func(course, _, _ map[string]any) { course["coursePrice"] = n })
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := s.upload(test.with(test.limit), image); got.Code != http.StatusOK {
				t.Errorf("%d is refused: %d %s", test.limit, got.Code, got.Body)
			}
			if got := s.upload(test.with(test.limit+1), image); got.Code != http.StatusBadRequest {
				t.Errorf("%d is accepted: %d %s", test.limit+1, got.Code, got.Body)
			}
		})
	}
}

// manyLectures returns courseData with n lectures in some chapters.
func manyLectures(n, chapters int) string {
	return longCourse(func(course, _, _ map[string]any) {
		all := make([]any, chapters)
		for i := range all {
			var lectures []any
			for j := i; j < n; j += chapters {
				lectures = append(lectures,
					map[string]any{"lectureId": fmt.Sprint(j), "lectureTitle": "L",
						"lectureDuration": 1, "lectureUrl": "https://v.example.org/"})
			}
			all[i] = map[string]any{"chapterTitle": "C", "chapterContent": lectures}
		}
		course["courseContent"] = all
	})
}
