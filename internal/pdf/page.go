package pdf

import (
	"fmt"
	"strings"
)

// Page is one page of a file: what is drawn on it, its structure, and the fonts and
// objects that it uses. It is not safe for concurrent use.
type Page struct {
	Canvas
	width, height float64
	elements      []Element
	fonts         []*Font
	objects       []object
}

// object is a drawing or an image that the page uses by name.
type object struct {
	name  string
	write func(*File) Ref
}

// NewPage returns an empty page of a size in points.
func NewPage(width, height float64) *Page { return &Page{width: width, height: height} }

// AddFont adds a font that the page uses, under its PostScript name. The page must use at least one
// of its glyphs.
func (p *Page) AddFont(name string) *Font {
	f := newFont(name, fmt.Sprintf("F%d", len(p.fonts)+1))
	p.fonts = append(p.fonts, f)
	return f
}

// AddObject adds a drawing or an image, which [Canvas.Object] draws. [Page.Bytes] calls write,
// which must add it to the file and return its reference.
func (p *Page) AddObject(name string, write func(*File) Ref) {
	p.objects = append(p.objects, object{name, write})
}

// Bytes returns the page as a whole file, with metadata.
func (p *Page) Bytes(about Info) []byte {
	f := &File{}
	// These refer to each other and to what is added next, so they get their bodies last.
	catalog := f.Reserve()
	pages := f.Reserve()
	self := f.Reserve()
	var fonts, objects strings.Builder
	for _, s := range p.fonts {
		fmt.Fprintf(&fonts, "/%s %v", s.resource, s.write(f))
	}
	for _, o := range p.objects {
		fmt.Fprintf(&objects, "/%s %v", o.name, o.write(f))
	}
	structure, annotations := p.writeStructure(f, self)
	content := f.AddStream("", p.content)
	// StructParents is the key of the page in the tree that writeStructure adds. Tabs S: the tab
	// key moves between links in the order of the structure.
	f.Set(self,
		fmt.Sprintf(
			"<</Type/Page/Parent %v/MediaBox[0 0 %s]/Contents "+
				"%v/Resources<</Font<<%s>>/XObject<<%s>>>>/StructParents 0/Tabs/S/Annots%v>>",
			pages, Reals(p.width, p.height), content, fonts.String(), objects.String(),
			annotations))
	f.Set(pages, fmt.Sprintf("<</Type/Pages/Kids[%v]/Count 1>>", self))
	f.Set(catalog,
		fmt.Sprintf(
			"<</Type/Catalog/Pages %v/Lang(en)/MarkInfo<</Marked true>>/StructTreeRoot "+
				"%v/Metadata %v/ViewerPreferences<</DisplayDocTitle true>>>>",
			pages, structure, f.AddRaw("/Type/Metadata/Subtype/XML", about.xmp())))
	return f.Bytes(catalog, f.Add(about.dictionary()))
}
