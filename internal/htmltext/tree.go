package htmltext

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/budget"
)

// node is an element or a text. Elements that mean nothing in a text, such as span, have none.
type node struct {
	name  string // "" for a text
	text  string
	attrs []attr

	parent, first, last, next *node

	// isBlock is whether the element, or one in it, begins a line.
	isBlock  bool
	isHidden bool
}

// attr returns the value of an attribute without outer space, or "".
func (n *node) attr(name string) string {
	for _, a := range n.attrs {
		if a.name == name {
			return strings.TrimSpace(a.value)
		}
	}
	return ""
}

// hasAttr reports whether an element has an attribute.
func (n *node) hasAttr(name string) bool {
	return slices.ContainsFunc(n.attrs, func(a attr) bool { return a.name == name })
}

// hasClass reports whether an element has one of some classes.
func (n *node) hasClass(names ...string) bool {
	for class := range strings.FieldsSeq(n.attr("class")) {
		if slices.Contains(names, class) {
			return true
		}
	}
	return false
}

// appendTo adds a node as the last child of a parent.
func (n *node) appendTo(parent *node) {
	n.parent = parent
	if parent.last == nil {
		parent.first = n
	} else {
		parent.last.next = n
	}
	parent.last = n
	// The elements around a block become blocks once, so that this takes no more than their number.
	for ; n.isBlock && !n.isHidden && parent != nil && !parent.isBlock; parent = parent.parent {
		parent.isBlock = true
	}
}

// set returns the set of the names in a text.
func set(names string) map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		all[name] = true
	}
	return all
}

// The kinds of elements.
var (
	voids = set("area base basefont bgsound br col embed frame hr img input keygen link meta param " +
		"source spacer track wbr")
	blocks = set("address article aside audio blockquote body caption center dd details dialog dir " +
		"div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 " +
		"header hgroup hr iframe legend li listing main menu nav object ol optgroup option p " +
		"plaintext pre search section summary table tbody td tfoot th thead tr ul video xmp")
	// inlines are the elements that mean something within a line.
	inlines = set("a b strong i em cite dfn var code tt samp kbd s strike del q sup sub br img math " +
		"script ruby rt source")
	// unseen are the elements whose content is not shown.
	unseen = set("style template svg canvas select datalist noframes noembed rp colgroup map")
	// lostKinds name the elements of which nothing stays.
	lostKinds = map[string]string{"svg": "drawings", "canvas": "drawings", "select": "forms",
		"textarea": "forms", "input": "forms", "applet": "programs"}
	// raws are the elements in which tags do not count.
	raws       = set("script style xmp iframe noembed noframes textarea title plaintext")
	tableParts = set("table caption colgroup col thead tbody tfoot tr td th")
)

// bound is a kind of elements outside of which a tag does not close anything.
type bound int

const (
	noBound    bound = iota
	scopeBound       // what is in a cell of a table or in an object
	listBound        // for items
	termBound        // for terms and their descriptions
	rubyBound
	cellBound
	tableBound
	blockBound
	bounds // how many there are
)

// isBound reports whether the element with a name is a bound of a kind.
func isBound(name string, kind bound) bool {
	switch name {
	case "table", "td", "th", "caption":
		isTable := name == "table"
		return kind != noBound && (kind != cellBound || !isTable) && (kind != tableBound || isTable)
	case "ul", "ol":
		return kind == listBound || kind == termBound || kind == blockBound
	case "menu", "dir":
		return kind == listBound || kind == blockBound
	case "dl":
		return kind == termBound || kind == blockBound
	case "ruby":
		return kind == rubyBound
	case "object", "button":
		return kind == scopeBound || kind == blockBound && name == "object"
	}
	return kind == blockBound && blocks[name]
}

// isMath reports whether a name is that of an element of MathML.
func isMath(name string) bool {
	switch name {
	case "math", "mi", "mn", "mo", "mtext", "ms", "mspace", "mrow", "mfrac", "msqrt", "mroot",
		"mstyle",
		"merror", "mpadded", "mphantom", "mfenced", "menclose", "msub", "msup", "msubsup", "munder",
		"mover", "munderover", "mmultiscripts", "mtable", "mtr", "mtd", "maction", "semantics",
		"annotation", "annotation-xml", "none", "mprescripts":
		return true
	}
	return false
}

// open is an element whose end was not read yet.
type open struct {
	name string
	node *node // of the element, or of the one around it if it has none
	// outer is the place of the next element around it with the same name, or 0. bounds are the
	// places of the innermost bounds of each kind. With them nothing is searched for in a deep
	// stack.
	outer  int
	bounds [bounds]int
}

// tree builds the nodes of a source.
type tree struct {
	tokenizer
	budget   *budget.Budget
	root     *node
	stack    []open
	places   map[string]int // of the innermost open elements, by their names
	title    string
	lost     []string
	elements int // that were taken from the budget
	isXHTML  bool
}

// parse returns the tree of a source, whose elements the caller frees if there is no error.
func parse(b *budget.Budget, source string) (*tree, error) {
	source = normal(source)
	t := &tree{tokenizer: tokenizer{source: source}, budget: b,
		root: &node{name: "body", isBlock: true}}
	t.stack, t.places = []open{{name: "body", node: t.root}}, map[string]int{}
	t.isXHTML = strings.HasPrefix(source, "<?xml")
	for {
		before := t.at
		token := t.next()
		var err error
		switch token.kind {
		case textToken:
			err = t.addText(token.text)
		case startTag:
			err = t.start(token)
		case endTag:
			err = t.end(token.name)
		}
		if err == nil {
			err = b.Steps(t.at - before + 1)
		}
		if err != nil {
			b.Free(t.elements)
			return nil, fmt.Errorf("parse HTML: %w", err)
		}
		if token.kind == endOfSource {
			return t, nil
		}
	}
}

// normal returns a source with plain line ends, valid UTF-8 and no NUL.
func normal(s string) string {
	s = strings.ToValidUTF8(strings.TrimPrefix(s, "\uFEFF"), "\uFFFD")
	if strings.ContainsAny(s, "\r\x00") {
		s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\uFFFD").Replace(s)
	}
	return s
}

// lose notes a kind of elements of which nothing stays.
func (t *tree) lose(kind string) {
	if kind != "" && !slices.Contains(t.lost, kind) {
		t.lost = append(t.lost, kind)
	}
}

func (t *tree) top() *node { return t.stack[len(t.stack)-1].node }

// add adds a node to the element that is open.
func (t *tree) add(n *node) error {
	size := 1 + len(n.attrs)
	if err := t.budget.Elements(size); err != nil {
		return err
	}
	t.elements += size
	n.appendTo(t.top())
	return nil
}

// addText adds a text.
func (t *tree) addText(s string) error {
	top := t.top()
	switch top.name {
	case "table", "thead", "tbody", "tfoot", "tr", "ul", "ol", "dl":
		if strings.TrimSpace(s) == "" {
			return nil
		}
	}
	return t.add(&node{text: s})
}

// push opens an element.
func (t *tree) push(name string, n *node) error {
	if len(t.stack) > MaxNesting {
		return ErrNesting
	}
	place := len(t.stack)
	o := open{name: name, node: n, outer: t.places[name], bounds: t.stack[place-1].bounds}
	for kind := range o.bounds {
		if isBound(name, bound(kind)) {
			o.bounds[kind] = place
		}
	}
	t.stack, t.places[name] = append(t.stack, o), place
	return nil
}

// truncate closes the open elements from a place on.
func (t *tree) truncate(place int) {
	for i := len(t.stack) - 1; i >= place; i-- {
		if o := t.stack[i]; o.outer == 0 {
			delete(t.places, o.name)
		} else {
			t.places[o.name] = o.outer
		}
	}
	t.stack = t.stack[:place]
}

// find returns the place in the stack of the innermost open element with one of some names, but not
// outside of a bound of a kind, or 0.
func (t *tree) find(kind bound, names ...string) (place int) {
	for _, name := range names {
		place = max(place, t.places[name])
	}
	if place < t.stack[len(t.stack)-1].bounds[kind] {
		return 0
	}
	return place
}

// close closes the innermost open element with one of some names, with all that are in it, but not
// outside of a bound of a kind.
func (t *tree) close(kind bound, names ...string) {
	if place := t.find(kind, names...); place > 0 {
		t.truncate(place)
	}
}

// closeImplied closes the elements that end where one with a name begins.
func (t *tree) closeImplied(name string) {
	switch {
	case name == "li":
		t.close(listBound, "li")
	case name == "dt", name == "dd":
		t.close(termBound, "dt", "dd")
	case name == "option", name == "optgroup":
		t.close(scopeBound, "option")
	case name == "rt", name == "rp":
		t.close(rubyBound, "rt", "rp")
	case name == "a":
		t.close(scopeBound, "a")
	case isHeading(name):
		if last := len(t.stack) - 1; isHeading(t.stack[last].name) {
			t.truncate(last)
		}
	}
	if blocks[name] {
		t.close(scopeBound, "math")
		t.close(scopeBound, "p")
	}
}

// closeForPart closes what ends where a part of a table begins, and opens the row of a cell. isPart
// is false if there is no table.
func (t *tree) closeForPart(name string) (isPart bool, err error) {
	if t.find(noBound, "table") == 0 {
		return false, nil
	}
	place := t.find(noBound, "table")
	switch name {
	case "tr":
		place = t.find(noBound, "table", "thead", "tbody", "tfoot")
	case "td", "th":
		place = t.find(noBound, "table", "thead", "tbody", "tfoot", "tr")
	}
	t.truncate(place + 1)
	if (name == "td" || name == "th") && t.stack[place].name != "tr" {
		return true, t.open("tr", nil)
	}
	return true, nil
}

// open adds an element and opens it.
func (t *tree) open(name string, attrs []attr) error {
	n := &node{name: name, attrs: attrs, isBlock: blocks[name]}
	if err := t.add(n); err != nil {
		return err
	}
	return t.push(name, n)
}

// start adds the element of a start tag.
func (t *tree) start(k token) error {
	name := localName(k.name)
	switch name {
	case "html":
		t.isXHTML = t.isXHTML || (&node{attrs: k.attrs}).hasAttr("xmlns")
		return nil
	case "head", "body", "meta", "link", "base", "param", "area":
		return nil
	case "input":
		if !slices.ContainsFunc(k.attrs, func(a attr) bool {
			return a.name == "type" && strings.EqualFold(a.value, "hidden")
		}) {
			t.lose(lostKinds[name])
		}
		return nil
	case "frameset", "noscript":
		return nil
	case "image":
		name = "img"
	}
	isInline := !blocks[name] && !raws[name] && !unseen[name]
	if k.isEmpty && !voids[name] && (t.isXHTML || isMath(name) || name == "svg" || isInline) {
		return t.startEmpty(name, k)
	}
	if raws[name] {
		return t.startRaw(name, k)
	}
	if unseen[name] {
		if name != "svg" {
			t.lose(lostKinds[name])
		}
		return t.skip(name)
	}

	// Close what ends here, and find the table of a part of one.
	if tableParts[name] && name != "table" {
		isPart, err := t.closeForPart(name)
		if err != nil || !isPart || name == "col" {
			return err
		}
	} else {
		t.closeImplied(name)
	}
	if name == "table" { // which is in another one only in a cell
		t.close(cellBound, "table")
	}
	n := t.nodeOf(name, k)
	if n == nil {
		if voids[name] {
			return nil
		}
		return t.push(name, t.top())
	}
	if err := t.add(n); err != nil || voids[name] {
		return err
	}
	return t.push(name, n)
}

// localName returns a name without the prefix of MathML.
func localName(name string) string {
	for _, prefix := range []string{"m:", "mml:"} {
		if rest, found := strings.CutPrefix(name, prefix); found {
			return rest
		}
	}
	return name
}

// nodeOf returns the node of a start tag, or nil if it means nothing in a text.
func (t *tree) nodeOf(name string, k token) *node {
	n := &node{name: name, isBlock: blocks[name], attrs: k.attrs}
	style := strings.ToLower(n.attr("style"))
	n.isHidden = n.hasAttr("hidden") || hasStyle(style, "display:none", "visibility:hidden") ||
		n.hasClass("katex-html", "MathJax_Preview") || isRenderedFormula(n)
	switch {
	case hasStyle(style, "vertical-align:super"):
		n.name = "sup"
	case hasStyle(style, "vertical-align:sub"):
		n.name = "sub"
	case hasStyle(style, "white-space:pre"):
		n.name, n.isBlock = "pre", true
	case !n.isHidden && !n.isBlock && !inlines[name] && !isMath(name) && n.attr("data-mathml") == "":
		return nil
	}
	n.attrs = slices.Clone(k.attrs)
	return n
}

// isRenderedFormula reports whether an element has the picture of a formula whose TeX stands beside
// it.
func isRenderedFormula(n *node) bool {
	return n.hasClass("MathJax", "MathJax_Display", "MathJax_SVG", "MathJax_CHTML",
		"MathJax_SVG_Display") && n.attr("data-mathml") == ""
}

// hasStyle reports whether a style has one of some declarations.
func hasStyle(style string, declarations ...string) bool {
	if style == "" {
		return false
	}
	for declaration := range strings.SplitSeq(style, ";") {
		property, value, _ := strings.Cut(declaration, ":")
		value, _, _ = strings.Cut(value, "!")
		whole := strings.TrimSpace(property) + ":" + strings.TrimSpace(value)
		if slices.Contains(declarations, whole) {
			return true
		}
	}
	return false
}

// startEmpty adds the element of a tag that ends with a slash.
func (t *tree) startEmpty(name string, k token) error {
	if unseen[name] || raws[name] && name != "iframe" {
		t.lose(lostKinds[name])
		return nil
	}
	if tableParts[name] && name != "table" {
		isPart, err := t.closeForPart(name)
		if err != nil || !isPart {
			return err
		}
	} else {
		t.closeImplied(name)
	}
	if n := t.nodeOf(name, k); n != nil {
		return t.add(n)
	}
	return nil
}

// startRaw adds an element in which tags do not count.
func (t *tree) startRaw(name string, k token) error {
	var text string
	if name == "plaintext" {
		text, t.at = t.source[t.at:], len(t.source)
	} else {
		var found bool
		text, found = t.raw(name)
		if !found && (name == "script" || name == "style") {
			t.at = len(t.source)
		}
	}
	t.closeImplied(name)
	n := &node{name: name, attrs: slices.Clone(k.attrs), isBlock: blocks[name]}
	n.isHidden = n.hasAttr("hidden")
	switch name {
	case "title":
		if t.title == "" {
			t.title = unescape(text)
		}
		return nil
	case "textarea":
		t.lose(lostKinds[name])
		return nil
	case "script":
		if !strings.HasPrefix(strings.ToLower(n.attr("type")), "math/") {
			return nil
		}
	case "xmp", "plaintext":
		n.name = "pre"
	case "iframe":
		return t.add(n)
	default:
		return nil
	}
	if err := t.add(n); err != nil {
		return err
	}
	if err := t.push(name, n); err != nil {
		return err
	}
	err := t.add(&node{text: text})
	t.truncate(len(t.stack) - 1)
	return err
}

// skip passes over an element whose content is not shown. A drawing or a list of options without an
// end tag ends where a paragraph or another block begins.
func (t *tree) skip(name string) error {
	depth, inner := 1, 0 // inner counts the pages that are in a drawing
	for depth > 0 {
		before := t.at
		k := t.next()
		if err := t.budget.Steps(t.at - before + 1); err != nil {
			return err
		}
		switch {
		case k.kind == endOfSource:
			return nil
		case k.kind == startTag && k.name == "foreignobject":
			inner++
		case k.kind == endTag && k.name == "foreignobject":
			inner--
		case k.kind == startTag && k.name == name && !k.isEmpty:
			depth++
		case k.kind == endTag && k.name == name:
			depth--
		case k.kind == startTag && name != "template" && name != "map" && inner <= 0 &&
			blocks[k.name] && k.name != "option" && k.name != "optgroup":
			return t.start(k)
		case k.kind == startTag && name == "svg":
			t.lose(lostKinds[name]) // an empty one shows nothing
		case k.kind == startTag && !k.isEmpty && (k.name == "script" || k.name == "style"):
			if _, found := t.raw(k.name); !found {
				t.at = len(t.source)
			}
		}
	}
	return nil
}

// end closes the element of an end tag.
func (t *tree) end(name string) error {
	name = localName(name)
	switch {
	case name == "br":
		return t.add(&node{name: "br"})
	case name == "p" && t.find(scopeBound, "p") == 0: // an empty one
		return t.add(&node{name: "p", isBlock: true})
	case voids[name] || name == "html" || name == "body" || name == "head":
	case name == "table":
		t.close(noBound, "table")
	case tableParts[name]:
		t.close(tableBound, name)
	case isHeading(name):
		t.close(scopeBound, "h1", "h2", "h3", "h4", "h5", "h6")
	case blocks[name]:
		t.close(scopeBound, name)
	default: // which does not close a block in which it did not begin
		t.close(blockBound, name)
	}
	return nil
}

// isHeading reports whether a name is h1 to h6.
func isHeading(name string) bool {
	return len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6'
}
