package certificate

import (
	"slices"

	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/language"
	unicodebidi "golang.org/x/text/unicode/bidi"
)

// run is a piece of a line of one direction, one script and one font.
type run struct {
	start, end int
	level      int // odd ones run from right to left
	script     language.Script
	language   language.Language
	face       *typeface // nil where no font has what is in it
}

func (r run) leftward() bool { return r.level%2 == 1 }

func (r run) direction() di.Direction {
	if r.leftward() {
		return di.DirectionRTL
	}
	return di.DirectionLTR
}

// split cuts text into runs, in the order in which they are read. A grapheme is
// never cut.
func (s *shaper) split(text []rune, k style) []run {
	levels, scripts := s.levels(text), scriptsOf(text)
	region := regionOf(text, k.region)
	var runs []run
	last := k.face
	s.breaks.Init(text)
	for it := s.breaks.GraphemeIterator(); it.Next(); {
		g := it.Grapheme()
		end := g.Offset + len(g.Text)
		next := run{start: g.Offset, end: end, level: levels[g.Offset], script: scripts[g.Offset]}
		next.language = languageOf(next.script, region)
		if next.face = s.fonts.pick(g.Text, next.script, region, k.face, last); next.face != nil {
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

func (r run) joins(next run) bool {
	return r.level == next.level && r.script == next.script && r.face == next.face
}

// visualOrder sorts runs from left to right (Unicode Standard Annex 9, L2).
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
			slices.Reverse(runs[start:i])
		}
	}
	return runs
}

// levels are the embedding levels of text that has no directional controls.
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

// raiseNumbers gives the numbers that belong to a piece from right to left, in a
// line from left to right, the level of their own that package bidi does not tell
// from that of the line.
func raiseNumbers(text []rune, levels []int) {
	after := unicodebidi.L // the last strong character
	for i, r := range text {
		switch class := classOf(r); class {
		case unicodebidi.L, unicodebidi.R, unicodebidi.AL:
			after = class
		case unicodebidi.AN:
			levels[i] = 2
		case unicodebidi.EN:
			if after != unicodebidi.L {
				levels[i] = 2
			}
		case unicodebidi.ES, unicodebidi.CS, unicodebidi.ET, unicodebidi.NSM, unicodebidi.BN:
			if i > 0 && levels[i] == 0 { // within a number, and not after a letter
				levels[i] = levels[i-1] / 2 * 2
			}
		}
	}
}

func classOf(r rune) unicodebidi.Class {
	p, _ := unicodebidi.LookupRune(r)
	return p.Class()
}

// rightToLeft tells whether the first strong character of text says so.
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

// scriptsOf are the scripts of characters; those of none, or of many, such as
// spaces and digits, go with what is before them, and at the beginning with what
// follows.
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

// region is whose forms ideographs have.
type region string

const (
	chinese  region = "SC"
	japanese region = "JP"
	korean   region = "KR"
)

// regionOf guesses by the scripts that are used in one country alone; text of
// ideographs only goes with its surroundings.
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

// ideographic scripts are those of the Far East.
func ideographic(script language.Script) bool {
	switch script {
	case language.Han, language.Hiragana, language.Katakana, language.Hangul, language.Bopomofo:
		return true
	}
	return false
}

// languageOf is a language that is written in a script, for fonts whose forms
// differ by language.
func languageOf(script language.Script, in region) language.Language {
	if ideographic(script) {
		return map[region]language.Language{chinese: "zh-cn", japanese: "ja", korean: "ko"}[in]
	}
	return language.ScriptToLang[script].Language()
}

// languageTag is the language of text as far as its script tells, for those who
// have the page read aloud; empty for Latin, which tells nothing.
func languageTag(text []rune, in region) string {
	for _, script := range scriptsOf(text) {
		switch {
		case script == language.Common, script == language.Latin:
		case ideographic(script):
			return map[region]string{chinese: "zh", japanese: "ja", korean: "ko"}[regionOf(text, in)]
		default:
			return "und-" + script.String()
		}
	}
	return ""
}
