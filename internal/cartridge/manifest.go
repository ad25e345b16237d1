package cartridge

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/safexml"
)

// What a manifest may have. An archive has at most 10,000 entries.
const (
	maxItems      = 20_000
	maxResources  = 20_000
	maxReferences = 50_000 // files and dependencies of all resources together
)

// manifest is imsmanifest.xml. The names of elements count without their name spaces, which differ
// between the versions.
type manifest struct {
	base, resourceBase string
	schema, version    string
	title, description string
	items              []item
	resources          []resource
}

// item is a folder, or a place in the course that shows a resource.
type item struct {
	id    string
	title string
	ref   string // the id of the resource, or ""
	items []item
}

// manifestReader reads a manifest token by token, so that its parts are counted before they are
// built: as a tree of elements it takes a hundred times its own size.
type manifestReader struct {
	manifest
	path  []string // the names of the elements that are open
	open  []item   // the items that are open, the innermost last
	text  strings.Builder
	items int
	refs  int
}

// readManifest reads a manifest, whose bytes were taken from the budget.
func readManifest(b *budget.Budget, data []byte) (manifest, error) {
	in, err := safexml.NewReader(b, data)
	if err != nil {
		return manifest{}, err
	}
	m := &manifestReader{}
	for isEmpty := true; ; {
		token, err := in.Token()
		if errors.Is(err, io.EOF) && isEmpty {
			return manifest{}, &safexml.Error{Reason: "is not valid XML (it has no element): export it anew"}
		}
		if errors.Is(err, io.EOF) {
			return m.manifest, nil
		}
		if err != nil {
			return manifest{}, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			isEmpty, m.path = false, append(m.path, t.Name.Local)
			m.text.Reset()
			if err := m.start(t); err != nil {
				return manifest{}, err
			}
		case xml.CharData:
			if m.text.Len() < 4*maxDescription {
				m.text.Write(t)
			}
		case xml.EndElement:
			m.end()
			m.path = m.path[:len(m.path)-1]
		}
	}
}

// is reports whether the innermost open elements have names, the last one last.
func (m *manifestReader) is(names ...string) bool {
	n := len(m.path) - len(names)
	return n >= 0 && slices.Equal(m.path[n:], names)
}

// start reads the start of an element.
func (m *manifestReader) start(e xml.StartElement) error {
	attr := func(name string) string {
		for _, a := range e.Attr {
			if a.Name.Local == name {
				return a.Value
			}
		}
		return ""
	}
	short := func(name string) string { // a reference or a type, which are looked at often
		value := attr(name)
		return value[:min(len(value), maxReference)]
	}
	switch {
	case len(m.path) == 1:
		m.base = short("base")
	case m.is("manifest", "resources"):
		m.resourceBase = short("base")
	case m.is("organization", "item"), m.is("item", "item"):
		if m.items++; m.items > maxItems {
			return tooMany(maxItems, "items")
		}
		m.open = append(m.open, item{id: attr("identifier"), ref: attr("identifierref")})
	case m.is("resources", "resource"):
		if len(m.resources) == maxResources {
			return tooMany(maxResources, "resources")
		}
		m.resources = append(m.resources, resource{id: attr("identifier"), kind: short("type"),
			base: short("base"), href: short("href")})
	case m.is("resources", "resource", "file"), m.is("resources", "resource", "dependency"):
		if m.refs++; m.refs > maxReferences {
			return tooMany(maxReferences, "files")
		}
		res := &m.resources[len(m.resources)-1]
		if e.Name.Local == "file" {
			res.files = append(res.files, short("href"))
		} else {
			res.dependencies = append(res.dependencies, attr("identifierref"))
		}
	}
	return nil
}

// end reads the end of an element. Of several texts the first one that is not empty counts.
func (m *manifestReader) end() {
	set := func(to *string, longest int) {
		if *to == "" {
			*to = text(m.text.String(), longest)
		}
	}
	switch {
	case m.is("metadata", "schema"):
		set(&m.schema, maxTitle)
	case m.is("metadata", "schemaversion"):
		set(&m.version, maxTitle)
	case m.is("lom", "general", "title", "string") && len(m.path) == 6:
		set(&m.title, maxTitle)
	case m.is("lom", "general", "description", "string") && len(m.path) == 6:
		set(&m.description, maxDescription)
	case m.is("item", "title") && len(m.open) > 0:
		set(&m.open[len(m.open)-1].title, maxTitle)
	case (m.is("organization", "item") || m.is("item", "item")) && len(m.open) > 0:
		last := m.open[len(m.open)-1]
		m.open = m.open[:len(m.open)-1]
		to := &m.manifest.items
		if len(m.open) > 0 {
			to = &m.open[len(m.open)-1].items
		}
		*to = append(*to, last)
	}
	m.text.Reset()
}

func tooMany(most int, name string) error {
	return &safexml.Error{Reason: fmt.Sprintf("has more than %d %s: split the course", most, name)}
}
