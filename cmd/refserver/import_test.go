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

// The sandbox takes EUR as the gateway and JPY as Stripe, also while no server runs.
func TestImportCommand_Prices(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := write(t, dir, "shop.json", strings.Replace(smallCatalogue, `"coursePrice"`,
		`"prices": [{"currency": "EUR", "price": 5}, {"currency": "JPY", "price": 500},
		{"currency": "IQD", "price": 9}], "coursePrice"`, 1))
	const want = "2 courses imported, 0 were there already\nnot imported: the price in IQD of the " +
		"course paid: no payment provider of this platform takes 9 IQD\n"
	if code, stdout, stderr := command(t, dev(dir, "import", file)...); code != 0 || stdout != want {
		t.Errorf("exit code %d, %q, want %q; %s", code, stdout, want, stderr)
	}
}

// The rules of a catalogue are tested in package exchange: here only that the command reports them.
func TestImportCommand_ErrorsNameLineAndField(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, new, want string }{
		"the file": {`"coursePrice": 499`, `"coursePrice": -1`,
			"nothing was imported from FILE:\n" +
				"line 4, column 112: course 1 (paid): coursePrice must be a number from 0"},
		"a course": {`"_id": "paid"`, `"_id": "paid", "courseThumbnail": "none.png"`,
			"line 4, column 3: course paid: courseThumbnail: open "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			text := strings.Replace(smallCatalogue, c.old, c.new, 1)
			file := write(t, dir, "bad.json", text)
			code, _, stderr := command(t, dev(dir, "import", file)...)
			if want := strings.ReplaceAll(c.want, "FILE", file); code != 1 ||
				!strings.Contains(stderr, want) {
				t.Errorf("exit code %d and\n%s\nwithout %q", code, stderr, want)
			}
		})
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
		educators[c.Educator] = true
		if c.Published == nil || *c.Published {
			published++
		} else {
			drafts++
		}
		if c.Price == "0" {
			free++
		}
		if c.Discount != "" && c.Discount != "0" {
			discounted++
		}
		previews := 0
		for _, ch := range c.Content {
			for _, l := range ch.Lectures {
				if l.PreviewFree {
					previews++
				}
			}
		}
		if previews == 0 || c.Description == "" {
			t.Errorf("%s has %d free previews and a description of %d bytes", c.ID, previews,
				len(c.Description))
		}
	}
	if len(educators) != 7 || published < 24 || drafts != 1 || free == 0 || discounted == 0 {
		t.Errorf("%d educators, %d published, %d drafts, %d free, %d discounted", len(educators),
			published, drafts, free, discounted)
	}
}

// The rules of the rows are tested in package exchange: here only that the command reports them.
func TestPeopleImportCommand_MayBeRepeated(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	file := write(t, t.TempDir(), "people.csv",
		"Login;Mail;Since\nann;ann@example.com;2024-03-01\n")
	users := []string{"people", "import", file, "--set", "kind=user", "--columns",
		"id=Login;email=Mail;createdAt=Since"}
	enrolled := []string{"people", "import", file, "--set", "kind=enrollment;courseId=free",
		"--columns", "email=Mail;createdAt=Since"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{append(users, "--dry-run"), "user: 1 would be imported, 0 were there already\n"},
		{users, "user: 1 imported, 0 were there already\n"},
		{users, "user: 0 imported, 1 were there already\n"},
		{enrolled, "enrollment: 1 imported, 0 were there already\n"},
	} {
		if code, stdout, stderr := command(t, dev(dir, c.args...)...); code != 0 ||
			stdout != c.want {
			t.Errorf("%v: exit code %d, %q, want %q; %s", c.args, code, stdout, c.want, stderr)
		}
	}

	// A fault is named by its place, and can be left out.
	write(t, filepath.Dir(file), "people.csv",
		"Login;Mail;Since\nann;ann@example.com;soon\nben;ben@example.com;2024-03-01\n")
	code, stdout, stderr := command(t, dev(dir, users...)...)
	if code == 0 || stdout != "" || !strings.Contains(stderr,
		"line 2, column 21: createdAt must be a time") ||
		!strings.Contains(stderr, "--skip-invalid") {
		t.Errorf("exit code %d, %q; %s", code, stdout, stderr)
	}
	code, stdout, stderr = command(t, dev(dir, append(users, "--skip-invalid")...)...)
	if want := "user: 1 imported, 0 were there already\nrows that were left out: 1\n"; code != 0 ||
		stdout != want {
		t.Errorf("exit code %d, %q, want %q; %s", code, stdout, want, stderr)
	}
}
