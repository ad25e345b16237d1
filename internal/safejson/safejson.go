// Package safejson looks at a JSON document that may have been made to do harm, before any value of
// it is built. encoding/json builds first: a list of "{}," becomes as many structs, each fifty
// times the size of its text, before their number can be checked.
package safejson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/budget"
)

// Limits are the limits of a document. Zero limits are those that every document has.
type Limits struct {
	// Depth is how deep lists and objects may be nested; 0 means 100.
	Depth int
	// Lists are the lists whose length is limited. All others are bounded by the budget.
	Lists []List
	// AllowDuplicates allows an object to have a name twice, as encoding/json does.
	AllowDuplicates bool
}

// List is the limit of the lists, and of the members of the objects, at a path.
type List struct {
	// Path has the names of the members that lead to the list, with dots between them, and nothing
	// for the elements of lists on the way: chapters.lectures are the lectures of each chapter. A
	// document that is a list itself has the path "". The case of names does not matter, as in
	// encoding/json.
	Path string
	// Each is how many elements each list may have, and All how many all lists at the path may have
	// together; 0 means no limit.
	Each, All int
	// Name says what the elements are, such as "lectures", and Advice what to do, such as "split
	// the course".
	Name, Advice string
}

const (
	// maxDepth is how deep lists and objects may be nested in a document without a limit.
	maxDepth = 100
	// maxNumber is the length of the longest number, in bytes. The longest float64 that is written
	// without an exponent has 327.
	maxNumber = 400
	// stepSize is after how many bytes the budget is asked.
	stepSize = 8 << 10
)

// Error says why a document was refused, and what to do. Its text is meant for people, and follows
// the name of the document.
type Error struct{ Reason string }

// Error returns the reason.
func (e *Error) Error() string { return e.Reason }

func refuse(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Check checks that data is one JSON value within limits, whose values fit into a budget. It builds
// none of them. The caller has taken the text itself from the budget ([budget.Budget.Text]).
//
// A refusal is an [*Error]. If the context of the budget is done, Check returns its error.
//
// The budget is that of what encoding/json builds: an element for each list and object, and half of
// one for each element of a list and each member of an object, which are values of an any at worst.
func Check(b *budget.Budget, data []byte, limits Limits) error {
	err := b.Steps(len(data))
	if err == nil && !json.Valid(data) {
		var value json.RawMessage // the error says where
		return &Error{"is not valid JSON (" + SyntaxReason(json.Unmarshal(data, &value)) + ")"}
	}
	if err == nil {
		c := &checker{budget: b, limits: limits, root: treeOf(limits.Lists), data: data}
		err = c.document()
	}
	if errors.Is(err, budget.ErrSpent) {
		return refuse("has too many values for its length: split it into several parts")
	}
	return err
}

// maxReason is the length of the longest text of an error that is shown, in bytes.
const maxReason = 200

// SyntaxReason returns why encoding/json cannot decode a document, for people. It has no names of
// types of this program.
func SyntaxReason(err error) string {
	syntax, isSyntax := errors.AsType[*json.SyntaxError](err)
	wrong, isType := errors.AsType[*json.UnmarshalTypeError](err)
	text := strings.TrimPrefix(err.Error(), "json: ")
	switch {
	case isSyntax:
		return fmt.Sprintf("%s, at byte %d", syntax.Error(), syntax.Offset)
	case isType && wrong.Field != "":
		return fmt.Sprintf("%s must not be a JSON %s", wrong.Field, wrong.Value)
	case isType:
		return "it must not be a JSON " + wrong.Value
	case strings.HasPrefix(text, "unknown field "):
		return text[:min(len(text), maxReason)] // the name may be as long as the document
	}
	return "a value has another form than it must have, such as a time that is not written as " +
		"2030-12-31T23:59:59Z"
}

// node is a path that a limit names, or that leads to one.
type node struct {
	inner map[string]*node // by the names of members in lower case
	list  *List            // nil if the path has no limit
	all   int              // elements of the lists at the path, until now
}

// treeOf returns the paths of limits.
func treeOf(lists []List) *node {
	root := &node{}
	for i := range lists {
		at := root
		for name := range strings.SplitSeq(lists[i].Path, ".") {
			if name == "" {
				break
			}
			name = strings.ToLower(name)
			if at.inner == nil {
				at.inner = map[string]*node{}
			}
			if at.inner[name] == nil {
				at.inner[name] = &node{}
			}
			at = at.inner[name]
		}
		at.list = &lists[i]
	}
	return root
}

// member returns the path of a member; nil if no limit concerns it.
func (n *node) member(name []byte) *node {
	if n == nil || n.inner == nil {
		return nil
	}
	for inner, found := range n.inner {
		if strings.EqualFold(inner, string(name)) {
			return found
		}
	}
	return nil
}

// frame is a list or an object that is open.
type frame struct {
	path     *node // nil if no limit concerns it
	isObject bool
	count    int   // of its elements or members
	member   *node // the path of the value of the last name

	// The hashes of the names of an object: the first ones, and all if there are more.
	names []uint64
	many  map[uint64]struct{}
}

// checker walks through a document that is valid JSON.
type checker struct {
	budget *budget.Budget
	limits Limits
	root   *node
	data   []byte
	at     int
	open   []frame
	isNext bool // an element or a member begins next, unless the list or object ends
	halves int  // of elements, which the budget was not asked for yet
	seed   maphash.Seed
}

// document checks the document. It looks at each byte once.
func (c *checker) document() error {
	c.seed = maphash.MakeSeed()
	for asked := 0; c.at < len(c.data); {
		if c.at-asked >= stepSize {
			if err := c.budget.Steps(c.at - asked); err != nil {
				return err
			}
			asked = c.at
		}
		begin, first := c.at, c.data[c.at]
		c.at++
		switch first {
		case ' ', '\t', '\r', '\n', ':':
			continue
		case ',':
			c.isNext = true
			continue
		case ']', '}':
			c.open, c.isNext = c.open[:len(c.open)-1], false
			continue
		case '[', '{':
		case '"':
			c.skipString()
		default:
			c.skipLiteral()
			if c.at-begin > maxNumber {
				return refuse("has a number with more than %d digits: round it", maxNumber)
			}
		}
		if err := c.token(first, c.data[begin:c.at]); err != nil {
			return err
		}
	}
	return c.take(0)
}

// token counts a value or the name of a member. first is its first byte.
func (c *checker) token(first byte, text []byte) error {
	top := c.top()
	if top != nil && c.isNext {
		c.isNext = false
		if err := c.count(top); err != nil {
			return err
		}
		if top.isObject {
			return c.name(top, text)
		}
	}
	if first != '[' && first != '{' {
		return nil
	}

	// A list or an object begins. The elements of a list have the path of the list.
	path := c.root
	if top != nil && top.isObject {
		path = top.member
	} else if top != nil {
		path = top.path
	}
	depth := cmp.Or(c.limits.Depth, maxDepth)
	if len(c.open) == depth {
		return refuse("has lists or objects that are nested more than %d deep: make it flatter", depth)
	}
	var names []uint64
	if len(c.open) < cap(c.open) { // use the memory of one that was closed
		names = c.open[:len(c.open)+1][len(c.open)].names[:0]
	}
	c.open = append(c.open, frame{path: path, isObject: first == '{', names: names})
	c.isNext = true
	return c.take(2)
}

// top returns the innermost list or object that is open; nil if there is none.
func (c *checker) top() *frame {
	if len(c.open) == 0 {
		return nil
	}
	return &c.open[len(c.open)-1]
}

// count counts an element of a list, or a member of an object.
func (c *checker) count(f *frame) error {
	f.count++
	// The members of an object that is an element of a list at the path are not elements of it.
	isElement := f.path != nil && f.path.list != nil && (!f.isObject || !c.isInList())
	if isElement {
		f.path.all++
		l := f.path.list
		if l.Each > 0 && f.count > l.Each {
			return refuse("has more than %s %s in one list: %s", grouped(l.Each), l.Name, l.Advice)
		}
		if l.All > 0 && f.path.all > l.All {
			return refuse("has more than %s %s: %s", grouped(l.All), l.Name, l.Advice)
		}
	}
	return c.take(1)
}

// isInList reports whether the innermost list or object is an element of a list.
func (c *checker) isInList() bool {
	return len(c.open) > 1 && !c.open[len(c.open)-2].isObject
}

// name notes the name of a member, and refuses one that its object has already.
func (c *checker) name(f *frame, text []byte) error {
	name := text[1 : len(text)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		var unescaped string
		if err := json.Unmarshal(text, &unescaped); err != nil {
			return fmt.Errorf("read a name: %w", err) // it was valid
		}
		name = []byte(unescaped)
	}
	f.member = f.path.member(name)
	if c.limits.AllowDuplicates {
		return nil
	}
	key := maphash.Bytes(c.seed, name)
	_, isThere := f.many[key]
	if isThere || slices.Contains(f.names, key) {
		const longest = 100
		return refuse("has the name %q twice in one object: leave one of them out",
			name[:min(len(name), longest)])
	}
	const few = 16
	switch {
	case len(f.names) < few:
		f.names = append(f.names, key)
	case f.many == nil:
		f.many = map[uint64]struct{}{key: {}}
	default:
		f.many[key] = struct{}{}
	}
	return nil
}

// take takes halves of elements from the budget, many at once.
func (c *checker) take(halves int) error {
	const many = 200
	c.halves += halves
	if halves > 0 && c.halves < many {
		return nil
	}
	n := c.halves / 2
	c.halves %= 2
	return c.budget.Elements(n)
}

// skipString moves behind a string whose first quote was read.
func (c *checker) skipString() {
	for {
		n := bytes.IndexByte(c.data[c.at:], '"')
		c.at += n + 1
		// A quote behind an odd number of backslashes is one of the string.
		backslashes := 0
		for c.data[c.at-2-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return
		}
	}
}

// skipLiteral moves behind a number, or true, false or null, whose first byte was read.
func (c *checker) skipLiteral() {
	for c.at < len(c.data) && bytes.IndexByte([]byte(" \t\r\n,]}"), c.data[c.at]) < 0 {
		c.at++
	}
}

// grouped returns a number with commas between its thousands.
func grouped(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
