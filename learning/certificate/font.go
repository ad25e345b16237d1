package certificate

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"codeberg.org/go-fonts/liberation/liberationserifitalic"
	"codeberg.org/go-fonts/liberation/liberationserifregular"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/harfbuzz"
	"github.com/go-text/typesetting/language"
)

// typeface is one font. It is shared by all pages.
type typeface struct {
	name  string // as the PDF calls it
	font  *font.Font
	scale float64 // thousandths of an em per unit of the font
}

// newTypeface returns a typeface that is named after the family of the font.
func newTypeface(f *font.Font) *typeface {
	return &typeface{name: postScriptName(f.Describe().Family), font: f,
		scale: em / float64(f.Upem())}
}

// postScriptName returns the letters and digits of a family's name, because a name in PDF
// may have these only.
func postScriptName(family string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return -1
	}, family)
}

// has reports whether the font has all characters of a grapheme.
func (f *typeface) has(grapheme []rune) bool { return covers(f.font.NominalGlyph, grapheme) }

// covers reports whether glyph finds all characters of a grapheme. Invisible characters need
// no glyph. Private-use characters are never covered, because they have no defined meaning.
// glyph is a method of a font; only its second result is used, so the first may have any type G.
func covers[G any](glyph func(rune) (G, bool), grapheme []rune) bool {
	for _, r := range grapheme {
		if harfbuzz.IsDefaultIgnorable(r) {
			continue
		}
		if _, ok := glyph(r); !ok || unicode.Is(unicode.Co, r) {
			return false
		}
	}
	return true
}

// library holds the fonts of the host. The embedded fonts belong to every library.
type library struct {
	host []*hostFont // the better ones first
}

// newLibrary finds the fonts in folders, in the order in which they are preferred. What cannot be
// read is logged.
func newLibrary(folders []fs.FS, log *slog.Logger) *library {
	l := &library{}
	for _, folder := range folders {
		l.host = append(l.host, findFonts(folder, log)...)
	}
	slices.SortStableFunc(l.host, byRank)
	return l
}

// regular and italic return the embedded fonts. They are read at the first certificate, because a
// server that starts would wait longer for them than for all else of a renderer.
var (
	regular = sync.OnceValue(func() *typeface { return embedded(liberationserifregular.TTF, "") })
	italic  = sync.OnceValue(func() *typeface {
		return embedded(liberationserifitalic.TTF,
			"-Italic")
	})
)

// embedded reads a font of the program. ending is added to its name, which lacks the style.
func embedded(file []byte, ending string) *typeface {
	face, err := font.ParseTTF(bytes.NewReader(file))
	if err != nil {
		// cannot happen: the file is part of the program
		panic(fmt.Errorf("certificate: read an embedded font: %w", err))
	}
	t := newTypeface(face.Font)
	t.name += ending
	return t
}

// pick chooses the font of a grapheme. script is that of the grapheme, or of the text around it if
// it has none; in is the region of ideographs; last is the font of the text before.
//
// Characters of no script, such as spaces, keep the last font if it has them; everything else gets
// the wanted embedded font if that has it, and otherwise the best font of the host. Digits and
// brackets between ideographs get the wanted font, so that they look like those in Latin text.
// pick returns nil if no font has the grapheme.
func (l *library) pick(grapheme []rune, script language.Script, in region,
	wanted, last *typeface) *typeface {
	// Spaces, digits and signs have no script of their own.
	isCommon := !slices.ContainsFunc(grapheme,
		func(r rune) bool { return language.LookupScript(r).Strong() })
	switch {
	case isCommon && last.has(grapheme) && !(ideographic(script) && wanted.has(grapheme)):
		return last
	case wanted.has(grapheme):
		return wanted
	}
	return l.pickHost(grapheme, in)
}

// pickHost returns the best font of the host that has a grapheme, or nil. A font for another region
// is used only if there is no other.
func (l *library) pickHost(grapheme []rune, in region) *typeface {
	var otherRegion *hostFont // the best font for another region
	for _, h := range l.host {
		switch {
		case !covers(h.glyph, grapheme): // the next one may
		case h.region == "" || h.region == in:
			if f := h.load(); f != nil { // nil if the file cannot be read any more
				return f
			}
		case otherRegion == nil:
			otherRegion = h
		}
	}
	if otherRegion != nil {
		return otherRegion.load()
	}
	return nil
}

// samples are letters that a font must have to count as a font for the script.
var samples = []struct {
	script  string
	letters string
}{
	{"Latin", "AzŁŵếș"}, {"Greek", "Ωάῆ"}, {"Cyrillic", "ЯёїЂ"}, {"Armenian", "Աև"},
	{"Georgian", "აჰ"},
	{"Hebrew", "את"}, {"Arabic", "ابپیگ"}, {"Syriac", "ܐܬ"}, {"Thaana", "ހށ"}, {"Ethiopic", "ሀፐ"},
	{"Devanagari", "कह्ि"}, {"Bengali", "কহ্ি"}, {"Gurmukhi", "ਕਹਿ"}, {"Gujarati", "કહ્"},
	{"Odia", "କହ୍"},
	{"Tamil", "கஹ்"}, {"Telugu", "కహ్"}, {"Kannada", "ಕಹ್"}, {"Malayalam", "കഹ്"},
	{"Sinhala", "කහ්"},
	{"Thai", "กฮ์"}, {"Lao", "ກຮ"}, {"Tibetan", "ཀཨ"}, {"Burmese", "ကအ"}, {"Khmer", "កអ"},
	{"Mongolian", "ᠠᡀ"},
	{"Chinese", "中国们這"}, {"Japanese", "あア桜"}, {"Korean", "가힣"}, {"Cherokee", "ᎠᏴ"},
	{"Tifinagh", "ⴰⵥ"},
	{"N’Ko", "ߊߪ"}, {"Adlam", "𞤀𞤃"}, {"Inuktitut", "ᐃᓄ"},
}

// scriptName returns the English name of a character's script that [Renderer.Scripts] uses, or
// the ISO 15924 code of a script that it does not know.
func scriptName(char rune) string {
	script := language.LookupScript(char)
	for _, s := range samples {
		// The first letter of each sample stands for its script.
		if first, _ := utf8.DecodeRuneInString(s.letters); language.LookupScript(first) == script {
			return s.script
		}
	}
	return script.String()
}

// Scripts returns the scripts that the renderer has a font for, in English and in a fixed
// order. It knows the scripts of living languages.
func (r *Renderer) Scripts() []string {
	var names []string
	for _, s := range samples {
		letters := []rune(s.letters)
		if regular().has(letters) ||
			slices.ContainsFunc(r.fonts.host,
				func(h *hostFont) bool { return covers(h.glyph, letters) }) {
			names = append(names, s.script)
		}
	}
	return names
}
