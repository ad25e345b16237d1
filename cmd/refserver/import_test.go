package main

import (
	"image"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestImportCommand_MayBeRepeated(t *testing.T) {
	onDatabases(t, testRepeatedImport)
}

func testRepeatedImport(t *testing.T, database string) {
	t.Helper()
	dir := t.TempDir()
	file := write(t, dir, "shop.json", smallCatalogue)
	for _, want := range []string{"2 courses imported, 0 were there already\n",
		"0 courses imported, 2 were there already\n"} {
		if code, stdout, stderr := command(t, dev(dir, database, "import", file)...); code != 0 ||
			stdout != want {
			t.Errorf("exit code %d, %q, want %q; %s", code, stdout, want, stderr)
		}
	}
	if thumbnails, err := filepath.Glob(filepath.Join(dir, "media", "*.jpg")); err != nil ||
		len(thumbnails) != 2 {
		t.Errorf("%d thumbnails were kept: %v", len(thumbnails), err)
	}
}

func TestImportCommand_ReadsPicturesRelativeToTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "pictures"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "pictures"), "paid.png", tinyPicture(t))
	file := write(t, dir, "shop.json",
		strings.Replace(smallCatalogue, `"_id": "paid",`,
			`"_id": "paid", "courseThumbnail": "pictures/paid.png",`, 1))
	if code, _, stderr := command(t, dev(dir, "import", file)...); code != 0 {
		t.Fatal(stderr)
	}
	s := serve(t, nil, dev(dir)...)
	_, list := call(t, http.MethodGet, s.url+"/api/course/all", "", "")
	res, err := http.Get(list["courses"].([]any)[0].(map[string]any)["courseThumbnail"].(string))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if head, format, err := image.DecodeConfig(res.Body); err != nil || format != "png" ||
		head.Width != 4 {
		t.Errorf("%s of width %d: %v", format, head.Width, err)
	}
}

func TestImportCommand_UploadsFilesOfLectures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "wheels.txt", "About wheels.")
	const pathOfFile = `"lectureUrl": "https://v.example.com/a"`
	file := write(t, dir, "shop.json", strings.ReplaceAll(smallCatalogue, pathOfFile,
		`"kind": "file", "lectureFile": "wheels.txt", "isPreviewFree": true`))
	if code, _, stderr := command(t, dev(dir, "import", file)...); code != 0 {
		t.Fatal(stderr)
	}
	s := serve(t, nil, dev(dir)...)
	_, answer := call(t, http.MethodGet, s.url+"/api/course/paid", "", "")
	if status, text := read(t, lectureURLs(t, answer, "courseData")[0]); status != http.StatusOK ||
		text != "About wheels." {
		t.Errorf("status %d, %q", status, text)
	}
}

func TestImportCommand_ErrorsNameCourseAndField(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, new, want string }{
		"no JSON": {`{`, `[`, "not a catalogue"},
		"misspelt field": {`"coursePrice": 499`, `"price": 499`,
			`line 4, column 97: course 1 (paid): has an unknown field "price"`},
		"wrong type": {`"coursePrice": 499`, `"coursePrice": "much"`, "course 1 (paid)"},
		"price too exact": {`"coursePrice": 499`, `"coursePrice": 499.999`,
			"course 1 (paid): coursePrice"},
		"price below zero": {`"coursePrice": 499`, `"coursePrice": -1`,
			"course 1 (paid): coursePrice"},
		"price below the least": {`"coursePrice": 499`, `"coursePrice": 0.5`,
			"course 1 (paid): coursePrice"},
		"no price": {`"coursePrice": 499,`, ``, "course 1 (paid): coursePrice"},
		"discount": {`"coursePrice": 499`, `"coursePrice": 499, "discount": 101`,
			"course 1 (paid): discount"},
		"no id":          {`"_id": "paid",`, ``, "course 1: _id"},
		"id of the list": {`"_id": "paid"`, `"_id": "all"`, "course 1 (all): _id"},
		"id of another":  {`"_id": "free"`, `"_id": "paid"`, "course 2 (paid): _id"},
		"no title": {`"courseTitle": "Paid"`, `"courseTitle": " "`,
			"course 1 (paid): courseTitle"},
		"negative duration": {`"lectureDuration": 1`, `"lectureDuration": -1`,
			"course 1 (paid): courseContent[0].chapterContent[0].lectureDuration"},
		"no web address": {`https://v.example.com/a`, `javascript:alert(1)`,
			"course 1 (paid): courseContent[0].chapterContent[0].lectureUrl"},
		"no kind": {`"lectureDuration": 1`, `"lectureDuration": 1, "kind": "song"`,
			"course 1 (paid): courseContent[0].chapterContent[0].kind"},
		"no time": {`"lectureDuration": 1`,
			`"lectureDuration": 1, "assignment": {"dueAt": "2026-02-30"}`,
			"course 1 (paid): courseContent[0].chapterContent[0].assignment.dueAt must be a time"},
		"no such file": {`"lectureDuration": 1`, `"lectureDuration": 1, "lectureFile": "none.mp4"`,
			"course paid: file none.mp4"},
		"chapter id of a path": {`"chapterTitle": "One"`,
			`"chapterId": "a/b", "chapterTitle": "One"`,
			"course 1 (paid): courseContent[0].chapterId"},
		"lecture id of a path": {`"lectureTitle": "A"`, `"lectureId": "..", "lectureTitle": "A"`,
			"course 1 (paid): courseContent[0].chapterContent[0].lectureId"},
		"no lecture": {
			`[{"lectureTitle": "A", "lectureDuration": 1, "lectureUrl": "https://v.example.com/a"}]`, `[]`, "course 1 (paid): courseContent"},
		"nameless person": {`"firstName": "Tea", "lastName": "Cher"`, `"firstName": ""`,
			"person 1"},
		"unknown educator": {`"educatorId": "user_teacher"`, `"educatorId": "user_x"`,
			"course paid: educatorId"},
		"no such picture": {`"_id": "paid"`, `"_id": "paid", "courseThumbnail": "none.png"`,
			"course paid: courseThumbnail"},
		"no picture": {`"_id": "paid"`, `"_id": "paid", "courseThumbnail": "bad.json"`,
			"course paid: courseThumbnail"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			text := strings.Replace(smallCatalogue, c.old, c.new, 1)
			if text == smallCatalogue {
				t.Fatal("the case changes nothing")
			}
			code, _, stderr := command(t, dev(dir, "import", write(t, dir, "bad.json", text))...)
			if code != 1 || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d and\n%s\nwithout %q", code, stderr, c.want)
			}
		})
	}
}

// Each problem is found in one run, and has its line and column.
func TestImportCommand_ErrorsNameLineAndColumn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{\n  \"people\": [],\n  \"courses\": [\n    {\"_id\": \"a\",}\n  ]\n}": "line 4, column 17: the file is not a catalogue in JSON: invalid character '}'",
		"{\"people\": [": "line 1, column 12: the file is not a catalogue in JSON: " +
			"unexpected end",
		"{\"people\": []}\n\n x": "line 3, column 2: the file is not a catalogue in JSON: invalid " +
			"character 'x' after",
		"": "line 1, column 1: the file is not a catalogue in JSON: " +
			"unexpected end",
		"\n[]": "line 2, column 1: the file is not a catalogue: must be an " +
			"object in { }\n",
		"{\"people\": 7}": "line 1, column 12: the file is not a catalogue: people must be " +
			"a list in [ ]\n",
		"{\r\n\"curses\": []}": "line 2, column 1: the file is not a catalogue: has an unknown " +
			"field \"curses\"\n",
		"{\"people\": [\n{\"_id\": \"é\", \"firstName\": 7}]}": "line 2, column 27: " +
			"person 1: firstName must be a text in quotes\n",
		"{\"people\": [{\"_id\": \"a\", \"firstName\": \"A\"},\n {}]}": "line 2, column 2: person " +
			"2: _id and a name are required\n",
		"{\"courses\": [\n 7]}": "line 2, column 2: course 1: must be an object in { }\n",
		"{\"courses\": [{\"_id\": \"a\",\n\"courseContent\": [{\"title\": 1}]}]}":           "line 2, column 20: course 1 (a): courseContent[0] has an unknown field \"title\"\n",
		"{\"courses\": [{\"_id\": \"a\",\n\"courseContent\": [{\"chapterOrder\": 1.5}]}]}":  "line 2, column 36: course 1 (a): courseContent[0].chapterOrder must be a whole number\n",
		"{\"courses\": [{\"_id\": \"a\",\n\"isPublished\": \"yes\"}]}":                      "line 2, column 16: course 1 (a): isPublished must be true or false\n",
		"{\"courses\": [{\"_id\": \"a\",\n\"coursePrice\": \"much\"}]}":                     "line 2, column 16: course 1 (a): coursePrice must be a number\n",
		"{\"courses\": [{\"_id\": \"a\",\n \"COURSEPRICE\": -5, \"courseContent\": null}]}": "line 2, column 17: course 1 (a): coursePrice must be a number from 0",
		"{\"courses\": [\n  {\"_id\": \"a\"}]}":                                             "line 2, column 3: course 1 (a): educatorId is missing\n",
		"{\"courses\": [{\"courseContent\": [\n{\"chapterContent\": [{\n " +
			"\"lectureUrl\":\t\"x\"}]}]}]}": "line 3, column 16: course 1: " +
			"courseContent[0].chapterContent[0].lectureUrl must be",
	} {
		dir := t.TempDir()
		code, _, stderr := command(t, dev(dir, "import", write(t, dir, "bad.json", text))...)
		if code != 1 || !strings.Contains(stderr, "\n"+want) {
			t.Errorf("exit code %d and\n%s\nwithout %q", code, stderr, want)
		}
	}
}

func TestImportCommand_FaultsOfAllCoursesAreListed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := strings.NewReplacer(`"coursePrice": 499`, `"price": 499, "discount": []`,
		`"courseTitle": "Free"`, `"courseTitle": ""`,
		`"educatorId": "user_teacher", "courseTitle": "Paid"`,
		`"educatorId": 7, "courseTitle": "Paid"`).Replace(smallCatalogue)
	code, _, stderr := command(t, dev(dir, "import", write(t, dir, "bad.json", text))...)
	if code != 1 || strings.Count(stderr, "\nline ") != 4 {
		t.Errorf("exit code %d and\n%s", code, stderr)
	}
	text = strings.ReplaceAll(smallCatalogue, `"educatorId": "user_teacher"`,
		`"educatorId": "user_x"`)
	code, _, stderr = command(t, dev(dir, "import", write(t, dir, "bad.json", text))...)
	for _, want := range []string{"line 4, column 3: course paid: educatorId",
		"line 6, column 3: course free: educatorId"} {
		if code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d and\n%s\nwithout %q", code, stderr, want)
		}
	}
}

func TestDemoCatalogue_IsComplete(t *testing.T) {
	t.Parallel()
	demo := readCatalogue(t)
	educators := map[string]bool{}
	published := 0
	drafts := 0
	free := 0
	discounted := 0
	for _, c := range demo.Courses {
		n := c.newCourse()
		educators[c.Educator] = true
		if n.Published {
			published++
		} else {
			drafts++
		}
		if n.Price == 0 {
			free++
		}
		if n.Discount > 0 {
			discounted++
		}
		previews := 0
		for _, ch := range n.Content {
			for _, l := range ch.Lectures {
				if l.PreviewFree {
					previews++
				}
			}
		}
		if previews == 0 || n.Description == "" {
			t.Errorf("%s has %d free previews and a description of %d bytes", c.ID, previews,
				len(n.Description))
		}
	}
	if len(educators) != 7 || published < 24 || drafts != 1 || free == 0 || discounted == 0 {
		t.Errorf("%d educators, %d published, %d drafts, %d free, %d discounted", len(educators),
			published, drafts, free, discounted)
	}
}
