package htmltext

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// The characters of exponents and indices that Unicode has.
var (
	raised = runeMap("0123456789+-−=()abcdefghijklmnoprstuvwxyz'′",
		"⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ′′")
	lowered = runeMap("0123456789+-−=()aehijklmnoprstuvx",
		"₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
)

func runeMap(from, to string) map[rune]rune {
	m, values := map[rune]rune{}, []rune(to)
	for i, c := range []rune(from) {
		m[c] = values[i]
	}
	return m
}

// maxShifted is the length of the longest text that is written as an exponent or index, in bytes. A
// longer one is small print.
const maxShifted = 80

// shifted adds an exponent or an index. It adds the content as parts of their own, to see what it
// is: nothing and long small print stay as they are, a single text is taken back and joined to the
// text before with the characters of shiftedText, and several parts, such as a formula, get
// brackets, unless they begin with the end of a line. A space at the end is that of the text after
// it.
func (w *writer) shifted(n *node) {
	from, begin := len(w.segments), len(w.buffer)
	hadSpace := w.hasSpace
	w.isApart = true
	w.inlines(n)
	w.isApart = true
	endsWithSpace := w.hasSpace
	if len(w.segments) == from || len(w.buffer)-begin > maxShifted {
		return
	}
	if len(w.segments) == from+1 && w.segments[from].kind == words {
		// Write the text anew with the characters for it.
		s := w.segments[from]
		text := strings.TrimSpace(string(w.buffer[s.start:s.end]))
		// An inner exponent may have been joined to what is before begin.
		w.hasSpace = hadSpace && s.start == begin
		w.segments, w.buffer = w.segments[:from], w.buffer[:s.start]
		w.isApart = false
		var before rune
		if !w.hasSpace {
			before, _ = utf8.DecodeLastRune(w.buffer)
		}
		style, link := w.style, w.link
		w.style, w.link = s.style, s.link
		defer func() { w.style, w.link = style, link }()
		for _, c := range shiftedText(text, n.name == "sup", before) {
			w.addBytes(string(c))
		}
		w.hasSpace = endsWithSpace
		return
	}
	if w.segments[from].kind != lineEnd {
		sign := "^("
		if n.name == "sub" {
			sign = "_("
		}
		w.insert(from, sign)
		w.hasSpace = false
		w.addBytes(")")
		w.hasSpace = endsWithSpace
	}
}

// insert puts a text before the segment with an index, which is one of the last.
func (w *writer) insert(index int, text string) {
	at := w.segments[index].start
	lead := ""
	if at < w.segments[index].end && w.buffer[at] == ' ' {
		lead = " "
		w.segments[index].start++
	}
	tail := string(w.buffer[at+len(lead):])
	w.buffer = append(append(append(w.buffer[:at], lead...), text...), tail...)
	for i := index; i < len(w.segments); i++ {
		w.segments[i].start += len(text)
		w.segments[i].end += len(text)
	}
	first := segment{kind: words, style: w.segments[index].style, link: w.segments[index].link,
		start: at, end: at + len(lead) + len(text)}
	w.segments = append(w.segments[:index], append([]segment{first}, w.segments[index:]...)...)
}

// severalWords finds a space that would be missed.
var severalWords = regexp.MustCompile(`\pL \pL`)

// shiftedText returns a text as an exponent or index: with the characters of Unicode for it, or
// with a sign before it. before is the character before it.
func shiftedText(text string, isRaised bool, before rune) string {
	sign, characters := "_", lowered
	if isRaised {
		sign, characters = "^", raised
	}
	switch strings.ToLower(text) {
	case "st", "nd", "rd", "th": // of a date
		if isRaised && before >= '0' && before <= '9' {
			return text
		}
	case "tm", "®", "™", "©", "*", "º", "ª", "°", "†", "‡":
		return text
	}
	var b strings.Builder
	isText := severalWords.MatchString(text)
	for _, c := range strings.ReplaceAll(text, " ", "") {
		mapped, isMapped := characters[c]
		if !isMapped || isText {
			if utf8.RuneCountInString(text) == 1 {
				return sign + text
			}
			return sign + "(" + text + ")"
		}
		b.WriteRune(mapped)
	}
	return b.String()
}
