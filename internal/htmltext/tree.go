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
	raws = set("script style xmp iframe noembed noframes textarea title plaintext")
	// cells and tables bound what an end tag outside of them can close.
	cells      = set("td th caption")
	tableParts = set("table caption colgroup col thead tbody tfoot tr td th")
)

// isMath reports whether a name is that of an element of MathML.
func isMath(name string) bool {
	switch name {
	case "math", "mi", "mn", "mo", "mtext", "ms", "mspace", "mrow", "mfrac", "msqrt", "mroot", "mstyle",
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
}

// tree builds the nodes of a source.
type tree struct {
	tokenizer
	budget   *budget.Budget
	root     *node
	stack    []open
	title    string
	lost     []string
	elements int // that were taken from the budget
	isXHTML  bool
}

// parse returns the tree of a source, whose elements the caller frees if there is no error.
func parse(b *budget.Budget, source string) (*tree, error) {
	source = normal(source)
	t := &tree{tokenizer: tokenizer{source: source}, budget: b, root: &node{name: "body", isBlock: true}}
	t.stack = []open{{name: "body", node: t.root}}
	t.isXHTML = strings.HasPrefix(source, "<?xml")
	for {
		before := t.at
		token := t.next()
		err := b.Steps(t.at - before + 1)
		if err == nil {
			switch token.kind {
			case textToken:
				err = t.addText(token.text)
			case startTag:
				err = t.start(token)
			case endTag:
				err = t.end(token.name)
			}
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
	t.stack = append(t.stack, open{name: name, node: n})
	return nil
}

// find returns the place in the stack of the innermost open element that is one of some names, but
// not outside of an element for which isBound is true, or 0.
func (t *tree) find(names func(string) bool, isBound func(string) bool) (int, error) {
	for i := len(t.stack) - 1; i > 0; i-- {
		if names(t.stack[i].name) {
			return i, t.budget.Steps(len(t.stack) - i)
		}
		if isBound(t.stack[i].name) {
			return 0, t.budget.Steps(len(t.stack) - i)
		}
	}
	return 0, t.budget.Steps(len(t.stack))
}

// close closes the innermost open element that is one of some names, with all that are in it.
func (t *tree) close(names func(string) bool, isBound func(string) bool) error {
	i, err := t.find(names, isBound)
	if i > 0 {
		t.stack = t.stack[:i]
	}
	return err
}

func isOf(names ...string) func(string) bool {
	return func(name string) bool { return slices.Contains(names, name) }
}

func isOneOf(names map[string]bool) func(string) bool {
	return func(name string) bool { return names[name] }
}

// inScope bounds a search to a cell of a table and to what is in an object.
var inScope = isOf("table", "td", "th", "caption", "object", "button")

// closeImplied closes the elements that end where one with a name begins.
func (t *tree) closeImplied(name string) (err error) {
	switch {
	case name == "li":
		err = t.close(isOf("li"), isOf("ul", "ol", "menu", "dir", "table", "td", "th", "caption"))
	case name == "dt", name == "dd":
		err = t.close(isOf("dt", "dd"), isOf("dl", "ul", "ol", "table", "td", "th", "caption"))
	case name == "option", name == "optgroup":
		err = t.close(isOf("option"), inScope)
	case name == "rt", name == "rp":
		err = t.close(isOf("rt", "rp"), isOf("ruby", "table", "td", "th"))
	case name == "a":
		err = t.close(isOf("a"), inScope)
	case isHeading(name):
		if isHeading(t.stack[len(t.stack)-1].name) {
			t.stack = t.stack[:len(t.stack)-1]
		}
	}
	if err == nil && blocks[name] {
		if err = t.close(isOf("math"), inScope); err == nil {
			err = t.close(isOf("p"), inScope)
		}
	}
	return err
}

// closeForPart closes what ends where a part of a table begins, and opens the row of a cell. isPart
// is false if there is no table.
func (t *tree) closeForPart(name string) (isPart bool, err error) {
	place, err := t.find(isOf("table"), func(string) bool { return false })
	if place == 0 || err != nil {
		return false, err
	}
	around := isOf("table")
	switch name {
	case "tr":
		around = isOf("table", "thead", "tbody", "tfoot")
	case "td", "th":
		around = isOf("table", "thead", "tbody", "tfoot", "tr")
	}
	if place, err = t.find(around, func(string) bool { return false }); err != nil {
		return false, err
	}
	t.stack = t.stack[:place+1]
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
		t.isXHTML = t.isXHTML || slices.ContainsFunc(k.attrs, func(a attr) bool { return a.name == "xmlns" })
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
	} else if err := t.closeImplied(name); err != nil {
		return err
	}
	if name == "table" {
		if err := t.close(isOf("table"), isOneOf(cells)); err != nil {
			return err
		}
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
	} else if err := t.closeImplied(name); err != nil {
		return err
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
	if err := t.closeImplied(name); err != nil {
		return err
	}
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
	t.stack = append(t.stack, open{name: name, node: n})
	err := t.add(&node{text: text})
	t.stack = t.stack[:len(t.stack)-1]
	return err
}

// skip passes over an element whose content is not shown. A drawing or a list of options that is not
// closed ends where a paragraph or another block begins.
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
	case name == "p":
		place, err := t.find(isOf("p"), inScope)
		if err != nil || place > 0 {
			t.stack = t.stack[:max(place, 1)]
			return err
		}
		return t.add(&node{name: "p", isBlock: true})
	case voids[name] || name == "html" || name == "body" || name == "head":
		return nil
	case name == "table":
		return t.close(isOf("table"), func(string) bool { return false })
	case tableParts[name]:
		return t.close(isOf(name), isOf("table"))
	case isHeading(name):
		return t.close(isHeading, inScope)
	case blocks[name]:
		return t.close(isOf(name), inScope)
	}
	// An element within lines does not close a block in which it did not begin.
	return t.close(isOf(name), isOneOf(blocks))
}

// isHeading reports whether a name is h1 to h6.
func isHeading(name string) bool {
	return len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6'
}
