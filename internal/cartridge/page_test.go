package cartridge_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/cartridge"
	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/safezip"
)

// pagesOf returns an archive of a cartridge with a number of items that show its page.
func pagesOf(t testing.TB, page string, shown int) *safezip.Archive {
	t.Helper()
	items := strings.Repeat(`<item identifierref="r1"><title>P</title></item>`, shown)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range map[string]string{"p.html": page,
		cartridge.Name: manifestOf("1.1", items, `<resource identifier="r1" type="webcontent" href="p.html"/>`),
	} {
		out, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(out, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := safezip.Open(bytes.NewReader(b.Bytes()), int64(b.Len()),
		safezip.Limits{Entries: 10, Bytes: 20 << 20, Ratio: 2_000})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// readPages reads a cartridge of pages.
func readPages(b *budget.Budget, a *safezip.Archive) (
	coursepackage.Course, []coursepackage.Skipped, error) {
	return cartridge.Reader{IsEmbed: func(string) bool { return false }, MaxText: 100_000,
		MaxTexts: 1 << 30, MaxAttachments: 20, MaxLectures: 10_000}.Read(b, a)
}

// bombs are pages of 2 MiB that became hundreds of megabytes, and minutes of work.
func bombs() map[string]string {
	fill := func(head, part string) string {
		return head + strings.Repeat(part, (maxPage-len(head))/len(part))
	}
	formats := "<p>"
	for i := range 490 {
		formats += fmt.Sprintf("<b id=%d>", i)
	}
	return map[string]string{
		"open formats": fill(formats, "<p>x"),
		"quotes":       fill(strings.Repeat("<blockquote>", 400), "<p>x"),
		"lists":        fill(strings.Repeat("<ul><li>", 200), "<li>x"),
		"a wide table": fill("<table><tr>", "<td>x"),
		"a long cell":  fill("<table><tr><td>"+strings.Repeat("x", maxPage/2), "<tr><td>y"),
	}
}

const maxPage = 2 << 20

// A page of 2 MiB needs a bounded part of the memory, whatever it has in it. It is skipped, and its
// cartridge is read.
func TestRead_HostilePagesAreSkipped(t *testing.T) {
	for name, page := range bombs() {
		a := pagesOf(t, page, 1)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, skipped, err := readPages(budget.New(t.Context(), 4<<20), a)
		runtime.ReadMemStats(&after)
		if err != nil || len(skipped) == 0 {
			t.Errorf("%s: %+v, %v", name, skipped, err)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 64+20*2 {
			t.Errorf("%s: %d MiB are allocated", name, took)
		}
	}
}

// A page is converted once, however many items show it.
func TestRead_ItemsOnOnePage(t *testing.T) {
	page := strings.Repeat("<p>a <b>b</b> c<br>", 5_000)
	allocated := func(items int) uint64 {
		a := pagesOf(t, page, items)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		course, skipped, err := readPages(budget.New(t.Context(), 4<<20), a)
		runtime.ReadMemStats(&after)
		if err != nil || len(skipped) > 0 || len(course.Chapters[0].Lectures) != items {
			t.Fatalf("%d items: %d chapters, %v, %v", items, len(course.Chapters), skipped, err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if one, many := allocated(1), allocated(500); many > 2*one+8<<20 {
		t.Errorf("%d bytes are allocated for one item, and %d for 500", one, many)
	}
}

// The work ends soon after the caller has left.
func TestRead_EndsWithTheContext(t *testing.T) {
	a := pagesOf(t, strings.Repeat("<p>a <b>b</b> c<br>", 90_000), 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	began := time.Now()
	_, _, err := readPages(budget.New(ctx, 4<<20), a)
	if took := time.Since(began); !errors.Is(err, context.Canceled) || took > time.Second {
		t.Errorf("%v after %v", err, took)
	}
}

// Exponents, code, formulas and addresses of a page mean the same in its text.
func TestRead_PagesMeanTheSame(t *testing.T) {
	for page, want := range map[string]string{
		`<p><iframe src="https://www.youtube.com/embed/a_b-c_d_e_f?rel=0"></iframe></p>`: "https://www.youtube.com/embed/a_b-c_d_e_f?rel=0",
		`<iframe src="//www.youtube.com/embed/a_b"></iframe>`:                            "https://www.youtube.com/embed/a_b",
		`<p>10<sup>3</sup>, 10<sub>3</sub></p>`:                                          "10³, 10₃",
		"<pre>if a:\n    b()</pre>":                                                      "```\nif a:\n    b()\n```",
		`<img class="equation_image" data-equation-content="\frac{a}{b}" src="/x">`:      `$\frac{a}{b}$`,
		"<meta charset=windows-1252>\x80":                                                "€",
	} {
		course, skipped, err := readPages(budget.New(t.Context(), 4<<20), pagesOf(t, page, 1))
		if err != nil || len(skipped) > 0 || course.Chapters[0].Lectures[0].Text != want {
			t.Errorf("%s: %+v, %v, %v, want %q", page, course.Chapters, skipped, err, want)
		}
	}
}

// What a page shows and its text does not have is named.
func TestRead_NamesWhatPagesLose(t *testing.T) {
	for page, want := range map[string]string{
		"a<form><input></form>":                     "forms",
		`a<img src="no.png" alt="b">`:               "that are not in the cartridge",
		`a<iframe src="/media_objects/1"></iframe>`: "that are not in the cartridge",
		`<svg><path/></svg>`:                        "it has no text",
		strings.Repeat("<div>", 1_000):              "nested too deep",
	} {
		_, skipped, err := readPages(budget.New(t.Context(), 4<<20), pagesOf(t, page, 1))
		if err != nil || len(skipped) != 1 || !strings.Contains(skipped[0].Why, want) ||
			!strings.Contains(skipped[0].What, `page "P"`) {
			t.Errorf("%.40s: %+v, %v, want %q", page, skipped, err, want)
		}
	}
}
