package certificate

import (
	"slices"

	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/language"
	unicodebidi "golang.org/x/text/unicode/bidi"
)

// run is a part of a line in one direction, script and font.
type run struct {
	start, end int // the runes text[start:end]
	level      int // odd levels run from right to left
	script     language.Script
	language   language.Language
	face       *typeface // nil if no font has its characters
}

func (r run) leftward() bool { return r.level%2 == 1 }

func (r run) direction() di.Direction {
	if r.leftward() {
		return di.DirectionRTL
	}
	return di.DirectionLTR
}

// split divides text into runs, in reading order. It does not divide graphemes. The face of a run
// is nil if no font has its characters.
func (s *shaper) split(text []rune, look style) []run {
	levels, scripts := s.levels(text), scriptsOf(text)
	region := regionOf(text, look.region)
	var runs []run
	last := look.face // the font of the text before
	s.breaks.Init(text)
	for it := s.breaks.GraphemeIterator(); it.Next(); {
		g := it.Grapheme()
		end := g.Offset + len(g.Text)
		next := run{start: g.Offset, end: end, level: levels[g.Offset], script: scripts[g.Offset]}
		next.language = languageOf(next.script, region)
		next.face = s.fonts.pick(g.Text, next.script, region, look.face, last)
		if next.face != nil {
			last = next.face
		}
		if i := len(runs) - 1; i >= 0 && runs[i].joins(next) {
			runs[i].end = end
			continue
		}
		runs = append(runs, next)
	}
	return runs
}

// joins reports whether the next run only continues r. Runs of one script in one text have one
// language.
func (r run) joins(next run) bool {
	return r.level == next.level && r.script == next.script && r.face == next.face
}

// visualOrder sorts runs from left to right, in place (Unicode Standard Annex 9, L2): from the
// highest level down, it reverses each sequence of runs of that level or a higher one.
func (s *shaper) visualOrder(runs []run) []run {
	highest := 0
	for _, r := range runs {
		highest = max(highest, r.level)
	}
	for level := highest; level > 0; level-- {
		for i := 0; i < len(runs); i++ {
			start := i
			for i < len(runs) && runs[i].level >= level {
				i++
			}
			slices.Reverse(runs[start:i]) // empty if the run at start has a lower level
		}
	}
	return runs
}

// levels returns the embedding level of each character of text without directional controls: 0 in
// a line from left to right, 1 in text from right to left, 2 in text from left to right inside it.
func (s *shaper) levels(text []rune) []int {
	levels := make([]int, len(text))
	base := bidi.LeftToRight
	if rightToLeft(text) {
		base = bidi.RightToLeft
	}
	runs := s.bidi.Segment(text, base)
	for i := range runs.NumRuns() {
		r := runs.Run(i)
		for j := r.Start; j < r.End; j++ {
			switch {
			case !r.IsLeftToRight():
				levels[j] = 1
			case base == bidi.RightToLeft:
				levels[j] = 2
			}
		}
	}
	if base == bidi.LeftToRight {
		raiseNumbers(text, levels)
	}
	return levels
}

// raiseNumbers raises the level of numbers inside right-to-left text in a left-to-right
// line, because package bidi reports the level of the line for them.
func raiseNumbers(text []rune, levels []int) {
	after := unicodebidi.L // the last strong character
	for i, r := range text {
		switch class := classOf(r); class {
		case unicodebidi.L, unicodebidi.R, unicodebidi.AL:
			after = class
		case unicodebidi.AN: // Arabic digits
			levels[i] = 2
		case unicodebidi.EN: // European digits
			if after != unicodebidi.L {
				levels[i] = 2
			}
		// separators and signs of numbers, and marks
		case unicodebidi.ES, unicodebidi.CS, unicodebidi.ET, unicodebidi.NSM, unicodebidi.BN:
			if i > 0 && levels[i] == 0 {
				levels[i] = levels[i-1] / 2 * 2 // 2 after a number, and 0 after a letter
			}
		}
	}
}

// classOf returns the directional class of a character, such as L for a letter that is read from
// left to right, and R or AL for one that is read from right to left.
func classOf(r rune) unicodebidi.Class {
	p, _ := unicodebidi.LookupRune(r)
	return p.Class()
}

// rightToLeft reports whether the first character of text that has a direction, such as a letter,
// is read from right to left. It is false if there is none.
func rightToLeft(text []rune) bool {
	for _, r := range text {
		switch classOf(r) {
		case unicodebidi.L:
			return false
		case unicodebidi.R, unicodebidi.AL:
			return true
		}
	}
	return false
}

// scriptsOf returns the script of each character. Characters without a script of their own,
// such as spaces and digits, get the script of the text before them, and at the beginning of
// the text that of the text after them.
func scriptsOf(text []rune) []language.Script {
	scripts := make([]language.Script, len(text))
	current := language.Common
	for i, r := range text {
		if own := language.LookupScript(r); own.Strong() {
			if current == language.Common {
				for j := range i {
					scripts[j] = own
				}
			}
			current = own
		}
		scripts[i] = current
	}
	return scripts
}

// region is the country whose forms ideographs have.
type region string

const (
	chinese  region = "SC"
	japanese region = "JP"
	korean   region = "KR"
)

// regionOf guesses the region from scripts that only one country uses. Text of ideographs
// only gets the region of its surroundings.
func regionOf(text []rune, surroundings region) region {
	for _, r := range text {
		switch language.LookupScript(r) {
		case language.Hangul:
			return korean
		case language.Hiragana, language.Katakana:
			return japanese
		case language.Bopomofo:
			return chinese
		}
	}
	return surroundings
}

// ideographic reports whether a script is written together with ideographs.
func ideographic(script language.Script) bool {
	switch script {
	case language.Han, language.Hiragana, language.Katakana, language.Hangul, language.Bopomofo:
		return true
	}
	return false
}

// languageOf returns a language that is written in a script, for fonts whose glyphs depend
// on the language. It may be wrong for the text, which cannot be known.
func languageOf(script language.Script, in region) language.Language {
	if ideographic(script) {
		return map[region]language.Language{chinese: "zh-cn", japanese: "ja", korean: "ko"}[in]
	}
	return language.ScriptToLang[script].Language()
}

// languageTag returns the BCP 47 tag of the language of text as far as its script shows it, for
// programs that read the page aloud. The first script other than Latin decides. The tag is "" for
// text in Latin letters only, because many languages use them.
func languageTag(text []rune, in region) string {
	for _, script := range scriptsOf(text) {
		switch {
		case script == language.Common, script == language.Latin:
		case ideographic(script):
			return map[region]string{chinese: "zh", japanese: "ja", korean: "ko"}[regionOf(text,
				in)]
		default:
			return "und-" + script.String()
		}
	}
	return ""
}
