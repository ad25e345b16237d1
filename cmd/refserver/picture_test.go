package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// smallPictures returns a picture of a few pixels for each embedded one, no two of them equal,
// because decoding and encoding the pictures takes half of the time of a demo.
func smallPictures() fs.FS {
	all := fstest.MapFS{}
	names, err := fs.Glob(embedded, "demo/pictures/*")
	for i, name := range names {
		picture := image.NewGray(image.Rect(0, 0, 16, 9))
		for at := range picture.Pix {
			picture.Pix[at] = uint8(4 * i)
		}
		var b bytes.Buffer
		err = errors.Join(err, jpeg.Encode(&b, picture, nil))
		all[name] = &fstest.MapFile{Data: b.Bytes()}
	}
	if err != nil {
		panic(err)
	}
	return all
}

func TestDefaultPicture_SmallAndTheSameForACourse(t *testing.T) {
	t.Parallel()
	different := map[string]bool{}
	for i := range 100 {
		id := fmt.Sprint("course-", i)
		picture, err := pictureFrom(embedded, id)
		if err != nil {
			t.Fatal(err)
		}
		different[string(picture)] = true
		// The platform decodes and encodes each picture again, so its size determines the time of
		// an import.
		head, format, err := image.DecodeConfig(bytes.NewReader(picture))
		if err != nil || format != "jpeg" || head.Width != 320 || head.Height != 180 ||
			len(picture) > 10_000 {
			t.Errorf("%s: %s of %d x %d, %d bytes, %v", id, format, head.Width, head.Height,
				len(picture), err)
		}
		if again, err := pictureFrom(embedded, id); err != nil || !bytes.Equal(again, picture) {
			t.Errorf("%s: another picture the second time, %v", id, err)
		}
	}
	if len(different) != 8 {
		t.Errorf("100 courses have %d different pictures", len(different))
	}
}

// A front end shows the thumbnails in boxes of 480 x 270 pixels.
func TestDefaultPicture_OwnForEachCourseOfTheDemo(t *testing.T) {
	t.Parallel()
	course := map[string]string{} // by picture
	for _, c := range readCatalogue(t).Courses {
		picture, err := pictureFrom(embedded, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		if other, exists := course[string(picture)]; exists {
			t.Errorf("%s has the picture of %s", c.ID, other)
		}
		course[string(picture)] = c.ID
		head, format, err := image.DecodeConfig(bytes.NewReader(picture))
		if err != nil || format != "jpeg" || head.Width != 480 || head.Height != 270 ||
			len(picture) > 20_000 {
			t.Errorf("%s: %s of %d x %d, %d bytes, %v", c.ID, format, head.Width, head.Height,
				len(picture), err)
		}
	}
}

// BenchmarkImport imports courses without thumbnails: 1,000 must take at most five
// seconds, so 100 half a second.
func BenchmarkImport(b *testing.B) {
	first, _, _ := strings.Cut(smallCatalogue, `"courses": [`)
	courses := make([]string, 100)
	for i := range courses {
		courses[i] = fmt.Sprintf(
			`{"_id": "c%d", "educatorId": "user_teacher", "courseTitle": "Course %d", "courseDescription": "", "coursePrice": 10,
			"courseContent": [{"chapterTitle": "A", "chapterContent": [{"lectureTitle": "A", "lectureDuration": 1, "lectureUrl": "https://v.example.com/a"}]}]}`, i, i)
	}
	for b.Loop() {
		dir := b.TempDir()
		file := write(b, dir, "catalogue.json",
			first+`"courses": [`+strings.Join(courses, ",")+"]}")
		code, _, stderr := command(b, "import", file,
			"--database=sqlite:"+filepath.Join(dir, "learning.db"),
			"--media="+filepath.Join(dir, "media"))
		if code != 0 {
			b.Fatal(stderr)
		}
	}
}
