package certificate

import "strings"

// style is the appearance of text.
type style struct {
	face     *typeface
	colour   rgb
	size     float64 // maximum
	tracking float64 // space between letters, in thousandths of an em
	region   region  // of ideographs, if the text does not show it
}

// paragraph is text on one or more lines, and the size at which they fit.
type paragraph struct {
	lines []line
	size  float64
}

// The minimum height of a line above and below its baseline, and the space between two
// lines, in thousandths of the size.
const rise, fall, gap = 720, 230, 230

// fit sets text in a space of the given size. Text that does not fit at full size becomes
// smaller or is broken into lines, whichever gives the larger letters. Every text fits.
func (s *shaper) fit(text []rune, k style, width, height float64) paragraph {
	// A line that is only somewhat smaller looks better than several lines.
	best := s.set(text, nil, k, width, height)
	if len(text) == 0 || best.size >= 0.72*k.size {
		return best
	}
	// Another line must make the letters larger by a twentieth at least.
	advances := s.advances(text, k)
	broken := func(places []int) paragraph {
		p := best
		for n := 2; n <= maxLines; n++ {
			next := s.set(text, balance(advances, places, n), k, width, height)
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

const maxLines = 8

// set breaks text before the given runes, nil for one line, and chooses the size at which it fits:
// that of k, or a smaller one.
func (s *shaper) set(text []rune, breaks []int, k style, width, height float64) paragraph {
	p := paragraph{size: k.size}
	widest, start := 1.0, 0 // more than 0, because the space is divided by the widest line
	for _, end := range append(breaks, len(text)) {
		l := s.shape([]rune(strings.TrimSpace(string(text[start:end]))), k)
		// Glyphs may reach beyond both ends of their line.
		widest = max(widest, l.width, l.ink.Right, l.width-l.ink.Left)
		p.lines = append(p.lines, l)
		start = end
	}
	p.size = min(k.size, em*width/widest, em*height/p.extent())
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

// wordEnds returns where text may be broken between words: the first rune of each but the first.
func (s *shaper) wordEnds(text []rune) (places []int) {
	s.breaks.Init(text)
	for it := s.breaks.LineIterator(); it.Next(); {
		places = append(places, it.Line().Offset)
	}
	return places[1:]
}

// letterEnds returns where text may be broken between letters with their marks: the first rune of
// each but the first.
func (s *shaper) letterEnds(text []rune) (places []int) {
	s.breaks.Init(text)
	for it := s.breaks.GraphemeIterator(); it.Next(); {
		places = append(places, it.Grapheme().Offset)
	}
	return places[1:]
}

// advances returns the width of text before each of its runes, and of all of it. The runes of a
// cluster share its width equally.
func (s *shaper) advances(text []rune, k style) []float64 {
	sums := make([]float64, len(text)+1)
	for _, c := range s.shape(text, k).clusters {
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
// broken. It returns some of places.
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

// fits reports whether text can be broken into at most n lines of a width. n lines have n-1 breaks.
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
		if advances[place]-advances[start] > width && previous > start {
			breaks = append(breaks, previous)
			start = previous
		}
		ok = ok && advances[place]-advances[start] <= width
		previous = place
	}
	return breaks, ok
}
