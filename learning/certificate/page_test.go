package certificate_test

import (
	"bytes"
	"image/color"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openlectern/learning/learning"
	"github.com/openlectern/learning/learning/certificate"
)

// awkward are certificates that do not fit by themselves.
var awkward = map[string]learning.Certificate{
	"a word without spaces": of(strings.Repeat("Wolfeschlegelstein", 12)[:200], strings.Repeat("W", 200), strings.Repeat("W", 200)),
	"a long title":          of("A", strings.Repeat("Practice of Observability ", 8), strings.Repeat("von und zu ", 20)),
	"far too long":          of(strings.Repeat("Anna ", 4000), strings.Repeat("ع", 5000), strings.Repeat("漢", 5000)),
	"marks upon marks":      of("Z"+strings.Repeat("\u0301", 200)+"oë", strings.Repeat("e\u0323\u0302\u0316", 40), strings.Repeat("\u0e01\u0e49\u0e49", 60)),
	"nothing at all":        {},
	"only marks":            of("\u0301\u0327", "\u200d", "\ufe0f"),
	"emoji":                 of("Ana 👩‍👩‍👧‍👦 😀", "🇮🇳 ☕️", "👍🏽"),
	"not UTF-8":             of("Zo\xeb \xff\xfe", "\xc3", "\xed\xa0\x80"),
	"no font anywhere":      of("\U00012000 \U0001D173", "\ue000 \U0010fffd", "\U000e0041"),
	"slanted to the left":   of("ffff jjjj", strings.Repeat("ﷺ", 30), "𝒥𝒥 "+strings.Repeat("﷽", 20)),
}

// Between the frame and what it frames there is nothing but white, nor is there
// outside of the frame: whatever runs out of its place shows there.
func TestNothingRunsOutOfThePage(t *testing.T) {
	withAll := newRenderer(t, certificate.WithFonts(hostFonts()...))
	bare := newRenderer(t)
	for name, c := range awkward {
		for kind, r := range map[string]*certificate.Renderer{"with fonts": withAll, "without": bare} {
			t.Run(name+" "+kind, func(t *testing.T) {
				const dots = 72 // a point is a pixel
				page := picture(t, render(t, r, c), dots)
				for y := range page.Rect.Dy() {
					for x := range page.Rect.Dx() {
						if isMargin(min(x, page.Rect.Dx()-1-x), min(y, page.Rect.Dy()-1-y)) && page.GrayAt(x, y).Y < 250 {
							t.Fatalf("ink at %d, %d from the upper left, in points", x, y)
						}
					}
				}
			})
		}
	}
}

// isMargin tells whether a point should be white, by its distance from the edges
// at the side and at the top or bottom: outside of the frame and its rosettes, and
// between it and what people wrote.
func isMargin(side, end int) bool {
	switch {
	case side < 21 || end < 21:
		return true
	case side < 60 && end < 60: // rosettes
		return false
	}
	return side >= 46 && side < 88 && end >= 46 || end >= 45 && end < 48 && side >= 46
}

// The phone in these tests is zbar; the paper has 200 dots an inch, a third of what
// a cheap printer puts on it.
func TestQRCodeIsReadFromThePage(t *testing.T) {
	for name, url := range map[string]string{
		"ordinary": verifyURL,
		"longest":  "https://learn.example.org/" + strings.Repeat("x", 300-26),
	} {
		file, err := newRenderer(t).RenderCertificate(t.Context(), ordinary, url)
		if err != nil {
			t.Fatal(err)
		}
		paper := filepath.Join(t.TempDir(), "page")
		run(t, "poppler", "pdftoppm", "-r", "200", "-png", "-singlefile", onDisk(t, file), paper)
		if got := strings.TrimSpace(string(run(t, "zbar", "zbarimg", "--quiet", "--raw", "--nodbus", paper+".png"))); got != url {
			t.Errorf("%s: read %q, want %q", name, got, url)
		}
	}
}

func TestFileSaysWhatItIs(t *testing.T) {
	r := newRenderer(t, certificate.WithPlatform("Ŵest (College)"))
	about := string(run(t, "poppler", "pdfinfo", onDisk(t, render(t, r, ordinary))))
	for _, want := range []string{
		"Title: Certificate of Completion: Zoë Łukaszewicz-Ŵynne", "Author: Ŵest (College)", "Subject: Distributed Systems in Go",
		"Producer: Open Lectern", "CreationDate: Sat Nov 21 09:05:00 2026 UTC", "Tagged: yes", "Pages: 1", "Page size: 841.89 x 595.28 pts (A4)",
	} {
		if !strings.Contains(strings.Join(strings.Fields(about), " "), want) {
			t.Errorf("pdfinfo does not say %q but\n%s", want, about)
		}
	}
	structure := string(run(t, "poppler", "pdfinfo", "-struct-text", onDisk(t, render(t, r, ordinary))))
	for _, want := range []string{"H1", `"Certificate of Completion"`, "Figure", "Link", `"Zoë Łukaszewicz-Ŵynne"`} {
		if !strings.Contains(structure, want) {
			t.Errorf("the structure has no %s but\n%s", want, structure)
		}
	}
}

func TestFileIsWholePDFWhateverIsOnIt(t *testing.T) {
	r := newRenderer(t, certificate.WithFonts(hostFonts()...), certificate.WithLogo(pngLogo(t, 40, 20)), certificate.WithAccent(color.White))
	for name, c := range awkward {
		out := run(t, "qpdf", "qpdf", "--check", onDisk(t, render(t, r, c)))
		if !bytes.Contains(out, []byte("No syntax or stream encoding errors found")) {
			t.Errorf("%s: %s", name, out)
		}
	}
}
