//go:build linux

package faultbench

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"strings"
)

// teach adds a course, replaces its picture, and sometimes deletes it. None of these is repeated,
// so that after some faults a file is stored that no answer names, which the server must remove.
func (v *visitor) teach(ctx context.Context) {
	var added struct{ CourseID string }
	data := body{"courseTitle": "A course of " + v.id, "courseDescription": "", "coursePrice": 10,
		"discount": 0, "isPublished": false,
		"courseContent": []body{{"chapterTitle": "One",
			"chapterContent": []body{{"lectureTitle": "Two", "lectureDuration": 3,
				"lectureUrl": "https://video.example.org/two"}}}}}
	if v.upload(ctx, "course.add", http.MethodPost, "/api/educator/add-course", data, &added) !=
		http.StatusOK {
		return
	}
	// Replace the picture, and read the new one.
	for range 1 + v.random.IntN(2) {
		var answer struct{ CourseThumbnail string }
		status := v.upload(ctx, "course.thumbnail", http.MethodPut,
			"/api/educator/courses/"+added.CourseID+"/thumbnail", nil, &answer)
		if _, path, ok := strings.Cut(answer.CourseThumbnail, publicURL); ok &&
			status == http.StatusOK {
			v.call(ctx, "media", areaFile, http.MethodGet, path, nil, nil)
		}
	}
	if v.random.IntN(3) == 0 {
		v.call(ctx, "course.delete", areaFile, http.MethodDelete,
			"/api/educator/courses/"+added.CourseID, nil, nil)
	}
}

// upload sends a form with a picture, and with data about a course unless data is nil. It returns
// the status as call does.
func (v *visitor) upload(ctx context.Context, route, method, path string, data body, out any) int {
	content, contentType, err := v.form(data)
	if err != nil {
		v.journal.problem("make a form: %v", err)
		return 0
	}
	return v.exchange(ctx, request{route: route, area: areaFile}, out,
		func(url string) (int, []byte) {
			return v.sendContent(ctx, method, url+path, contentType, content)
		})
}

// form returns the body and the content type of a form with a picture of one colour, and with data
// unless that is nil.
func (v *visitor) form(data body) (content []byte, contentType string, err error) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	if data != nil {
		text, err := json.Marshal(data)
		if err != nil {
			return nil, "", err
		}
		if err := w.WriteField("courseData", string(text)); err != nil {
			return nil, "", err
		}
	}
	part, err := w.CreateFormFile("image", "picture.png")
	if err != nil {
		return nil, "", err
	}
	// A random colour, so that pictures differ.
	picture := image.NewPaletted(image.Rect(0, 0, 64, 48),
		color.Palette{color.Gray{uint8(v.random.IntN(256))}})
	if err := png.Encode(part, picture); err != nil {
		return nil, "", err
	}
	err = w.Close()
	return out.Bytes(), w.FormDataContentType(), err
}
