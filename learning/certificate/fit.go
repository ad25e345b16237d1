package certificate

import "strings"

// style is the appearance of text.
type style struct {
	face     *typeface
	colour   rgb
	size     float64 // maximum, in points
	tracking float64 // space between letters, in thousandths of an em
	region   region  // used for ideographs if the characters of the text do not show their region
	align    align
}

// align is where lines stand in their box.
type align int

const (
	inMiddle align = iota
	atStart        // at the left, and text that is read from right to left at the right
	atEnd          // at the right
)

// paragraph is text on one or more lines, and the size in points at which they fit.
type paragraph struct {
	lines []line
	size  float64
}

// The minimum height of a line above and below its baseline, and the space between two
// lines, in thousandths of the size.
const rise, fall, gap = 720, 230, 230

// fit sets text in a space of the given width and height, in points. Text that does not fit at full
// size becomes smaller or is broken into lines, whichever gives the larger letters. Every text
// fits. A paragraph has at least one line, which is empty for an empty text.
func (s *shaper) fit(text []rune, look style, width, height float64) paragraph {
	// One line that is only somewhat smaller looks better than several lines.
	oneLine := s.set(text, nil, look, width, height)
	if len(text) == 0 || oneLine.size >= 0.72*look.size {
		return oneLine
	}
	advances := s.advances(text, look)
	// broken returns the best paragraph of text that may be broken at places. Another line must
	// make the letters larger by a twentieth at least.
	broken := func(places []int) paragraph {
		p := oneLine
		for n := 2; n <= maxLines; n++ {
			next := s.set(text, balance(advances, places, n), look, width, height)
			if next.size > 1.05*p.size {
				p = next
			}
		}
		return p
	}
	words, letters := broken(s.wordEnds(text)), broken(s.letterEnds(text))
	if letters.size > 1.4*words.size { // words are cut only if the text becomes much larger
		return letters
	}
	return words
}

// maxLines is the largest number of lines that fit tries.
const maxLines = 8

// set breaks text before the runes with the indexes breaks, nil for one line. It chooses the size
// at which the lines fit into the width and the height: that of look, or a smaller one.
func (s *shaper) set(text []rune, breaks []int, look style, width, height float64) paragraph {
	p := paragraph{size: look.size}
	widest := 1.0 // more than 0, because the width is divided by it
	start := 0    // of the next line
	for _, end := range append(breaks, len(text)) {
		l := s.shape([]rune(strings.TrimSpace(string(text[start:end]))), look)
		// Glyphs may reach beyond both ends of their line.
		widest = max(widest, l.width, l.ink.Right, l.width-l.ink.Left)
		p.lines = append(p.lines, l)
		start = end
	}
	p.size = min(look.size, em*width/widest, em*height/p.extent())
	return p
}

// extent is the height of the paragraph, in thousandths of its size.
func (p paragraph) extent() float64 {
	total := 0.0
	for i, l := range p.lines {
		total += l.top() + l.bottom()
		if i > 0 {
			total += gap
		}
	}
	return total
}

// top is the height of a line above its baseline, and bottom the depth below it.
func (l line) top() float64    { return max(rise, l.ink.Top) }
func (l line) bottom() float64 { return max(fall, -l.ink.Bottom) }

// wordEnds returns where text may be broken between words: the index of the first rune of each word
// but the first. text must not be empty.
func (s *shaper) wordEnds(text []rune) (places []int) {
	s.breaks.Init(text)
	for it := s.breaks.LineIterator(); it.Next(); {
		places = append(places, it.Line().Offset)
	}
	return places[1:]
}

// letterEnds returns where text may be broken between letters with their marks: the index of the
// first rune of each letter but the first. text must not be empty.
func (s *shaper) letterEnds(text []rune) (places []int) {
	s.breaks.Init(text)
	for it := s.breaks.GraphemeIterator(); it.Next(); {
		places = append(places, it.Grapheme().Offset)
	}
	return places[1:]
}

// advances returns the width of text before each of its runes, and as its last element the width of
// all of it, in thousandths of the size. The runes of a cluster share its width equally.
func (s *shaper) advances(text []rune, look style) []float64 {
	// First the width of each rune, at the index after its own, because the clusters are in the
	// order in which they are drawn; then the sums.
	sums := make([]float64, len(text)+1)
	for _, c := range s.shape(text, look).clusters {
		for i := range c.n {
			sums[c.at+i+1] = c.advance / float64(c.n)
		}
	}
	for i := range text {
		sums[i+1] += sums[i]
	}
	return sums
}

// balance chooses where to break text into at most n lines, so that the longest line is as
// short as possible. advances are those of [shaper.advances], and places are where text may be
// broken. It returns the places that it chose.
func balance(advances []float64, places []int, n int) []int {
	// Search between widths that are too small and that suffice. Each step halves their distance;
	// after 24 it is less than a ten-millionth of the text.
	low, high := 0.0, advances[len(advances)-1]
	for range 24 {
		if middle := (low + high) / 2; fits(advances, places, middle, n) {
			high = middle
		} else {
			low = middle
		}
	}
	breaks, _ := fill(advances, places, high)
	return breaks
}

// fits reports whether text can be broken at places into at most n lines of a width. n lines have
// n-1 breaks.
func fits(advances []float64, places []int, width float64, n int) bool {
	breaks, ok := fill(advances, places, width)
	return ok && len(breaks) < n
}

// fill breaks text at some of places, each line as late as a width allows. ok is false if a
// piece that cannot be broken is wider.
func fill(advances []float64, places []int, width float64) (breaks []int, ok bool) {
	start := 0    // of the current line
	previous := 0 // the place before the current one
	ok = true
	// The last place is the end of the text. The capacity is cut, so that append copies places.
	for _, place := range append(places[:len(places):len(places)], len(advances)-1) {
		// The line up to here is too wide: it ends one place before, unless it begins there.
		if advances[place]-advances[start] > width && previous > start {
			breaks = append(breaks, previous)
			start = previous
		}
		ok = ok && advances[place]-advances[start] <= width
		previous = place
	}
	return breaks, ok
}
