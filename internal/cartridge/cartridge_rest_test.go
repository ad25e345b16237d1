package cartridge_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/cartridge"
	"github.com/openlectern/openlectern/internal/coursepackage"
)

// readSmall reads a cartridge with a manifest of items and resources, and with files: a name and a
// content each.
func readSmall(t *testing.T, items, resources string, files ...string) (
	coursepackage.Course, []coursepackage.Skipped) {
	t.Helper()
	all := map[string]string{cartridge.Name: manifestOf("1.1", items, resources)}
	for i := 0; i < len(files); i += 2 {
		all[files[i]] = files[i+1]
	}
	course, skipped, err := read(t, all)
	if err != nil {
		t.Fatal(err)
	}
	return course, skipped
}

// titles returns the titles of the chapters and lectures of a course, and which chapters have a
// quiz.
func titles(c coursepackage.Course) (list []string) {
	for _, ch := range c.Chapters {
		title := ch.Title
		if ch.Quiz != nil {
			title += fmt.Sprintf(" (quiz of %d)", len(ch.Quiz.Questions))
		}
		list = append(list, title)
		for _, l := range ch.Lectures {
			list = append(list, "- "+l.Kind+": "+l.Title)
		}
	}
	return list
}

// pageOf returns a page with a title and a text.
func pageOf(title, text string) string {
	return "<html><head><title>" + title + "</title></head><body><p>" + text + "</p></body></html>"
}

// quizDocument returns a quiz with a title and questions that are true or false.
func quizDocument(title string, questions ...string) string {
	var b strings.Builder
	for _, q := range questions {
		fmt.Fprintf(&b, `<item ident="i"><presentation><material><mattext>%s</mattext></material>
			<response_lid ident="r" rcardinality="Single"><render_choice>
			<response_label ident="a"><material><mattext>A</mattext></material></response_label>
			<response_label ident="b"><material><mattext>B</mattext></material></response_label>
			</render_choice></response_lid></presentation><resprocessing><respcondition><conditionvar>
			<varequal respident="r">a</varequal></conditionvar><setvar varname="SCORE">100</setvar>
			</respcondition></resprocessing></item>`, q)
	}
	return `<questestinterop><assessment ident="A" title="` + title + `"><section ident="s">` +
		b.String() + `</section></assessment></questestinterop>`
}

// Pages, links and quizzes that no module shows become the last chapters, by their own titles.
func TestRead_WhatNoModuleShows(t *testing.T) {
	webcontent := func(id, file string) string {
		return `<resource identifier="` + id + `" type="webcontent" href="` + file + `"><file href="` +
			file + `"/></resource>`
	}
	const quiz = `<resource identifier="q" type="imsqti_xmlv1p2/imscc_xmlv1p1/assessment">
		<file href="q.xml"/></resource>`
	for name, test := range map[string]struct {
		items, resources string
		files            []string
		want, skipped    []string
	}{
		"no modules": {
			resources: webcontent("a", "wiki_content/welcome.html") + webcontent("b", "wiki_content/w.html"),
			files: []string{"wiki_content/welcome.html", pageOf("Welcome &amp; more", "Hello all"),
				"wiki_content/w.html", pageOf("Week one", "Read chapter one")},
			want: []string{"Sea and sail", "- text: Welcome & more", "- text: Week one"},
		},
		"pages and quizzes beside a module": {
			items: `<item identifier="i" identifierref="a"><title>Shown</title></item>`,
			resources: quiz + webcontent("a", "a.html") + webcontent("b", "b.html") +
				webcontent("c", "c.html") + webcontent("d", "d.pdf") +
				`<resource identifier="l" type="imswl_xmlv1p1"><file href="l.xml"/></resource>`,
			files: []string{"a.html", pageOf("A", "a"), "b.html", pageOf("B", "b"), "c.html", pageOf("", "c"),
				"d.pdf", "%PDF-", "q.xml", quizDocument("Final", "1?", "2?"),
				"l.xml", link("1.1", "https://example.org/")},
			want: []string{"Sea and sail", "- text: Shown", "Other pages", "- text: B", "- text: c.html",
				"- text: T", "Final (quiz of 2)"},
			skipped: []string{"1 file"},
		},
		"a page that is empty": {
			items:     `<item identifier="i" identifierref="a"><title>Shown</title></item>`,
			resources: webcontent("a", "a.html") + webcontent("b", "b.html"),
			files:     []string{"a.html", pageOf("A", "a"), "b.html", pageOf("Player", "<script>x()</script>")},
			want:      []string{"Sea and sail", "- text: Shown"},
			skipped:   []string{`page "Player"`},
		},
		"quizzes only": {
			items: `<item identifier="f"><title>M</title><item identifier="i" identifierref="q">
				<title>Test</title></item></item>`,
			resources: quiz, files: []string{"q.xml", quizDocument("Quiz", "1?")},
			want: []string{"M – Test (quiz of 1)"},
		},
		"a quiz that is shown twice": {
			items: `<item identifier="i" identifierref="q"><title>Test</title></item>
				<item identifier="j" identifierref="q"><title>Again</title></item>`,
			resources: quiz, files: []string{"q.xml", quizDocument("Quiz", "1?")},
			want: []string{"Test (quiz of 1)"}, skipped: []string{`quiz "Again"`},
		},
		"files only": {
			resources: webcontent("a", "web_resources/a.pdf") + webcontent("b", "b.css"),
			files:     []string{"web_resources/a.pdf", "%PDF-", "b.css", "x"},
			want:      []string{"Sea and sail", "- file: a.pdf"},
		},
		"discussions and tools": {
			resources: webcontent("a", "a.html") + `
				<resource identifier="d" type="imsdt_xmlv1p1"><file href="d.xml"/></resource>
				<resource identifier="t" type="imsbasiclti_xmlv1p0"><file href="t.xml"/></resource>
				<resource identifier="x" type="learning/of-another"><file href="x.bin"/></resource>`,
			files: []string{"a.html", pageOf("A", "a"), "d.xml", "<topic><title>Talk</title></topic>",
				"t.xml", `<cartridge_basiclti_link xmlns:blti="x"><blti:title>Lab</blti:title>
				</cartridge_basiclti_link>`, "x.bin", "x"},
			want:    []string{"Sea and sail", "- text: A"},
			skipped: []string{`discussion "Talk"`, `tool "Lab"`, "1 part of other programs"},
		},
	} {
		course, skipped := readSmall(t, test.items, test.resources, test.files...)
		if d := cmp.Diff(test.want, titles(course)); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
		var what []string
		for _, s := range skipped {
			what = append(what, s.What)
		}
		if d := cmp.Diff(test.skipped, what); d != "" {
			t.Errorf("%s: skipped -want +got\n%s", name, d)
		}
	}
}

// References of programs of Windows are found: with backslashes, and with other capital letters.
func TestRead_ReferencesOfWindows(t *testing.T) {
	course, skipped := readSmall(t, `<item identifier="i" identifierref="a"><title>A</title></item>`,
		`<resource identifier="a" type="webcontent" href="Pages\A.HTML"/>
		<resource identifier="b" type="webcontent" href="pages/B.png"/>`,
		"pages/a.html", pageOf("A", `a<img src="b.PNG" alt="B">`), "pages/B.png", "x")
	if len(course.Chapters) != 1 || len(course.Chapters[0].Lectures[0].Attachments) != 1 ||
		len(skipped) > 0 {
		t.Errorf("%+v, %+v", course, skipped)
	}
}

// A manifest of very many items is read in one pass: a page that many show is converted once, and
// what is skipped is counted after the first parts.
func TestRead_ManyItems(t *testing.T) {
	item := func(ref string) string {
		return `<item identifier="i" identifierref="` + ref + `"><title>T</title></item>`
	}
	course, skipped := readSmall(t, item("a")+strings.Repeat(item("none"), 10_000),
		`<resource identifier="a" type="webcontent" href="a.html"/>`, "a.html", pageOf("A", "a"))
	if len(course.Chapters) != 1 || len(skipped) != 501 || skipped[500].What != "9500 other parts" {
		t.Errorf("%d chapters, %d skipped", len(course.Chapters), len(skipped))
	}
	all := map[string]string{"a.html": pageOf("A", "a"), cartridge.Name: manifestOf("1.1",
		strings.Repeat(item("a"), 10_000), `<resource identifier="a" type="webcontent" href="a.html"/>`)}
	if _, _, err := read(t, all); err == nil || !strings.Contains(err.Error(), "more than 1000 lectures") {
		t.Errorf("10,000 lectures: %v", err)
	}
}

// contains reports whether a part is skipped for a reason.
func contains(skipped []coursepackage.Skipped, what, why string) bool {
	return slices.ContainsFunc(skipped, func(s coursepackage.Skipped) bool {
		return strings.Contains(s.What, what) && strings.Contains(s.Why, why)
	})
}

// What a manifest of very many parts costs is bounded by its bytes: 64 MB, and 20 bytes for each
// byte.
func TestRead_CostOfAManifest(t *testing.T) {
	const size = 6 << 20
	many := func(part func(i int) string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(part(i))
		}
		return b.String()
	}
	fixed := func(part string) func(int) string { return func(int) string { return part } }
	for name, test := range map[string][2]string{
		"items":      {many(fixed("<item/>")), ""},
		"references": {many(fixed(`<item identifierref="a"/>`)), ""},
		"folders":    {many(fixed(strings.Repeat("<item><title>a</title>", 40) + strings.Repeat("</item>", 40))), ""},
		"resources":  {"", many(fixed("<resource/>"))},
		"ids":        {"", many(func(i int) string { return fmt.Sprintf(`<resource identifier="%d"/>`, i) })},
		"files":      {"", "<resource>" + many(fixed("<file/>")) + "</resource>"},
		"quizzes": {"", many(func(i int) string {
			return fmt.Sprintf(`<resource identifier="%d" type="imsqti_x" href="q.xml"/>`, i)
		})},
	} {
		all := map[string]string{cartridge.Name: manifestOf("1.1", test[0], test[1]),
			"q.xml": quizDocument("Quiz", "1?")}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		course, skipped, err := read(t, all)
		runtime.ReadMemStats(&after)
		took := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %d MB, %d chapters, %d skipped, %v", name, took/1_000_000, len(course.Chapters),
			len(skipped), err)
		if took > 64_000_000+20*size {
			t.Errorf("%s: %d MB are allocated for 6 MiB", name, took/1_000_000)
		}
	}
}
