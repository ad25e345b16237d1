package pdf

import (
	"fmt"
	"strings"
)

// Element is a part of the page's structure tree. The tree holds the texts of the page
// in the order in which they are read aloud (ISO 32000-1, 14.8).
type Element struct {
	Role     string // H1, P, Figure, Link, …
	Language string // BCP 47 tag, "" for English
	Alt      string // alternative text of a figure
	Link     string // address of a link
	Area     Box    // where the link is
}

// Tagged calls draw, which draws a part of the page, and makes this part an element. draw must not
// call Tagged or Artifact.
func (p *Page) Tagged(e Element, draw func()) {
	// The number in the content of the page (MCID) is the index of the element.
	p.content = fmt.Appendf(p.content, "/%s <</MCID %d>> BDC\n", e.Role, len(p.elements))
	p.elements = append(p.elements, e)
	draw()
	p.Op("EMC")
}

// Artifact calls draw, which draws a part of the page that has no meaning for a reader, such as an
// ornament. Programs do not read it aloud. draw must not call Tagged or Artifact.
func (p *Page) Artifact(draw func()) {
	p.Op("/Artifact BMC")
	draw()
	p.Op("EMC")
}

// writeStructure adds the structure tree of a page and the annotations of its links to a file. on
// is the page. It returns the root of the tree, and the annotations, which the page must list.
func (p *Page) writeStructure(f *File, on Ref) (root Ref, annotations []Ref) {
	// These refer to the elements, and each element refers to whole.
	root = f.Reserve()
	whole := f.Reserve()
	parents := f.Reserve()
	var kids, links []string
	for i, e := range p.elements {
		content := fmt.Sprint(i) // its number in the content of the page
		self := f.Reserve()
		if e.Link != "" {
			key := 1 + len(annotations) // 0 is the page itself
			annotation := f.Add(linkAnnotation(e, key, on))
			annotations = append(annotations, annotation)
			content = fmt.Sprintf("[%d<</Type/OBJR/Obj %v/Pg %v>>]", i, annotation, on)
			links = append(links, fmt.Sprintf("%d %v", key, self))
		}
		f.Set(self, fmt.Sprintf("<</Type/StructElem/S/%s/P %v/Pg %v/K %s%s>>", e.Role, whole, on,
			content, e.attributes()))
		kids = append(kids, self.String())
	}
	list := strings.Join(kids, " ")
	f.Set(root, fmt.Sprintf("<</Type/StructTreeRoot/K %v/ParentTree %v/ParentTreeNextKey %d>>",
		whole, parents, 1+len(annotations)))
	f.Set(whole, fmt.Sprintf("<</Type/StructElem/S/Document/P %v/K[%s]>>", root, list))
	// By key: the elements of the page, and the element of each annotation.
	f.Set(parents, fmt.Sprintf("<</Nums[0 [%s] %s]>>", list, strings.Join(links, " ")))
	return root, annotations
}

// attributes returns the entries of the structure element for what is set; "" for nothing.
func (e Element) attributes() string {
	var b strings.Builder
	if e.Language != "" {
		fmt.Fprintf(&b, "/Lang(%s)", e.Language)
	}
	if e.Alt != "" {
		fmt.Fprintf(&b, "/Alt%s", textString(e.Alt))
	}
	return b.String()
}

// linkAnnotation returns the annotation of an element's link on a page: the area that can be
// clicked, and the address. key is that of the annotation in the parent tree.
func linkAnnotation(e Element, key int, on Ref) string {
	return fmt.Sprintf(
		"<</Type/Annot/Subtype/Link/F 4/Rect[%s]/Border[0 0 0]/P %v/StructParent "+
			"%d/Contents%s/A<</S/URI/URI%s>>>>",
		Reals(e.Area.Left, e.Area.Bottom, e.Area.Right, e.Area.Top), on, key, textString(e.Link),
		byteString(e.Link))
}
