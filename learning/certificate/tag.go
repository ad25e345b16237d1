package certificate

import (
	"fmt"
	"strings"
)

// A page is tagged: its texts are elements of a structure tree, in the order in
// which they are read aloud, each with its language where that is not English;
// what is ornament is marked as such (ISO 32000-1, 14.8).

// element is a part of the page's structure.
type element struct {
	role     string // H1, P, Figure…
	language string
	alt      string
	link     string // an address
	area     box    // of the link
}

// tagged draws a part of the page as an element.
func (p *page) tagged(e element, draw func()) {
	p.content = fmt.Appendf(p.content, "/%s <</MCID %d>> BDC\n", e.role, len(p.elements))
	p.elements = append(p.elements, e)
	draw()
	p.put("EMC")
}

// ornament draws what nobody needs to read.
func (p *page) ornament(draw func()) {
	p.put("/Artifact BMC")
	draw()
	p.put("EMC")
}

// writeStructure adds the structure tree, and the annotations of the links, of a
// page.
func (p *page) writeStructure(f *file, on ref) (root ref, annotations []ref) {
	root, whole, parents := f.reserve(), f.reserve(), f.reserve()
	var kids, links []string
	for i, e := range p.elements {
		content := fmt.Sprint(i)
		self := f.reserve()
		if e.link != "" {
			key := 1 + len(annotations) // 0 is the page itself
			annotation := f.add(linkAnnotation(e, key, on))
			annotations = append(annotations, annotation)
			content = fmt.Sprintf("[%d<</Type/OBJR/Obj %v/Pg %v>>]", i, annotation, on)
			links = append(links, fmt.Sprintf("%d %v", key, self))
		}
		f.set(self, fmt.Sprintf("<</Type/StructElem/S/%s/P %v/Pg %v/K %s%s>>", e.role, whole, on, content, e.attributes()))
		kids = append(kids, self.String())
	}
	list := strings.Join(kids, " ")
	f.set(root, fmt.Sprintf("<</Type/StructTreeRoot/K %v/ParentTree %v/ParentTreeNextKey %d>>", whole, parents, 1+len(annotations)))
	f.set(whole, fmt.Sprintf("<</Type/StructElem/S/Document/P %v/K[%s]>>", root, list))
	f.set(parents, fmt.Sprintf("<</Nums[0 [%s] %s]>>", list, strings.Join(links, " ")))
	return root, annotations
}

func (e element) attributes() string {
	var b strings.Builder
	if e.language != "" {
		fmt.Fprintf(&b, "/Lang(%s)", e.language)
	}
	if e.alt != "" {
		fmt.Fprintf(&b, "/Alt%s", textString(e.alt))
	}
	return b.String()
}

func linkAnnotation(e element, key int, on ref) string {
	return fmt.Sprintf("<</Type/Annot/Subtype/Link/F 4/Rect[%s]/Border[0 0 0]/P %v/StructParent %d/Contents%s/A<</S/URI/URI%s>>>>",
		reals(e.area.left, e.area.bottom, e.area.right, e.area.top), on, key, textString(e.link), byteString(e.link))
}

// reals writes numbers between spaces.
func reals(values ...float64) string {
	var b []byte
	for i, v := range values {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendReal(b, v)
	}
	return string(b)
}
