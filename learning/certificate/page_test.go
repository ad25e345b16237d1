package certificate_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/certificate"
	"github.com/openlectern/openlectern/learning/certify"
)

// awkward are certificates whose texts are hard to fit on the page.
var awkward = map[string]certify.Certificate{
	"a word without spaces": of(strings.Repeat("Wolfeschlegelstein", 12)[:200],
		strings.Repeat("W", 200), strings.Repeat("W", 200)),
	"a long title": of("A", strings.Repeat("Practice of Observability ", 8),
		strings.Repeat("von und zu ", 20)),
	"far too long": of(strings.Repeat("Anna ", 4000), strings.Repeat("ع", 5000),
		strings.Repeat("漢", 5000)),
	"marks upon marks": of("Z"+strings.Repeat("\u0301", 200)+"oë",
		strings.Repeat("e\u0323\u0302\u0316", 40), strings.Repeat("\u0e01\u0e49\u0e49", 60)),
	"nothing at all":   {},
	"only marks":       of("\u0301\u0327", "\u200d", "\ufe0f"),
	"emoji":            of("Ana 👩‍👩‍👧‍👦 😀", "🇮🇳 ☕️", "👍🏽"),
	"not UTF-8":        of("Zo\xeb \xff\xfe", "\xc3", "\xed\xa0\x80"),
	"no font anywhere": of("\U00012000 \U0001D173", "\ue000 \U0010fffd", "\U000e0041"),
	"slanted to the left": of("ffff jjjj", strings.Repeat("ﷺ", 30),
		"𝒥𝒥 "+strings.Repeat("﷽", 20)),
}

// The page is white outside the frame, and between the frame and the text. Text that leaves
// its box would be seen there.
func TestPage_TextStaysInsideTheFrame(t *testing.T) {
	withAll := newRenderer(t, certificate.WithFonts(hostFonts()...))
	bare := newRenderer(t)
	for name, c := range awkward {
		for kind, r := range map[string]*certificate.Renderer{"with fonts": withAll,
			"without": bare} {
			t.Run(name+" "+kind, func(t *testing.T) {
				const dots = 72 // a point is a pixel
				page := picture(t, render(t, r, c), dots)
				for y := range page.Rect.Dy() {
					for x := range page.Rect.Dx() {
						if isMargin(min(x, page.Rect.Dx()-1-x), min(y, page.Rect.Dy()-1-y)) &&
							page.GrayAt(x, y).Y < 250 {
							t.Fatalf("the page is not white at %d, %d points from the upper left",
								x, y)
						}
					}
				}
			})
		}
	}
}

// isMargin reports whether a point must be white, by its distance from the nearest edge at
// the side and from the nearest edge at the top or bottom. White are the points outside the
// frame and its rosettes, and those between the frame and the text.
func isMargin(side, end int) bool {
	switch {
	case side < 21 || end < 21:
		return true
	case side < 60 && end < 60: // rosettes
		return false
	}
	return side >= 46 && side < 88 && end >= 46 || end >= 45 && end < 48 && side >= 46
}

// In these tests, zbar is the phone and an image of 200 dots an inch is the paper: a third of
// what a cheap printer prints.
func TestPage_QRCodeIsReadable(t *testing.T) {
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
		if got := strings.TrimSpace(string(run(t, "zbar", "zbarimg", "--quiet", "--raw", "--nodbus",
			paper+".png"))); got != url {
			t.Errorf("%s: read %q, want %q", name, got, url)
		}
	}
}

// The error correction of the code repairs a damaged tenth of it.
func TestPage_DamagedQRCodeIsReadable(t *testing.T) {
	const dots, side = 200, 236 // of 30 mm
	page := picture(t, render(t, newRenderer(t), ordinary), dots)
	stain := side * 31 / 100
	left, top := (page.Rect.Dx()-stain)/2, page.Rect.Dy()-98*dots/72-(side+stain)/2
	draw.Draw(page, image.Rect(left, top, left+stain, top+stain), image.White, image.Point{},
		draw.Src)
	paper := filepath.Join(t.TempDir(), "page.png")
	var b bytes.Buffer
	if err := errors.Join(png.Encode(&b, page), os.WriteFile(paper, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(run(t, "zbar", "zbarimg", "--quiet", "--raw", "--nodbus",
		paper))); got != verifyURL {
		t.Errorf("read %q, want %q", got, verifyURL)
	}
}

func TestPage_Metadata(t *testing.T) {
	c := ordinary
	c.IssuerName = "Ŵest & <Sons> (College)"
	file := onDisk(t, render(t, newRenderer(t), c))
	about := string(run(t, "poppler", "pdfinfo", file))
	for _, want := range []string{
		"Title: Certificate of Completion: Zoë Łukaszewicz-Ŵynne",
		"Author: Ŵest & <Sons> (College)", "Subject: Distributed Systems in Go",
		"Producer: Open Lectern", "CreationDate: Sat Nov 21 09:05:00 2026 UTC", "Tagged: yes",
		"Pages: 1", "Page size: 841.89 x 595.28 pts (A4)",
	} {
		if !strings.Contains(strings.Join(strings.Fields(about), " "), want) {
			t.Errorf("pdfinfo lacks %q:\n%s", want, about)
		}
	}
	var meta struct {
		Title  string `xml:"RDF>Description>title>Alt>li"`
		Author string `xml:"RDF>Description>creator>Seq>li"`
	}
	err := xml.Unmarshal(run(t, "poppler", "pdfinfo", "-meta", file), &meta)
	if err != nil || meta.Title != "Certificate of Completion: Zoë Łukaszewicz-Ŵynne" ||
		meta.Author != "Ŵest & <Sons> (College)" {
		t.Errorf("the XMP metadata is %+v (%v)", meta, err)
	}
	structure := string(run(t, "poppler", "pdfinfo", "-struct-text", file))
	for _, want := range []string{"H1", `"Certificate of Completion"`, "Figure", "Link",
		`"Zoë Łukaszewicz-Ŵynne"`} {
		if !strings.Contains(structure, want) {
			t.Errorf("the structure lacks %s:\n%s", want, structure)
		}
	}
}

// objects returns the objects of a PDF file, as text.
func objects(tb testing.TB, file []byte) string {
	tb.Helper()
	return strings.Join(strings.Fields(string(run(tb, "qpdf", "qpdf", "--qdf",
		"--object-streams=disable", onDisk(tb, file), "-"))), " ")
}

// A screen reader gets the language of each text, and a description of the QR code. A PDF
// viewer shows the title instead of the file name.
func TestPage_Languages(t *testing.T) {
	all := objects(t, render(t, newRenderer(t), of("محمد Anna", "さくら 入門", "Чайка")))
	alt := "/Alt <feff"
	for _, unit := range "QR code of " + verifyURL {
		alt += fmt.Sprintf("%04x", unit)
	}
	for _, want := range []string{"/Lang (en) /MarkInfo", "/DisplayDocTitle true",
		"/Lang (und-Arab)", "/Lang (ja)", "/Lang (und-Cyrl)", alt + ">"} {
		if strings.Count(all, want) != 1 {
			t.Errorf("the file has %q %d times, want once", want, strings.Count(all, want))
		}
	}
	// Ideographs alone do not show their language: the other texts of the page decide.
	for title, tag := range map[string]string{"さくら": "/Lang (ja)", "한글": "/Lang (ko)",
		"Go": "/Lang (zh)"} {
		if all := objects(t, render(t, newRenderer(t), of("直", title, ""))); !strings.Contains(all,
			tag) || strings.Contains(all, "/Lang (zh)") != (title == "Go") {
			t.Errorf("a name of ideographs with the title %q: want %s", title, tag)
		}
	}
	if latin := objects(t, render(t, newRenderer(t), ordinary)); strings.Count(latin, "/Lang (") !=
		1 {
		t.Error("texts in Latin letters have a language, want none")
	}
}

// The area of the link is that of the printed address.
func TestPage_PrintedAddressIsALink(t *testing.T) {
	file := render(t, newRenderer(t), ordinary)
	var left, bottom, right, top float64
	_, area, _ := strings.Cut(objects(t, file), "/Rect [ ")
	if _, err := fmt.Sscan(area, &left, &bottom, &right, &top); err != nil {
		t.Fatalf("read the area of the link: %v", err)
	}
	crop := []string{"-x", fmt.Sprint(int(left)), "-y", fmt.Sprint(595 - int(top)), "-W",
		fmt.Sprint(int(right-left) + 2), "-H", fmt.Sprint(int(top-bottom) + 1)}
	if got := strings.TrimSpace(string(run(t, "poppler", "pdftotext",
		append(crop, onDisk(t, file), "-")...))); got != verifyURL {
		t.Errorf("the text in the area of the link is %q, want %q", got, verifyURL)
	}
	if got := string(run(t, "poppler", "pdfinfo", "-url", onDisk(t, file))); !strings.Contains(got,
		" "+verifyURL+"\n") {
		t.Errorf("the target of the link is %s", got)
	}
}

// The accent colours the frame, the heading and the title. The student's name stays dark.
func TestPage_AccentColoursFrameHeadingAndTitle(t *testing.T) {
	page := picture(t, render(t, newRenderer(t, certificate.WithAccent(color.Gray{Y: 110})),
		ordinary), 144)
	for name, c := range map[string]struct {
		top, bottom int // in points from the upper edge
		accent      bool
	}{
		"frame": {20, 46, true}, "heading": {115, 173, true}, "name": {231, 296, false},
		"title": {336, 396, true},
	} {
		darkest := uint8(255)
		for y := 2 * c.top; y < 2*c.bottom; y++ {
			for x := 2 * 100; x < 2*742; x++ {
				darkest = min(darkest, page.GrayAt(x, y).Y)
			}
		}
		if accent := darkest > 95 && darkest < 125; accent != c.accent {
			t.Errorf("%s: the darkest pixel is %d", name, darkest)
		}
	}
}

func TestPage_AwkwardTextsGiveAValidPDF(t *testing.T) {
	r := newRenderer(t, certificate.WithFonts(hostFonts()...),
		certificate.WithLogo(pngLogo(t, 40, 20)), certificate.WithAccent(color.White))
	for name, c := range awkward {
		out := run(t, "qpdf", "qpdf", "--check", onDisk(t, render(t, r, c)))
		if !bytes.Contains(out, []byte("No syntax or stream encoding errors found")) {
			t.Errorf("%s: %s", name, out)
		}
	}
}
