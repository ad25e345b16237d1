package htmltext

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/internal/budget"
)

// writer writes a tree as Markdown or as plain text. The first error stops it.
type writer struct {
	budget  *budget.Budget // nil without bounds
	resolve func(Reference) Target
	isPlain bool
	most    int // bytes that the text may have
	lost    []string
	err     error

	out []byte
	// prefix is what each line of a quote or an item begins with. marker replaces the end of the
	// prefix in the next line.
	prefix, marker []byte
	// hasBlock is whether the quote, item or page has a block already, and isTight whether the next
	// block follows without an empty line.
	hasBlock, isTight bool
	// isText is whether the last block is a paragraph. lastList is the marker of the list that was
	// the last block, so that a list that follows it is told from it.
	isText   bool
	lastList byte
	// gap is the length of the prefix of an empty line that is due before the next line, or -1.
	gap int

	run
	kept int // elements that were taken for the run, beside those of the tree
}

// fail notes the first error.
func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// step takes n steps of work. It reports whether the work goes on.
func (w *writer) step(n int) bool {
	if w.err == nil && w.budget != nil {
		w.fail(w.budget.Steps(n))
	}
	if len(w.out)+len(w.buffer) > w.most {
		w.fail(ErrTooLong)
	}
	return w.err == nil
}

// keep takes n elements for what is kept beside the tree. It reports whether the work goes on.
func (w *writer) keep(n int) bool {
	if w.err == nil && w.budget != nil {
		w.fail(w.budget.Elements(n))
	}
	return w.err == nil
}

// free gives back what keep has taken, if that is no longer kept.
func (w *writer) free(n int) {
	if w.budget != nil {
		w.budget.Free(n)
	}
}

// reset begins a new line, and gives back what was taken for the one before.
func (w *writer) reset() {
	w.run.reset()
	w.free(w.kept)
	w.kept = 0
}

// lose notes a kind of elements of which nothing stays.
func (w *writer) lose(kind string) {
	if !slices.Contains(w.lost, kind) {
		w.lost = append(w.lost, kind)
	}
}

// document writes a page.
func (w *writer) document(root *node) {
	w.flow(root)
	w.paragraph()
	w.out = bytes.TrimRight(w.out, "\n")
	if len(w.out) > w.most {
		w.fail(ErrTooLong)
	}
}

// flow writes what is in an element: lines become paragraphs.
func (w *writer) flow(n *node) {
	for child := n.first; child != nil && w.step(1); child = child.next {
		w.flowOne(child)
	}
}

// flowOne writes an element, or adds it to the open paragraph if it is a part of a line.
func (w *writer) flowOne(n *node) {
	switch {
	case n.isHidden:
	case isCode(n) && w.style&code == 0 && w.hasBreak(n):
		w.paragraph()
		w.code(n)
	case !n.isBlock:
		w.inline(n)
	case blocks[n.name]:
		w.paragraph()
		w.block(n)
		w.paragraph()
	default: // such as a link around paragraphs
		w.styled(n, w.flow)
	}
}

// block writes a block. No paragraph is open before.
func (w *writer) block(n *node) {
	switch n.name {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		w.heading(n)
	case "pre", "listing":
		w.code(n)
	case "blockquote":
		w.quote(n)
	case "ul", "menu", "dir":
		w.list(n, false)
	case "ol":
		w.list(n, true)
	case "dt", "summary", "legend":
		w.inStyle(bold, func() { w.allInline(n) })
	case "dd":
		w.isTight = w.isText || w.lastList != 0
		if w.item("- ", func() { w.flow(n) }) {
			w.lastList = '-'
		}
	case "hr":
		if !w.isPlain {
			w.startBlock()
			w.out = append(w.out, "---\n"...)
		}
	case "table":
		w.table(n)
	case "iframe", "frame", "embed", "video", "audio", "object":
		w.player(n)
	default:
		w.flow(n)
	}
}

// startBlock begins a block and its first line, with an empty line before it if there is a block
// already.
func (w *writer) startBlock() {
	w.beginBlock()
	w.startLine()
}

// beginBlock is startBlock without the first line.
func (w *writer) beginBlock() {
	if w.hasBlock && !w.isTight {
		w.gap = len(w.prefix)
	}
	w.writeGap()
	w.hasBlock, w.isTight, w.isText, w.lastList = true, false, false, 0
}

// writeGap writes the empty line that is due.
func (w *writer) writeGap() {
	if w.gap >= 0 && !w.isPlain {
		w.out = append(append(w.out, bytes.TrimRight(w.prefix[:w.gap], " ")...), '\n')
	}
	w.gap = -1
}

// startLine writes what a line begins with.
func (w *writer) startLine() {
	w.step(len(w.prefix) + 1)
	w.out = append(w.out, w.prefix[:max(0, len(w.prefix)-len(w.marker))]...)
	w.out = append(w.out, w.marker...)
	w.marker = w.marker[:0]
}

// paragraph ends the open paragraph.
func (w *writer) paragraph() {
	if w.isBlank() {
		w.reset()
		return
	}
	w.startBlock()
	w.writeRun(inParagraph)
	w.out = append(w.out, '\n')
	w.isText = true
	w.link = 0 // a link around several paragraphs is that of the first one
}

// heading writes a heading.
func (w *writer) heading(n *node) {
	w.allInline(n)
	if w.isBlank() {
		w.reset()
		return
	}
	if w.startBlock(); !w.isPlain {
		w.out = append(w.out, "###### "['6'-n.name[1]:]...)
	}
	w.writeRun(inHeading)
	w.out = append(w.out, '\n')
}

// nested writes blocks whose lines begin with more than those around them. marker is for the first
// line, and others for the lines after it. It reports whether there are such blocks.
func (w *writer) nested(marker, others string, write func()) bool {
	before := *w
	if w.hasBlock && !w.isTight && w.gap < 0 {
		w.gap = len(w.prefix)
	}
	if len(w.marker) > 0 || marker != others {
		w.marker = append(w.marker, marker...)
	}
	if !w.isPlain {
		w.prefix = append(w.prefix, others...)
	}
	w.hasBlock, w.isTight, w.isText, w.lastList = false, false, false, 0
	write()
	w.paragraph()

	w.prefix, w.isTight, w.isText, w.lastList = w.prefix[:len(before.prefix)], false, false, 0
	if len(w.out) > len(before.out) {
		w.hasBlock = true
		return true
	}
	w.marker, w.gap, w.hasBlock = w.marker[:len(before.marker)], before.gap, before.hasBlock
	w.isTight, w.isText, w.lastList = before.isTight, before.isText, before.lastList
	return false
}

// quote writes a quote.
func (w *writer) quote(n *node) {
	if w.isPlain {
		w.flow(n)
		return
	}
	w.nested("> ", "> ", func() { w.flow(n) })
}

// item writes an item of a list.
func (w *writer) item(marker string, write func()) bool {
	return w.nested(marker, strings.Repeat(" ", len(marker)), write)
}

// list writes a list. What is in it outside of an item is an item of its own, but an inner list
// belongs to the item before it.
func (w *writer) list(n *node, isOrdered bool) {
	number, ends := 1, "-*"
	if isOrdered {
		number, ends = ordinal(n.attr("start"), 1), ".)"
	}
	end := ends[0]
	if w.lastList == end && !w.isPlain {
		end = ends[1]
	}
	// A list may follow the text of an item without an empty line if it cannot be taken for text.
	w.isTight = w.isText && len(w.prefix) > 0 && !isOrdered
	hasItem, next := false, 0 // the number after that of the last item
	for child := n.first; child != nil && w.step(1); child = child.next {
		if child.isHidden || child.name == "" && strings.TrimSpace(child.text) == "" {
			continue
		}
		if hasItem {
			w.isTight = true
		}
		if child.name == "ul" || child.name == "ol" {
			if hasItem {
				w.nested("  ", "  ", func() { w.flowOne(child) })
			} else {
				w.flowOne(child)
			}
			continue
		}
		marker := string(end) + " "
		if isOrdered {
			number = ordinal(child.attr("value"), number)
			if hasItem && number != next { // the numbers go on in another list
				end, w.isTight = ends[0]+ends[1]-end, false
			}
			marker = strconv.Itoa(number) + string(end) + " "
			number = min(number+1, maxOrdinal)
		}
		if w.item(marker, func() { w.flowOne(child) }) {
			hasItem, next = true, number
		}
	}
	if hasItem {
		w.lastList = end
	}
	w.isTight = false
}

// maxOrdinal is the largest number of an item.
const maxOrdinal = 999_999_999

// ordinal returns the number of an item, or another if the text is none.
func ordinal(text string, other int) int {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n <= maxOrdinal {
		return n
	}
	return other
}

// code writes an element as code, with its lines.
func (w *writer) code(n *node) {
	text := w.codeText(n)
	if strings.TrimSpace(text) == "" {
		return
	}
	fence := ""
	if !w.isPlain {
		fence = strings.Repeat("`", max(3, longestRun(text, '`')+1))
	}
	w.startBlock()
	if fence != "" {
		w.out = append(append(append(w.out, fence...), language(n)...), '\n')
		w.startLine()
	}
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			w.startLine()
		}
		if line == "" {
			w.out = bytes.TrimRight(w.out, " ")
		}
		if w.out = append(append(w.out, line...), '\n'); !w.step(len(line)) {
			return
		}
	}
	if fence != "" {
		w.startLine()
		w.out = append(append(w.out, fence...), '\n')
	}
}

// language returns the programming language that an element of code names, or "".
func language(n *node) string {
	for ; n != nil; n = n.first {
		for class := range strings.FieldsSeq(n.attr("class")) {
			name, isNamed := strings.CutPrefix(class, "language-")
			if !isNamed {
				name, isNamed = strings.CutPrefix(class, "lang-")
			}
			isOther := func(r rune) bool {
				return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
					strings.ContainsRune("+-#.", r))
			}
			if isNamed && len(name) <= maxName && !strings.ContainsFunc(name, isOther) {
				return name
			}
		}
		if n.name == "" || n.first != n.last {
			return ""
		}
	}
	return ""
}

// longestRun returns the length of the longest run of a character.
func longestRun(s string, c byte) (longest int) {
	run := 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// player writes the address of a film, a sound or a frame, or what it is called.
func (w *writer) player(n *node) {
	address := n.attr("src")
	if n.name == "object" {
		address = n.attr("data")
	}
	// A player may name its files in elements of its own.
	for child := n.first; child != nil && address == "" && w.step(1); child = child.next {
		if child.name == "source" || child.name == "embed" {
			address = child.attr("src")
		}
	}
	if address == "" {
		if w.lose("films, sounds and frames without an address"); n.name == "object" {
			w.flow(n)
		}
		return
	}
	title := n.attr("title")
	if title == "" {
		title = n.attr("alt")
	}
	w.show(Reference{Kind: Player, Address: address, Title: oneLine(title)})
}
