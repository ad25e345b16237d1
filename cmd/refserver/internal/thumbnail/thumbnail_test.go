package thumbnail

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
	"testing"
)

func picture(tb testing.TB, id, title, byline string) []byte {
	tb.Helper()
	b, err := Draw(id, title, byline)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestSameCourseGetsTheSamePictureAndOthersDoNot(t *testing.T) {
	a := picture(t, "go-first-steps", "Go: First Steps", "Meera Krishnan")
	if !bytes.Equal(a, picture(t, "go-first-steps", "Go: First Steps", "Meera Krishnan")) {
		t.Error("it is drawn differently the second time")
	}
	if bytes.Equal(a, picture(t, "another", "Go: First Steps", "Meera Krishnan")) {
		t.Error("another course has the same picture")
	}
}

func TestPicturesAreSmallAndOfOneSize(t *testing.T) {
	for i := range 10 { // various motifs and palettes
		b := picture(t, fmt.Sprint("course-", i), "Practical SQL for Analysts", "Aisha Bello")
		head, err := jpeg.DecodeConfig(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 150_000 || head.Width != Width || head.Height != Height {
			t.Errorf("course-%d: %d bytes, %d x %d", i, len(b), head.Width, head.Height)
		}
	}
}

// blank is what a course without letters looks like.
func TestTitleInAnotherScriptIsLeftOut(t *testing.T) {
	blank := picture(t, "x", "", "")
	if !bytes.Equal(blank, picture(t, "x", "डेटा विज्ञान", "राम")) {
		t.Error("letters that the font lacks are drawn")
	}
	for _, title := range []string{"Données", "Физика", "Φυσική"} {
		if bytes.Equal(blank, picture(t, "x", title, "")) {
			t.Errorf("%s is not drawn", title)
		}
	}
}

func TestLongTitleStaysInItsPlace(t *testing.T) {
	f, err := bold()
	if err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{strings.Repeat("words and more ", 13), "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"} {
		lines, size, err := fit(f, title)
		if err != nil {
			t.Fatal(err)
		}
		if smallest := sizes[len(sizes)-1]; len(lines) > smallest.lines || size != smallest.size {
			t.Errorf("%d lines of size %v for %q", len(lines), size, title)
		}
		img := image.NewRGBA(image.Rect(0, 0, Width, Height))
		if err := letter(img, title, "A. Nybody", color.RGBA{0xff, 0, 0, 0xff}); err != nil {
			t.Fatal(err)
		}
		for y := range Height {
			if img.RGBAAt(Width-1, y).A != 0 {
				t.Fatalf("%.20s… runs over the right edge", title)
			}
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	for b.Loop() {
		picture(b, "go-first-steps", "Go: First Steps", "Meera Krishnan")
	}
}
