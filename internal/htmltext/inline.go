package htmltext

import (
	"strings"
)

// inline adds what is a part of a line.
func (w *writer) inline(n *node) {
	if n.isHidden || !w.step(len(n.text)+1) {
		return
	}
	if n.name == "" {
		w.addWords(n.text)
		return
	}
	switch n.name {
	case "br":
		w.addLineEnd()
	case "img":
		w.picture(n)
	case "math":
		w.formula(texOf(w, n), n.attr("display") == "block")
	case "script":
		isBlock := strings.Contains(strings.ToLower(n.attr("type")), "display")
		w.formula(textOf(n), isBlock)
	case "q":
		w.addWords("“")
		w.inlines(n)
		w.addWords("”")
	case "rt":
		w.addWords("(")
		w.inlines(n)
		w.addWords(")")
	case "sup", "sub":
		w.shifted(n)
	default:
		if source := n.attr("data-mathml"); source != "" && w.renderedFormula(n, source) {
			return
		}
		w.styled(n, w.inlines)
	}
}

// inlines adds what is in an element.
func (w *writer) inlines(n *node) {
	for child := n.first; child != nil && w.err == nil; child = child.next {
		w.inline(child)
	}
}

// allInline adds what is in an element to the open line, also blocks.
func (w *writer) allInline(n *node) {
	for child := n.first; child != nil && w.step(1); child = child.next {
		switch {
		case child.isHidden:
		case !child.isBlock:
			w.inline(child)
		case !blocks[child.name]:
			w.styled(child, w.allInline)
		case child.name == "pre" || child.name == "listing":
			w.addLineEnd()
			text := w.codeText(child)
			if n := 2 * strings.Count(text, "\n"); w.keep(n) { // two segments for each line
				w.kept += n
				w.inStyle(code, func() { w.addText(text, true) })
			}
			w.addLineEnd()
		case child.name == "iframe" || child.name == "frame" || child.name == "embed" ||
			child.name == "video" || child.name == "audio" || child.name == "object":
			w.player(child)
		default:
			w.addLineEnd()
			w.allInline(child)
			w.addLineEnd()
		}
	}
}

// inStyle adds something with a style.
func (w *writer) inStyle(s style, add func()) {
	before := w.style
	w.style |= s
	add()
	w.style = before
}

// styled adds what is in an element, with its style or link.
func (w *writer) styled(n *node, add func(*node)) {
	switch n.name {
	case "b", "strong":
		w.inStyle(bold, func() { add(n) })
	case "i", "em", "cite", "dfn", "var":
		w.inStyle(italic, func() { add(n) })
	case "s", "strike", "del":
		w.inStyle(struck, func() { add(n) })
	case "code", "tt", "samp", "kbd":
		w.inStyle(code, func() { add(n) })
	case "a":
		w.anchor(n, add)
	default:
		add(n)
	}
}

// anchor adds a link.
func (w *writer) anchor(n *node, add func(*node)) {
	address := n.attr("href")
	if address == "" {
		add(n)
		return
	}
	title := oneLine(w.shownText(n))
	if w.resolve != nil {
		address = w.resolve(Reference{Kind: Link, Address: address, Title: title}).Address
	} else if !IsWeb(address) {
		address = ""
	}
	before := w.link
	if isSame := title == address || "mailto:"+title == address; address == "" || isSame && w.isPlain {
		add(n)
		return
	} else if isSame && before == 0 && !n.isBlock {
		w.addVerbatim(bareAddress(strings.TrimPrefix(address, "mailto:")))
		return
	}
	w.link = w.newLink(address)
	w.isApart = true
	add(n)
	w.link = before
}

// IsWeb reports whether an address leads to another site, or is one of mail.
func IsWeb(address string) bool {
	scheme, rest, found := strings.Cut(address, ":")
	switch strings.ToLower(scheme) {
	case "http", "https":
		return strings.HasPrefix(rest, "//") && len(rest) > len("//")
	case "mailto":
		return found
	}
	return false
}

// maxTitle is the length of the longest title of a reference, in bytes.
const maxTitle = 1_000

// shownText returns the beginning of the text in an element.
func (w *writer) shownText(n *node) string {
	var b strings.Builder
	var walk func(n *node)
	walk = func(n *node) {
		for child := n.first; child != nil && b.Len() < maxTitle && w.step(1); child = child.next {
			if child.isHidden || child.name == "script" {
				continue
			}
			if child.isBlock || child.name == "br" {
				b.WriteByte(' ')
			}
			b.WriteString(strings.ToValidUTF8(child.text[:min(len(child.text), maxTitle)], ""))
			if child.name == "img" {
				alt := child.attr("alt")
				b.WriteString(" " + strings.ToValidUTF8(alt[:min(len(alt), maxTitle)], "") + " ")
			}
			walk(child)
		}
	}
	walk(n)
	return b.String()
}

// textOf returns the text of the children of an element.
func textOf(n *node) string {
	var parts []string
	for child := n.first; child != nil; child = child.next {
		parts = append(parts, child.text)
	}
	return strings.Join(parts, "")
}

// picture adds a picture, or the formula that it shows.
func (w *writer) picture(n *node) {
	if tex := pictureTeX(w, n); tex != "" {
		w.formula(tex, false)
		return
	}
	title := oneLine(n.attr("alt"))
	if title == "" {
		title = oneLine(n.attr("title"))
	}
	address := n.attr("src")
	if strings.HasPrefix(strings.ToLower(address), "data:") || address == "" {
		if w.lose("pictures that are not files"); !w.isPlain {
			w.addWords(title)
		}
		return
	}
	w.show(Reference{Kind: Picture, Address: address, Title: title})
}

// titleSigns escapes the title of a picture.
var titleSigns = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "`", "\\`", "*", `\*`,
	"_", `\_`, "<", `\<`, "&", `\&`, "~", `\~`, "!", `\!`)

// show adds what is shown for a picture or player.
func (w *writer) show(r Reference) {
	if w.isPlain {
		w.lose("pictures and other media")
		return
	}
	target := Target{Address: r.Address}
	if w.resolve != nil {
		target = w.resolve(r)
	}
	switch {
	case target.Address == "":
		w.addWords(target.Text)
	case r.Kind == Picture:
		w.addVerbatim("![" + titleSigns.Replace(r.Title) + "](" + destination(target.Address) + ")")
	default:
		w.addVerbatim(bareAddress(target.Address))
	}
}

// isCode reports whether an element is code within a line.
func isCode(n *node) bool {
	return n.name == "code" || n.name == "tt" || n.name == "samp" || n.name == "kbd"
}

// hasBreak reports whether a line ends in an element.
func (w *writer) hasBreak(n *node) bool {
	for child := n.first; child != nil && w.step(1); child = child.next {
		if child.name == "br" || child.name != "" && w.hasBreak(child) {
			return true
		}
	}
	return false
}

// codeText returns the text of an element of code, with its lines.
func (w *writer) codeText(n *node) string {
	c := &writer{budget: w.budget, isPlain: true, most: w.most, gap: -1}
	c.layOut(n, n.name == "pre" || n.name == "listing")
	if c.err != nil {
		w.fail(c.err)
	}
	for _, kind := range c.lost {
		w.lose(kind)
	}
	return strings.Trim(strings.TrimRight(string(c.out), " \t\n"), "\n")
}

// layOut writes the text of an element as it is laid out.
func (w *writer) layOut(n *node, isPre bool) {
	for child := n.first; child != nil && w.step(len(child.text)+1); child = child.next {
		switch {
		case child.isHidden:
		case child.name == "":
			text := strings.ReplaceAll(child.text, "\u00a0", " ")
			if !isPre { // line ends of the source do not count
				text = strings.ReplaceAll(text, "\n", "")
			}
			w.out = append(w.out, text...)
		case child.name == "br":
			w.out = append(w.out, '\n')
		case child.name == "sup" || child.name == "sub" || child.name == "img" || child.name == "math" ||
			child.name == "script":
			w.inline(child)
			w.writeRun(inHeading)
		case blocks[child.name]:
			w.endLine()
			w.layOut(child, isPre)
			w.endLine()
		default:
			w.layOut(child, isPre)
		}
	}
}

// endLine ends a line that has a text.
func (w *writer) endLine() {
	if n := len(w.out); n > 0 && w.out[n-1] != '\n' {
		w.out = append(w.out, '\n')
	}
}
