package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// samplePage draws text, a link and an object.
func samplePage() *Page {
	p := NewPage(200, 100)
	p.AddObject("Square", func(f *File) Ref {
		var c Canvas
		c.Frame(Box{Left: 0, Bottom: 0, Right: 1, Top: 1})
		c.FillStroke()
		return f.AddStream("/Type/XObject/Subtype/Form/BBox[0 0 1 1]", c.Bytes())
	})
	font := p.AddFont("Sample")
	p.Tagged(Element{Role: "P", Language: "de"}, func() {
		glyph := font.Glyph(GlyphKey{Drawing: "a", Text: "ä", Width: 500},
			Box{Left: 0, Bottom: 0, Right: 400, Top: 500}, func(c *Charstring) {
				c.MoveTo(0, 0)
				c.LineTo(400, 0)
				c.CurveTo(400, 250, 200, 500, 0, 500)
			})
		p.Op("BT")
		p.Printf("/%s 12 Tf [<%04X>] TJ\n", font.Resource(), glyph)
		p.Op("ET")
	})
	p.Tagged(Element{Role: "Link", Link: "https://example.com/(a)",
		Area: Box{Left: 1, Bottom: 2, Right: 3, Top: 4}}, func() {})
	p.Artifact(func() { p.Object("Square", 2, 0, 0, 2, 10, 10) })
	return p
}

var sampleInfo = Info{Title: "Titel ☺", Author: "A & B", Producer: "test",
	CreatedAt: time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)}

func TestPage_CrossReferencesPointAtTheirObjects(t *testing.T) {
	file := samplePage().Bytes(sampleInfo)
	start := regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`).FindSubmatch(file)
	if start == nil {
		t.Fatalf("no startxref at the end of %.80q", file[max(0, len(file)-80):])
	}
	at, _ := strconv.Atoi(string(start[1]))
	offsets := regexp.MustCompile(`(\d{10}) 00000 n `).FindAllSubmatch(file[at:], -1)
	if len(offsets) < 8 {
		t.Fatalf("%d objects, want catalog, pages, page, font parts, structure and more",
			len(offsets))
	}
	for i, o := range offsets {
		offset, _ := strconv.Atoi(string(o[1]))
		if want := fmt.Sprintf("%d 0 obj\n", i+1); !bytes.HasPrefix(file[offset:], []byte(want)) {
			t.Errorf("object %d: the table points at %.20q", i+1, file[offset:])
		}
	}
}

func TestPage_EqualCallsGiveEqualBytes(t *testing.T) {
	if a, b := samplePage().Bytes(sampleInfo), samplePage().Bytes(sampleInfo); !bytes.Equal(a, b) {
		t.Error("two files of the same page differ")
	}
}

func TestFont_AGlyphIsDrawnOnce(t *testing.T) {
	f := NewPage(1, 1).AddFont("Sample")
	drawn := 0
	draw := func(*Charstring) { drawn++ }
	a := f.Glyph(GlyphKey{Drawing: "x", Text: "A", Width: 500}, Box{}, draw)
	again := f.Glyph(GlyphKey{Drawing: "x", Text: "A", Width: 500}, Box{}, draw)
	// a Greek Alpha looks alike
	other := f.Glyph(GlyphKey{Drawing: "x", Text: "Α", Width: 500}, Box{}, draw)
	if a != again || a == other || drawn != 2 {
		t.Errorf(
			"glyphs %d, %d and %d, drawn %d times; want the first two equal, the third of its own",
			a, again, other, drawn)
	}
}

func TestToUnicode_BlocksHoldAtMostAHundred(t *testing.T) {
	texts := make([]string, 252) // the first is the glyph for missing characters
	for i := range texts {
		texts[i] = string(rune('a' + i))
	}
	table := string(toUnicode(texts))
	for _, want := range []string{"\n100 beginbfchar\n", "endbfchar\n100 beginbfchar\n",
		"endbfchar\n51 beginbfchar\n", "<0001><0062>\n"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in the table", want)
		}
	}
}

func TestDate_OnlyYearsOfFourDigits(t *testing.T) {
	for want, at := range map[string]time.Time{
		"(D:20260131093000Z)": time.Date(2026, 1, 31, 11, 30, 0, 0, time.FixedZone("", 7200)),
		"":                    {},
	} {
		if got := date(at); got != want {
			t.Errorf("date(%v) = %q, want %q", at, got, want)
		}
	}
	if got := date(time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)); got != "" {
		t.Errorf("a year of five digits is written as %q", got)
	}
}

func TestCharstring_CoordinatesStayWithinTheFormat(t *testing.T) {
	c := NewCharstring(500)
	c.MoveTo(math.Inf(1), -1e300)
	c.LineTo(math.Inf(-1), 1e300)
	if c.x != -16_000 || c.y != 16_000 {
		t.Errorf("the point is %d, %d, want it limited to 16,000", c.x, c.y)
	}
}

func TestAppendNumber_EachFormReadsBack(t *testing.T) {
	for _, n := range []int{0, 107, -107, 108, 1131, -108, -1131, 1132, -1132, 32_000, -32_000} {
		if got := readNumber(appendNumber(nil, n)); got != n {
			t.Errorf("%d reads back as %d", n, got)
		}
	}
}

// readNumber decodes a number as Adobe Technical Note 5176 describes it.
func readNumber(b []byte) int {
	switch v := int(b[0]); {
	case v == 28:
		return int(int16(uint16(b[1])<<8 | uint16(b[2])))
	case v <= 246:
		return v - 139
	case v <= 250:
		return (v-247)*256 + int(b[1]) + 108
	default:
		return -(v-251)*256 - int(b[1]) - 108
	}
}

func TestDeflate_ConcurrentCallsReadBack(t *testing.T) {
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			want := bytes.Repeat([]byte{byte(i)}, 10_000)
			r, err := zlib.NewReader(bytes.NewReader(Deflate(want)))
			if err != nil {
				t.Error(err)
				return
			}
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
				t.Errorf("read back %d bytes and %v", len(got), err)
			}
		})
	}
	group.Wait()
}

func TestInfo_TextIsEscaped(t *testing.T) {
	if xmp := string(sampleInfo.xmp()); !strings.Contains(xmp, "A &amp; B") {
		t.Errorf("the author is not escaped in %s", xmp)
	}
	if d := sampleInfo.dictionary(); !strings.Contains(d, "/Title<FEFF") ||
		!strings.Contains(d, "/CreationDate(D:20260131093000Z)") {
		t.Errorf("the dictionary is %s", d)
	}
}
