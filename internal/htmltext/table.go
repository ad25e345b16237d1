package htmltext

import (
	"strings"
)

const (
	// maxColumns is how many columns a table may have. What a wider one shows is written as
	// paragraphs, and so is a table that is used to lay out a page.
	maxColumns = 100
	// maxSpan is the largest number of rows or columns of one cell that counts.
	maxSpan = 100
)

// grid is the cells of a table.
type grid struct {
	rows      [][]*node // nil for a place that another cell covers
	others    []*node   // captions, and what is outside of the cells
	columns   int
	hasHead   bool // the first row is one of heads
	isLaidOut bool // it has cells that a table of Markdown cannot have
	below     []int
	kept      int // elements that were taken for the rows
}

// pointersOfElement is how many pointers of a row count as an element of the budget.
const pointersOfElement = 8

// table writes a table.
func (w *writer) table(n *node) {
	var g grid
	defer func() { w.free(g.kept) }()
	w.collect(&g, n)
	for _, other := range g.others {
		w.flowOne(other)
		w.paragraph()
	}
	if len(g.rows) == 0 || w.err != nil {
		return
	}
	if g.isLaidOut || g.columns < 2 || g.columns > maxColumns {
		w.cellsAsBlocks(g)
		return
	}
	if w.isPlain {
		for _, row := range g.rows {
			w.plainRow(row)
		}
		return
	}
	w.beginBlock()
	rows := g.rows
	if g.hasHead {
		w.row(rows[0], g.columns)
		rows = rows[1:]
	} else {
		w.row(nil, g.columns)
	}
	w.startLine()
	w.out = append(append(w.out, strings.Repeat("| --- ", g.columns)...), "|\n"...)
	for _, row := range rows {
		w.row(row, 0)
	}
}

// collect adds the rows in an element to a grid.
func (w *writer) collect(g *grid, n *node) {
	for child := n.first; child != nil && w.step(1); child = child.next {
		switch {
		case child.isHidden:
		case child.name == "tr":
			w.collectRow(g, child)
		case child.name == "thead" || child.name == "tbody" || child.name == "tfoot":
			w.collect(g, child)
		case child.name != "col":
			g.others = append(g.others, child)
		}
	}
}

// collectRow adds a row to a grid.
func (w *writer) collectRow(g *grid, n *node) {
	var row []*node
	add := func(cell *node) {
		row = append(row, cell)
	}
	// Cells of the rows above may reach down to this one.
	cover := func() {
		for len(row) < len(g.below) && g.below[len(row)] > 0 && w.step(1) {
			g.below[len(row)]--
			add(nil)
		}
	}
	heads, count := 0, 0
	for child := n.first; child != nil && w.step(1); child = child.next {
		if child.name != "td" && child.name != "th" {
			g.others = append(g.others, child)
			continue
		}
		cover()
		count++
		if child.name == "th" {
			heads++
		}
		g.isLaidOut = g.isLaidOut || w.isLayout(child)
		down := min(ordinal(child.attr("rowspan"), 1), maxSpan) - 1
		for i := range max(1, min(ordinal(child.attr("colspan"), 1), maxSpan)) {
			if len(row) > maxColumns || !w.step(1) {
				break
			}
			for len(g.below) <= len(row) {
				g.below = append(g.below, 0)
			}
			g.below[len(row)] = max(down, 0)
			if i == 0 {
				add(child)
			} else {
				add(nil)
			}
		}
		if len(row) > maxColumns { // too wide: all cells are kept
			g.isLaidOut = true
			add(child)
		}
	}
	if count == 0 {
		return
	}
	cover()
	if len(g.rows) == 0 {
		g.hasHead = heads > 0 && heads*2 >= count
	}
	// A row that is covered by cells above has many pointers, and few bytes.
	kept := len(row) / pointersOfElement
	if w.keep(kept) {
		g.kept += kept
		g.rows, g.columns = append(g.rows, row), max(g.columns, len(row))
	}
}

// isLayout reports whether a cell has what a cell of Markdown cannot have.
func (w *writer) isLayout(n *node) bool {
	for child := n.first; child != nil && w.step(1); child = child.next {
		if child.isHidden || !child.isBlock {
			if isCode(child) && w.hasBreak(child) {
				return true
			}
			continue
		}
		switch child.name {
		case "pre", "listing", "table", "ul", "ol", "dl", "blockquote", "h1", "h2", "h3", "h4", "h5",
			"h6", "hr", "iframe", "video", "audio", "object", "embed", "details", "figure":
			return true
		}
		if w.isLayout(child) {
			return true
		}
	}
	return false
}

// cellsAsBlocks writes the cells of a table one after another.
func (w *writer) cellsAsBlocks(g grid) {
	for _, row := range g.rows {
		var before *node
		for _, cell := range row {
			if cell == nil || cell == before || cell.isHidden {
				continue
			}
			before = cell
			w.flow(cell)
			w.paragraph()
		}
	}
}

// row writes a row, with at least so many cells.
func (w *writer) row(cells []*node, columns int) {
	w.startLine()
	for i := 0; i < max(len(cells), columns) && w.step(1); i++ {
		w.out = append(w.out, "| "...)
		if i < len(cells) && cells[i] != nil && !cells[i].isHidden {
			if w.allInline(cells[i]); w.isBlank() {
				w.reset()
				continue
			}
			w.writeRun(inCell)
			w.out = append(w.out, ' ')
		}
	}
	w.out = append(w.out, "|\n"...)
}

// plainRow writes a row as plain text.
func (w *writer) plainRow(cells []*node) {
	w.startLine()
	start := len(w.out)
	for _, cell := range cells {
		if cell == nil || cell.isHidden {
			continue
		}
		if w.allInline(cell); w.isBlank() {
			w.reset()
			continue
		}
		if len(w.out) > start {
			w.out = append(w.out, " | "...)
		}
		w.writeRun(inCell)
	}
	w.endLine()
}
