package exchange_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/qti"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// photo returns a JPEG as Process stores it.
func photo(t *testing.T, random *rand.Rand) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for i := range 40 * 30 {
		img.Set(i%40, i/40, color.RGBA{byte(random.IntN(256)), byte(i), 3, 255})
	}
	var b bytes.Buffer
	roomtest.Must(t, jpeg.Encode(&b, img, nil))
	return b.Bytes()
}

// randomCourse returns a random course of lectures of every kind, which use the files of upload.
func randomCourse(random *rand.Rand, upload func(name, content string) string) catalog.NewCourse {
	text := func(longest int) string {
		letters := []rune("ab \n\t\"\\<>&\u2028é漢🎓#*_`/")
		out := make([]rune, 1+random.IntN(longest))
		for i := range out {
			out[i] = letters[random.IntN(len(letters))]
		}
		return "x" + string(out)
	}
	file := func(name, head string) string { return upload(text(20)+name, head+text(50)) }
	content := make([]catalog.Chapter, 1+random.IntN(4))
	isOrdered := random.IntN(2) == 0
	for i := range content {
		content[i] = catalog.Chapter{Title: text(100)}
		if isOrdered {
			content[i].Order = random.IntN(5)
		}
		for j := range 1 + random.IntN(6) {
			l := catalog.Lecture{Title: text(100), Minutes: random.Float64() * 100,
				PreviewFree: random.IntN(2) == 0, Order: random.IntN(3)}
			body := text(500)
			kind := slices.Concat([]catalog.LectureKind{""}, catalog.LectureKinds)[random.IntN(7)]
			if l.Kind = kind; kind != "" {
				l.Text = &body
				l.Attachments = append(l.Attachments,
					catalog.Attachment{Title: text(50), FileID: file(".txt", "a")})
				if random.IntN(3) == 0 { // a file that is used twice
					l.Attachments = append(l.Attachments,
						catalog.Attachment{Title: text(50), FileID: l.Attachments[0].FileID})
				}
				l.Captions = append(l.Captions, catalog.Caption{Language: "pt-BR", Label: text(20),
					FileID: file(".vtt", "WEBVTT\n\n")})
			}
			switch kind {
			case "":
				l.URL = fmt.Sprintf("https://videos.example.org/%d?a=<&>", j)
			case catalog.KindVideo, catalog.KindAudio:
				l.FileID = file(".mp3", "ID3\x04")
			case catalog.KindFile:
				l.FileID = file(".pdf", "%PDF-")
			case catalog.KindEmbed:
				l.URL = "https://vimeo.com/1"
			case catalog.KindAssignment:
				l.Assignment = randomAssignment(random, text)
			}
			content[i].Lectures = append(content[i].Lectures, l)
		}
		content[i].Opens = []catalog.Opening{{}, {AfterDays: 7}, {At: anyTime[1]}}[random.IntN(3)]
	}
	return catalog.NewCourse{Title: text(150), Description: text(1_000), Published: true,
		Price: catalog.MinCoursePrice + core.Money(random.IntN(1_000_00)),
		Prices: []catalog.Price{{Currency: "KWD", Amount: core.Money(10 + 10*random.IntN(1_000))},
			{Currency: "EUR", Amount: core.Money(1_00 + random.IntN(1_000))}}[:random.IntN(3)],
		Discount: core.Percent(random.IntN(2)) * 100_00, Content: content,
		Metadata: core.Metadata{"level": text(100), "free": ""},
		Terms: catalog.Terms{Certificate: catalog.CertificateTerms{
			Quizzes: random.IntN(2) == 0, Assignments: random.IntN(2) == 0},
			Days: random.IntN(3), InOrder: random.IntN(2) == 0, Until: anyTime[random.IntN(2)]}}
}

// anyTime has no end of access, and one.
var anyTime = []time.Time{{}, time.Date(2031, 2, 28, 23, 59, 59, 0, time.UTC)}

// randomAssignment returns a random assignment. text returns a random text.
func randomAssignment(random *rand.Rand, text func(longest int) string) *catalog.Assignment {
	a := &catalog.Assignment{Instructions: text(500), Files: random.IntN(2) == 0,
		LateDays: random.IntN(3), Attempts: random.IntN(3)}
	for range random.IntN(4) {
		a.Rubric = append(a.Rubric,
			catalog.Criterion{Text: text(50), Points: 1 + random.IntN(catalog.MaxCriterionPoints)})
	}
	switch random.IntN(3) {
	case 0:
		a.DueAfterDays = new(random.IntN(3))
	case 1:
		a.DueAt = time.UnixMicro(random.Int64N(1e15))
	}
	return a
}

// A course of every kind that is exported, imported and exported again has the same package, to
// the byte: by its owner, by another educator, with a quiz and a thumbnail of each format.
func TestPackage_KeepsEverything(t *testing.T) {
	roomtest.OnEnginesRepeatedly(t, func(t *testing.T, database string) {
		w, _ := roomtest.NewWithFiles(t, database, learning.WithMedia(&roomtest.MemoryMedia{}))
		for seed := range uint64(12) {
			random := rand.New(rand.NewPCG(seed, 25))
			n := randomCourse(random, func(name, content string) string {
				// A content that the importer has under another name would keep that name.
				return w.Upload(t, name, fmt.Sprintf("%s %d %d", content, seed, random.Int())).ID
			})
			picture := photo(t, random)
			if seed%2 == 0 {
				picture = learningtest.Thumbnail(t)
			}
			id, err := w.Platform.Catalog.AddCourse(ctx(), roomtest.Teacher, n, picture)
			roomtest.Must(t, err)
			chapters, err := w.Platform.Catalog.EditableCourse(ctx(), roomtest.Teacher, id)
			roomtest.Must(t, err)
			w.AddQuiz(t, id, chapters.Content[0])
			for _, ch := range chapters.Content[1:] {
				w.Saves(t, randomQuiz(random, id, ch.ID))
			}

			first := w.Exported(t, roomtest.Teacher, id)
			for _, importer := range []learning.Actor{roomtest.Teacher,
				w.Person(t, "colleague", core.Educator)} {
				got, err := w.Imported(importer, first)
				roomtest.Must(t, err)
				if len(got.Skipped) > 0 || got.Quizzes != len(n.Content) ||
					got.Chapters != len(n.Content) || got.CourseID == id {
					t.Errorf("seed %d: imported %+v", seed, got)
				}
				again := w.Exported(t, importer, got.CourseID)
				if !bytes.Equal(first, again) {
					t.Errorf("seed %d: the package of the import differs: -first +second\n%s", seed,
						cmp.Diff(entriesOf(t, first), entriesOf(t, again)))
				}
				copied, err := w.Platform.Catalog.EditableCourse(ctx(), importer, got.CourseID)
				roomtest.Must(t, err)
				if copied.Published || !cmp.Equal(copied.Terms, n.Terms) ||
					!maps.Equal(copied.Metadata, n.Metadata) || copied.Educator.ID != importer.UserID ||
					copied.Content[0].ID == chapters.Content[0].ID {
					t.Errorf("seed %d: %+v is no draft of the importer", seed, copied.Course)
				}
				for i, ch := range copied.Content {
					want := w.PlainQuiz(t, roomtest.Teacher, id, chapters.Content[i].ID)
					if d := cmp.Diff(want, w.PlainQuiz(t, importer, got.CourseID, ch.ID)); d != "" {
						t.Errorf("seed %d: the quiz of chapter %d: -want +got\n%s", seed, i, d)
					}
				}
			}
		}
		w.WantInvariants(t)
	})
}

// randomQuiz returns a quiz by hand with random questions of all kinds and random settings.
func randomQuiz(random *rand.Rand, courseID, chapterID string) assess.QuizEdit {
	e := assess.QuizEdit{CourseID: courseID, ChapterID: chapterID}
	count := 5 + random.IntN(5)
	for i := range count {
		q := assess.Question{ID: fmt.Sprint("old", i), Text: fmt.Sprintf("<%d> \u2028 ?", i),
			Points: 1 + random.IntN(100), Solution: &assess.Solution{}}
		switch i % 5 {
		case 0, 1:
			for j := range 2 + random.IntN(9) {
				q.Options = append(q.Options,
					assess.Choice{ID: fmt.Sprint("z", 20-j), Text: fmt.Sprint("é&", j)})
			}
			right := []any{float64(random.IntN(2)), "z19"}
			q.Kind, q.Solution.Answer = assess.SingleChoice, right[0]
			if i%5 == 1 {
				q.Kind, q.Solution.Answer = assess.MultipleChoice, right
			}
		case 2:
			q.Kind, q.Solution.Answer = assess.TrueFalse, random.IntN(2) == 0
		case 3:
			q.Kind, q.Solution.Answer = assess.NumberQuestion, random.NormFloat64()
			q.Solution.Tolerance = random.Float64() / 1e9
		case 4:
			q.Kind, q.Solution.Answer = assess.TextQuestion, []string{"ß", " B", "1"}
		}
		q.Solution.Explanation = strings.Repeat("because\n", random.IntN(2))
		e.Questions = append(e.Questions, q)
	}
	e.Settings = assess.QuizSettings{Draw: random.IntN(count), Shuffle: random.IntN(2) == 0,
		Minutes: random.IntN(60), Attempts: random.IntN(3), PassPercent: random.IntN(101),
		Review: []assess.QuizReview{"always", "passed", "never"}[random.IntN(3)]}
	return e
}

// entriesOf returns the contents of a package by the names of the entries.
func entriesOf(t *testing.T, data []byte) map[string]string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	roomtest.Must(t, err)
	contents := map[string]string{}
	for _, f := range r.File {
		in, err := f.Open()
		roomtest.Must(t, err)
		content, err := io.ReadAll(in)
		roomtest.Must(t, err)
		contents[f.Name] = string(content)
	}
	return contents
}

// describedCourse is a valid course.json with one lecture. change changes it.
func describedCourse(t *testing.T, change func(c *coursepackage.Course)) [2]string {
	t.Helper()
	c := coursepackage.Course{Title: "Sea", Price: coursepackage.Price{Currency: "INR"},
		Chapters: []coursepackage.Chapter{{Title: "One", Lectures: []coursepackage.Lecture{
			{Title: "Knots", Kind: "file", File: "a.txt",
				Attachments: []coursepackage.Attachment{{Title: "B", File: "b.txt"}}}}}}}
	if change != nil {
		change(&c)
	}
	text, err := coursepackage.Encode(c)
	roomtest.Must(t, err)
	return [2]string{coursepackage.Name, string(text)}
}

// describedQuiz is the description of a quiz by hand with one question.
func describedQuiz(review string, q coursepackage.Question) *coursepackage.Quiz {
	return &coursepackage.Quiz{Questions: []coursepackage.Question{q},
		Settings: &coursepackage.Settings{Review: review}}
}

// An import that is refused, at whatever point, leaves no rows and no contents, and says why.
func TestImportCourse_RefusalLeavesNothing(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		media := &roomtest.MemoryMedia{}
		w, files := roomtest.NewWithFiles(t, database, learning.WithMedia(media),
			learning.WithMaxFile(100))
		kept := w.Upload(t, "kept.txt", "first") // is in the packages too
		w.Clock.Advance(1e9)
		a, b := [2]string{"a.txt", "first"}, [2]string{"b.txt", "second"}
		lecture := func(c *coursepackage.Course) *coursepackage.Lecture {
			return &c.Chapters[0].Lectures[0]
		}
		for name, test := range map[string]struct {
			change func(c *coursepackage.Course)
			more   [][2]string // entries beside course.json
			want   string
		}{
			"missing file":   {nil, [][2]string{a}, "b.txt"},
			"type of a file": {nil, [][2]string{a, {"b.txt", "<svg>"}}, "type"},
			"large file":     {nil, [][2]string{a, {"b.txt", strings.Repeat("b", 101)}}, "100 bytes"},
			"no title": {func(c *coursepackage.Course) { c.Title = "" }, [][2]string{a, b},
				"the title"},
			"price": {func(c *coursepackage.Course) { c.Price.Amount = -1 }, [][2]string{a, b},
				"price"},
			"no lectures": {func(c *coursepackage.Course) { c.Chapters = nil }, nil, "0 lectures"},
			"chapter": {func(c *coursepackage.Course) { c.Chapters[0].Title = " " }, [][2]string{a,
				b}, "chapter"},
			"order": {func(c *coursepackage.Course) { lecture(c).Order = -1 }, [][2]string{a, b},
				`"Knots"`},
			"kind": {func(c *coursepackage.Course) { lecture(c).Kind = "game" }, [][2]string{a, b},
				`"Knots"`},
			"minutes": {func(c *coursepackage.Course) { lecture(c).Minutes = -1 }, [][2]string{a, b},
				`"Knots"`},
			"quiz": {func(c *coursepackage.Course) { c.Chapters[0].Quiz = &coursepackage.Quiz{} },
				[][2]string{a, b}, "quiz"},
			"mixed quiz": {func(c *coursepackage.Course) {
				c.Chapters[0].Quiz = describedQuiz("never", coursepackage.Question{Kind: "true-false",
					Question: "?", Answer: true, CorrectIndex: new(0)})
			}, [][2]string{a, b}, "quiz"},
			"quiz without an answer": {func(c *coursepackage.Course) {
				c.Chapters[0].Quiz = describedQuiz("never", coursepackage.Question{Kind: "single",
					Question: "?", Options: []string{"a", "b"}})
			}, [][2]string{a, b}, "quiz"},
			"settings of a quiz": {func(c *coursepackage.Course) {
				c.Chapters[0].Quiz = describedQuiz("", coursepackage.Question{Kind: "true-false",
					Question: "?", Answer: true})
			}, [][2]string{a, b}, "quiz"},
			"missing thumbnail": {func(c *coursepackage.Course) { c.Thumbnail = "x.png" }, [][2]string{a, b},
				"thumbnail"},
			"thumbnail": {func(c *coursepackage.Course) { c.Thumbnail = "a.txt" }, [][2]string{a, b},
				"image"},
			"captions": {func(c *coursepackage.Course) {
				lecture(c).Captions = []coursepackage.Caption{{Language: "en", Label: "E", File: "b.txt"}}
			}, [][2]string{a, b}, "WebVTT"},
		} {
			data := roomtest.PackageOf(t, append([][2]string{describedCourse(t, test.change)},
				test.more...)...)
			_, err := w.Imported(roomtest.Teacher, data)
			refused, isRefused := errors.AsType[*core.ImportError](err)
			if !isRefused || !strings.Contains(refused.Reason, test.want) ||
				!errors.Is(err, exchange.ErrPackageRefused) {
				t.Errorf("%s: %v, want a refusal with %q", name, err, test.want)
			}
		}
		if _, err := w.Imported(roomtest.Teacher, []byte("PK")); !errors.Is(err,
			exchange.ErrPackageRefused) {
			t.Errorf("no zip: %v", err)
		}
		// A transaction that fails leaves nothing either.
		broken := errors.New("broken")
		media.Broken = broken
		data := roomtest.PackageOf(t, describedCourse(t, func(c *coursepackage.Course) {
			c.Thumbnail = "c.png"
		}), a, b, [2]string{"c.png", string(learningtest.Thumbnail(t))})
		if _, err := w.Imported(roomtest.Teacher, data); !errors.Is(err, broken) {
			t.Errorf("without media: %v", err)
		}
		student := w.Person(t, "ada", core.Student)
		if _, err := w.Imported(student, data); !errors.Is(err, core.ErrForbidden) {
			t.Errorf("by a student: %v", err)
		}

		if n := w.Count(t, "{courses}") + w.Count(t, "{quizzes}"); n != 0 || len(media.Files) > 0 {
			t.Errorf("%d courses and quizzes, %d thumbnails", n, len(media.Files))
		}
		if n := w.Count(t, "{files} WHERE id = ?", kept.ID); n != 1 || w.Count(t, "{files}") != 1 {
			t.Errorf("%d of %d files is the one of before", n, w.Count(t, "{files}"))
		}
		// The name of a thumbnail whose storage failed is free after its reservation.
		w.Clock.Advance(2 * time.Hour)
		roomtest.Must(t, w.Platform.System().Tidy(ctx()))
		roomtest.WantFiles(t, w, files, "first")
	})
}

// The storage of the importer has an end, and what is beyond it leaves nothing.
func TestImportCourse_StorageFull(t *testing.T) {
	w, files := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	w.Exec(t, `INSERT INTO files (id, owner_id, name, type, size, sha256, stored_name, uses,
		unused_since, created_at) VALUES ('large', ?, 'x', 'text/plain', ?, 'x', 'x', 0,
		'2026-01-01 00:00:00.000000', '2026-01-01 00:00:00.000000')`, roomtest.Teacher.UserID,
		file.MaxUnusedFiles-10)
	data := roomtest.PackageOf(t, describedCourse(t, nil), [2]string{"a.txt", "first"},
		[2]string{"b.txt", "second"})
	if _, err := w.Imported(roomtest.Teacher, data); !errors.Is(err, file.ErrStorageFull) {
		t.Errorf("%v, want a full storage", err)
	}
	if n := w.Count(t, "{files}"); n != 1 || len(files.Contents()) > 0 {
		t.Errorf("%d files, contents %q", n, files.Contents())
	}
}

// What the platform of the importer cannot have is left out, and named.
func TestImportCourse_SkipsWhatThePlatformCannotHave(t *testing.T) {
	w, _ := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	data := roomtest.PackageOf(t, describedCourse(t, func(c *coursepackage.Course) {
		c.Price = coursepackage.Price{Amount: 100_00, Currency: "EUR"}
		c.Chapters[0].Lectures = append(c.Chapters[0].Lectures, coursepackage.Lecture{Title: "Film",
			Kind: "embed", URL: "https://videos.example.org/1"})
	}), [2]string{"a.txt", "first"}, [2]string{"b.txt", "first"})
	got, err := w.Imported(roomtest.Teacher, data)
	roomtest.Must(t, err)
	c, err := w.Platform.Catalog.EditableCourse(ctx(), roomtest.Teacher, got.CourseID)
	roomtest.Must(t, err)
	if c.Price != 0 || got.Lectures != 1 || got.Files != 1 || len(got.Skipped) != 2 ||
		got.Skipped[0].What != "the price in INR" || got.Skipped[1].What != `lecture "Film"` {
		t.Errorf("%+v of price %d", got, c.Price)
	}
}

// A package has one price for each currency, one of them in the currency of the platform that has
// written it. What becomes of them depends on the currency of this platform, which is INR, and on
// what can be paid.
func TestImportCourse_Prices(t *testing.T) {
	t.Parallel()
	price := func(amount int64, currency string) coursepackage.Price {
		return coursepackage.Price{Amount: amount, Currency: currency}
	}
	w, _ := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	for name, c := range map[string]struct {
		price   coursepackage.Price
		prices  []coursepackage.Price
		want    core.Money
		others  []catalog.Price
		skipped []string // of the package
	}{
		"of a platform in the same currency": {price(499_00, "INR"), []coursepackage.Price{price(21_00, "EUR"), price(2500, "JPY")},
			499_00, []catalog.Price{{Currency: "EUR", Amount: 21_00}, {Currency: "JPY", Amount: 2500}}, nil},
		"of a platform in another currency": {price(21_00, "EUR"), []coursepackage.Price{price(2500, "JPY"), price(499_00, "INR")},
			499_00, []catalog.Price{{Currency: "EUR", Amount: 21_00}, {Currency: "JPY", Amount: 2500}}, nil},
		"none in the currency of this platform": {price(21_00, "EUR"), []coursepackage.Price{price(2500, "JPY")},
			0, []catalog.Price{{Currency: "EUR", Amount: 21_00}, {Currency: "JPY", Amount: 2500}},
			[]string{"the price in INR: the package has none, and its price is in EUR: set the price of the course"}},
		"free at the other platform": {price(0, "EUR"), []coursepackage.Price{price(499_00, "INR")}, 499_00, nil, nil},
		"what nobody can pay": {price(499_00, "INR"),
			[]coursepackage.Price{price(1, "JPY"), price(5_000, "IQD"), price(7, "€uro"), price(-1, "EUR")}, 499_00, nil, []string{
				"the price in JPY: no payment provider of this platform takes 1 JPY",
				"the price in IQD: no payment provider of this platform takes 5 IQD",
				"the price in €ur: no payment provider of this platform takes 0.07 €ur",
				"the price in EUR: no payment provider of this platform takes -0.01 EUR"}},
		"less than a course can cost here": {price(21_00, "EUR"), []coursepackage.Price{price(99, "INR")}, 0,
			[]catalog.Price{{Currency: "EUR", Amount: 21_00}},
			[]string{"the price in INR: no payment provider of this platform takes 0.99 INR"}},
	} {
		t.Run(name, func(t *testing.T) {
			data := roomtest.PackageOf(t, describedCourse(t, func(d *coursepackage.Course) {
				d.Price, d.Prices = c.price, c.prices
			}), [2]string{"a.txt", "first"}, [2]string{"b.txt", "first"})
			got, err := w.Imported(roomtest.Teacher, data)
			roomtest.Must(t, err)
			made, err := w.Platform.Catalog.EditableCourse(ctx(), roomtest.Teacher, got.CourseID)
			roomtest.Must(t, err)
			var skipped []string
			for _, s := range got.Skipped {
				skipped = append(skipped, s.What+": "+s.Why)
			}
			if made.Price != c.want || !slices.Equal(made.Prices, c.others) ||
				!slices.Equal(skipped, c.skipped) {
				t.Errorf("price %d, prices %+v, skipped %q", made.Price, made.Prices, skipped)
			}
		})
	}

	// Two prices in a currency are a fault of the package.
	for _, twice := range [][]coursepackage.Price{{price(499_00, "INR")}, {price(21_00, "EUR"), price(22_00, "EUR")}} {
		data := roomtest.PackageOf(t, describedCourse(t, func(d *coursepackage.Course) {
			d.Price, d.Prices = price(1_00, "INR"), twice
		}), [2]string{"a.txt", "first"}, [2]string{"b.txt", "first"})
		if _, err := w.Imported(roomtest.Teacher, data); !errors.Is(err, exchange.ErrPackageRefused) {
			t.Errorf("%+v: %v, want a refusal", twice, err)
		}
	}
}

// A cartridge becomes a course with its files; what may not be uploaded is left out, and named.
func TestImportCourse_Cartridge(t *testing.T) {
	w, files := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	manifest := `<manifest xmlns="http://www.imsglobal.org/xsd/imsccv1p3/imscp_v1p1"><metadata>
		<schema>IMS Common Cartridge</schema><schemaversion>1.3.0</schemaversion></metadata>
		<organizations><organization><item>
			<item identifierref="r1"><title>Page</title></item>
			<item identifierref="r2"><title>Script</title></item>
		</item></organization></organizations>
		<resources><resource identifier="r1" type="webcontent" href="a.html"/>
			<resource identifier="r2" type="webcontent" href="b.js"/></resources></manifest>`
	data := roomtest.PackageOf(t, [2]string{"imsmanifest.xml", manifest},
		[2]string{"a.html", `<p>Hi <a href="c.txt">c</a> <a href="b.js">b</a>`},
		[2]string{"b.js", "alert(1)"}, [2]string{"c.txt", "notes"})
	got, err := w.Imported(roomtest.Teacher, data)
	roomtest.Must(t, err)
	const why = "files of its type are not allowed: this is a text with the name ….js: if it is plain " +
		"text or Markdown, name it .txt or .md"
	want := exchange.ImportedCourse{CourseID: got.CourseID, Chapters: 1, Lectures: 1, Files: 1,
		Skipped: []exchange.SkippedPart{
			{What: `lecture "Script"`, Why: why}, {What: `file "b.js" of the lecture "Page"`, Why: why}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	c, err := w.Platform.Catalog.EditableCourse(ctx(), roomtest.Teacher, got.CourseID)
	roomtest.Must(t, err)
	l := c.Content[0].Lectures[0]
	if *l.Text != "Hi c b" || l.Kind != catalog.KindText || len(l.Attachments) != 1 ||
		c.Title != "Imported course" || c.Thumbnail != "" {
		t.Errorf("%q, %+v", *l.Text, c)
	}
	roomtest.WantFiles(t, w, files, "notes")
}

// Questions of a cartridge that are outside the limits of a quiz are left out. A quiz without
// others leaves no chapter.
func TestImportCourse_CartridgeWithQuizzes(t *testing.T) {
	w, _ := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	manifest := `<manifest><metadata><schema>IMS Common Cartridge</schema>
		<schemaversion>1.1.0</schemaversion></metadata><organizations><organization><item>
			<item identifierref="r1"><title>Good</title></item>
			<item identifierref="r2"><title>Page</title></item>
			<item identifierref="r3"><title>Bad</title></item>
		</item></organization></organizations>
		<resources><resource identifier="r1" type="imsqti_xmlv1p2/imscc_xmlv1p1/assessment"
			href="good.xml"/><resource identifier="r2" type="webcontent" href="a.html"/>
			<resource identifier="r3" type="imsqti_xmlv1p2/imscc_xmlv1p1/assessment" href="bad.xml"/>
			</resources></manifest>`
	right := coursepackage.Question{Kind: "true-false", Question: "Right?", Answer: true, Points: 2}
	long := right
	long.Question = strings.Repeat("é", assess.MaxQuestionText+1)
	quiz := func(questions ...coursepackage.Question) string {
		return string(qti.Write("", coursepackage.Quiz{Questions: questions}))
	}
	got, err := w.Imported(roomtest.Teacher, roomtest.PackageOf(t, [2]string{"imsmanifest.xml",
		manifest},
		[2]string{"a.html", "<p>Hi"}, [2]string{"good.xml", quiz(long, right)},
		[2]string{"bad.xml", quiz(long)}))
	roomtest.Must(t, err)
	c, err := w.Platform.Catalog.EditableCourse(ctx(), roomtest.Teacher, got.CourseID)
	roomtest.Must(t, err)
	if got.Quizzes != 1 || got.Chapters != 2 || len(got.Skipped) != 3 ||
		got.Skipped[2].What != `quiz "Bad"` || !c.Content[0].HasQuiz || c.Content[1].HasQuiz {
		t.Fatalf("%+v", got)
	}
	q := w.PlainQuiz(t, roomtest.Teacher, got.CourseID, c.Content[0].ID)
	if len(q.Questions) != 1 || q.Questions[0].Text != "Right?" || q.Questions[0].Points != 2 ||
		!q.ByHand || q.Settings != assess.DefaultQuizSettings {
		t.Errorf("%+v", q)
	}
}

// A package is for the educator of the course and admins.
func TestExportCourse_IsForEditors(t *testing.T) {
	w, _ := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	id := w.Publish(t, "course", roomtest.Chapter("one", "a"))
	student := w.Enrolls(t, "ada", id)
	for actor, want := range map[learning.Actor]error{
		student:                             core.ErrForbidden,
		w.Person(t, "other", core.Educator): core.ErrForbidden,
		w.Person(t, "admin", core.Admin):    nil,
		{}:                                  core.ErrUnauthenticated,
	} {
		if _, err := w.Platform.Exchange.ExportCourse(ctx(), actor, id); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", actor.UserID, err, want)
		}
	}
	_, err := w.Platform.Exchange.ExportCourse(ctx(), w.Person(t, "admin", core.Admin), "none")
	if !errors.Is(err, catalog.ErrCourseNotFound) {
		t.Errorf("no course: %v", err)
	}
}

// A file that the store has lost, or that has another length, is an error and no shorter package.
func TestCoursePackage_LostFile(t *testing.T) {
	w, files := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	f := w.Upload(t, "a.txt", "content")
	id := w.Publish(t, "course", catalog.Chapter{Title: "One", Lectures: []catalog.Lecture{
		{Title: "A", Kind: catalog.KindFile, FileID: f.ID}}})
	p, err := w.Platform.Exchange.ExportCourse(ctx(), roomtest.Teacher, id)
	roomtest.Must(t, err)
	files.Files[f.StoredName] = "short"
	if err := p.Write(ctx(), io.Discard); err == nil {
		t.Error("a file is shorter than it was, and Write returns no error")
	}
	roomtest.Must(t, files.DeleteFile(context.Background(), f.StoredName))
	if err := p.Write(ctx(), io.Discard); err == nil {
		t.Error("a file is lost, and Write returns no error")
	}
}

// changingStore changes a course while its quizzes are read.
type changingStore struct {
	learning.Store
	change func()
}

func (s changingStore) Quizzes(ctx context.Context, courseID string) ([]assess.Quiz, error) {
	s.change()
	return s.Store.Quizzes(ctx, courseID)
}

// A course that is edited while it is read is read again, and given up if that does not end. The
// parts of a package are always those of one version.
func TestExportCourse_WhileItIsEdited(t *testing.T) {
	w, _ := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	id := w.Publish(t, "course", roomtest.Chapter("one", "a"))
	for edits, want := range map[int]error{2: nil, 9: catalog.ErrCourseChanged} {
		left := edits
		p, err := learning.New(changingStore{w.Store, func() {
			if left--; left < 0 {
				return
			}
			c, err := w.Platform.Catalog.EditableCourse(ctx(), roomtest.Teacher, id)
			roomtest.Must(t, err)
			title := fmt.Sprintf("Title %d of %d", left, edits)
			_, err = w.Platform.Catalog.EditCourse(ctx(), roomtest.Teacher, id, catalog.CourseEdit{
				Version: c.Version, Title: &title,
				Content: []catalog.Chapter{roomtest.Chapter(title, title)}})
			roomtest.Must(t, err)
		}})
		roomtest.Must(t, err)
		export, err := p.Exchange.ExportCourse(ctx(), roomtest.Teacher, id)
		if !errors.Is(err, want) {
			t.Errorf("%d edits: %v, want %v", edits, err, want)
		}
		if err != nil {
			continue
		}
		var b bytes.Buffer
		roomtest.Must(t, export.Write(ctx(), &b))
		if n := strings.Count(b.String(), "Title 0 of 2"); n != 4 { // of all parts, and a URL
			t.Errorf("%d of 4 titles are the last one:\n%s", n, b.String())
		}
	}
}

// No package is written that could not be imported.
func TestExportCourse_TooLarge(t *testing.T) {
	w, _ := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	f := w.Upload(t, "a.txt", "content")
	id := w.Publish(t, "course", catalog.Chapter{Title: "One", Lectures: []catalog.Lecture{
		{Title: "A", Kind: catalog.KindFile, FileID: f.ID}}})
	w.Exec(t, "UPDATE files SET size = ?", int64(exchange.MaxPackage))
	if _, err := w.Platform.Exchange.ExportCourse(ctx(), roomtest.Teacher, id); !errors.Is(err,
		exchange.ErrPackageTooLarge) {
		t.Errorf("%v, want a course that is too large", err)
	}
}
