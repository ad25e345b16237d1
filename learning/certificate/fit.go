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
	best := s.set(text, nil, k, width, height)
	if len(text) == 0 || best.size >= 0.72*k.size {
		return best
	}
	advances := s.advances(text, k)
	broken := func(places []int) paragraph {
		p := best
		for n := 2; n <= maxLines; n++ {
			if next := s.set(text, balance(advances, places, n), k, width, height); next.size > 1.05*p.size {
				p = next
			}
		}
		return p
	}
	words, letters := broken(s.breakable(text, false)), broken(s.breakable(text, true))
	if letters.size > 1.4*words.size { // words are cut only if the text becomes much larger
		return letters
	}
	return words
}

const maxLines = 8

// set breaks text before the given runes and chooses the size at which it fits.
func (s *shaper) set(text []rune, breaks []int, k style, width, height float64) paragraph {
	p := paragraph{size: k.size}
	widest, start := 1.0, 0
	for _, end := range append(breaks, len(text)) {
		l := s.shape([]rune(strings.TrimSpace(string(text[start:end]))), k)
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

// breakable returns where text may be broken: after each word, or, with letters, after each
// letter and its marks.
func (s *shaper) breakable(text []rune, letters bool) (places []int) {
	s.breaks.Init(text)
	if letters {
		for it := s.breaks.GraphemeIterator(); it.Next(); {
			places = append(places, it.Grapheme().Offset)
		}
		return places[1:]
	}
	for it := s.breaks.LineIterator(); it.Next(); {
		places = append(places, it.Line().Offset)
	}
	return places[1:]
}

// advances returns the width of text before each of its runes, and of all of it.
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
// short as possible.
func balance(advances []float64, places []int, n int) []int {
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

func fits(advances []float64, places []int, width float64, n int) bool {
	breaks, ok := fill(advances, places, width)
	return ok && len(breaks) < n
}

// fill breaks text as late as a width allows. ok is false if a piece that cannot be broken
// is wider.
func fill(advances []float64, places []int, width float64) (breaks []int, ok bool) {
	start, last, ok := 0, 0, true
	for _, place := range append(places[:len(places):len(places)], len(advances)-1) {
		if advances[place]-advances[start] > width && last > start {
			breaks = append(breaks, last)
			start = last
		}
		ok = ok && advances[place]-advances[start] <= width
		last = place
	}
	return breaks, ok
}
