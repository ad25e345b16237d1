package main

import (
	"bytes"
	"mime/multipart"
	"testing"
)

// upload is the form of a new course with a thumbnail.
func upload(b testing.TB, image []byte) (body []byte, contentType string) {
	b.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	if err := w.WriteField("courseData", `{"courseTitle":"Large","courseDescription":"","coursePrice":0,"discount":0,"courseContent":[{"chapterTitle":"One",
		"chapterContent":[{"lectureTitle":"A","lectureDuration":1,"lectureUrl":"https://v.example.com/a"}]}]}`); err != nil {
		b.Fatal(err)
	}
	part, err := w.CreateFormFile("image", "large.png")
	if err == nil {
		_, err = part.Write(image)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	return form.Bytes(), w.FormDataContentType()
}
