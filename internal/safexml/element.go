package safexml

import (
	"encoding/xml"
	"strings"

	"github.com/openlectern/openlectern/internal/budget"
)

// Element is an element with all that it contains. Names are without their name spaces, which
// differ between the versions of a format.
type Element struct {
	Name  string
	Attrs []xml.Attr
	Nodes []Node
}

// Node is an element or a text within an element.
type Node struct {
	Element *Element // nil for a text
	Text    string
}

// Parse returns the first element of a document. What it refuses is said at [Decode].
func Parse(b *budget.Budget, data []byte) (*Element, error) {
	r, err := NewReader(b, data)
	if err != nil {
		return nil, err
	}
	for {
		token, err := r.Token()
		if err != nil {
			return nil, refusal(err)
		}
		if start, isStart := token.(xml.StartElement); isStart {
			e, _, err := r.Element(start)
			if err == nil {
				err = r.toEnd()
			}
			return e, err
		}
	}
}

// Element returns the element whose start Token returned last, and how much of the budget it is.
// The caller may give that back when it no longer keeps the element.
func (r *Reader) Element(start xml.StartElement) (e *Element, size int, err error) {
	var stack []*Element // the elements that are not closed
	for token := xml.Token(start); ; {
		switch t := token.(type) {
		case xml.StartElement:
			size += 1 + len(t.Attr)
			if err := r.take(1 + len(t.Attr)); err != nil {
				return nil, size, err
			}
			inner := &Element{Name: t.Name.Local, Attrs: t.Attr}
			if len(stack) == 0 {
				e = inner
			} else {
				outer := stack[len(stack)-1]
				outer.Nodes = append(outer.Nodes, Node{Element: inner})
			}
			stack = append(stack, inner)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
			if len(stack) == 0 {
				return e, size, nil
			}
		case xml.CharData:
			size++
			if err := r.take(1); err != nil {
				return nil, size, err
			}
			outer := stack[len(stack)-1]
			outer.Nodes = append(outer.Nodes, Node{Text: string(t)})
		}
		if token, err = r.Token(); err != nil {
			return nil, size, atEnd(err)
		}
	}
}

// Attr returns the value of the attribute with a name, without white space around it, or "".
// Capital letters count as small ones, and prefixes do not count.
func (e *Element) Attr(name string) string {
	for _, a := range e.Attrs {
		if strings.EqualFold(a.Name.Local, name) {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// Children returns the elements in an element that have one of the names, or all if there are no
// names.
func (e *Element) Children(names ...string) (list []*Element) {
	for _, n := range e.Nodes {
		if n.Element == nil {
			continue
		}
		for _, name := range names {
			if n.Element.Name == name {
				list = append(list, n.Element)
			}
		}
		if len(names) == 0 {
			list = append(list, n.Element)
		}
	}
	return list
}

// Child returns the first element in an element with a name, or nil.
func (e *Element) Child(name string) *Element {
	for _, n := range e.Nodes {
		if n.Element != nil && n.Element.Name == name {
			return n.Element
		}
	}
	return nil
}

// Text returns the text of an element and of those in it, without outer space.
func (e *Element) Text() string {
	var b strings.Builder
	e.addText(&b)
	return strings.TrimSpace(b.String())
}

func (e *Element) addText(b *strings.Builder) {
	for _, n := range e.Nodes {
		if n.Element != nil {
			n.Element.addText(b)
		}
		b.WriteString(n.Text)
	}
}

// HasElements reports whether there are elements in an element.
func (e *Element) HasElements() bool {
	for _, n := range e.Nodes {
		if n.Element != nil {
			return true
		}
	}
	return false
}

// Markup returns what is in an element as XML without name spaces, which is read as HTML.
func (e *Element) Markup() string {
	var b strings.Builder
	e.addMarkup(&b)
	return b.String()
}

func (e *Element) addMarkup(b *strings.Builder) {
	escape := func(text string) { _ = xml.EscapeText(b, []byte(text)) } // a Builder never fails
	for _, n := range e.Nodes {
		if n.Element == nil {
			escape(n.Text)
			continue
		}
		b.WriteString("<" + n.Element.Name)
		for _, a := range n.Element.Attrs {
			b.WriteString(" " + a.Name.Local + `="`)
			escape(a.Value)
			b.WriteByte('"')
		}
		b.WriteByte('>')
		n.Element.addMarkup(b)
		if len(n.Element.Nodes) > 0 || !isVoid(n.Element.Name) {
			b.WriteString("</" + n.Element.Name + ">")
		}
	}
}

// isVoid reports whether an element of HTML has no end.
func isVoid(name string) bool {
	switch strings.ToLower(name) {
	case "br", "img", "hr", "input", "source", "col", "wbr", "embed", "area", "track":
		return true
	}
	return false
}
