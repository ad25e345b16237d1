// Package cartridge reads IMS Common Cartridges 1.1, 1.2 and 1.3 as descriptions of courses. It
// reads files, web pages, which become Markdown, web links and quizzes. What it does not read, such
// as discussions, it lists with the reason.
package cartridge

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/safezip"
)

// Name is the entry of a cartridge that says what it has.
const Name = "imsmanifest.xml"

// The lengths of texts, in code points. Longer ones are cut.
const (
	maxTitle       = 200
	maxDescription = 20_000
)

// Reader reads cartridges.
type Reader struct {
	// IsEmbed reports whether lectures may embed a page with a URL.
	IsEmbed func(url string) bool
	// MaxText is the length of the longest text of a lecture, in code points.
	MaxText int
	// MaxAttachments is how many attachments a lecture may have.
	MaxAttachments int
}

// manifest is imsmanifest.xml. The names of elements count without their name spaces, which differ
// between the versions.
type manifest struct {
	Base         string   `xml:"base,attr"`
	Schema       string   `xml:"metadata>schema"`
	Version      string   `xml:"metadata>schemaversion"`
	Titles       []string `xml:"metadata>lom>general>title>string"`
	Descriptions []string `xml:"metadata>lom>general>description>string"`
	Items        []item   `xml:"organizations>organization>item"`
	Resources    struct {
		Base string     `xml:"base,attr"`
		List []resource `xml:"resource"`
	} `xml:"resources"`
}

// item is a folder, or a place in the course that shows a resource.
type item struct {
	Title string `xml:"title"`
	Ref   string `xml:"identifierref,attr"`
	Items []item `xml:"item"`
}

// resource is something that the cartridge has.
type resource struct {
	ID    string `xml:"identifier,attr"`
	Type  string `xml:"type,attr"`
	Base  string `xml:"base,attr"`
	Href  string `xml:"href,attr"`
	Files []struct {
		Href string `xml:"href,attr"`
	} `xml:"file"`
}

// cartridge is a cartridge that is being read.
type cartridge struct {
	Reader
	budget    *budget.Budget
	archive   *safezip.Archive
	base      string
	resources map[string]resource
	course    coursepackage.Course
	skipped   []coursepackage.Skipped
	isUsed    map[string]bool          // by the paths of files
	isShown   map[string]bool          // by the ids of resources
	quizSize  int64                    // of the quizzes that were read, in bytes
	pages     map[string]convertedPage // by the paths of their files
}

// Read reads a cartridge as the description of a course, whose files are entries of the archive. It
// takes what it needs from the budget. A refusal is a [*safezip.Error].
func (r Reader) Read(
	b *budget.Budget, a *safezip.Archive,
) (coursepackage.Course, []coursepackage.Skipped, error) {
	// Read the manifest.
	c := &cartridge{Reader: r, budget: b, archive: a, resources: map[string]resource{},
		isUsed: map[string]bool{}, isShown: map[string]bool{}}
	var m manifest
	if err := c.decodeXML(a.File(Name), &m); err != nil {
		return coursepackage.Course{}, nil, err
	}
	if !isSupported(m.Schema, m.Version) {
		return coursepackage.Course{}, nil, refuse("its imsmanifest.xml is not that of an IMS " +
			"Common Cartridge 1.1, 1.2 or 1.3: export the course as one of these")
	}
	c.base = join(m.Base, m.Resources.Base)
	for _, res := range m.Resources.List {
		c.resources[res.ID] = res
	}
	c.course.Title = text(first(m.Titles), maxTitle)
	if c.course.Title == "" {
		c.course.Title = "Imported course"
	}
	c.course.Description = text(first(m.Descriptions), maxDescription)

	// The item at the top is the course itself, without a title or with that of the course. In some
	// cartridges it is missing.
	items := m.Items
	if len(items) == 1 && items[0].Ref == "" {
		if title := text(items[0].Title, maxTitle); title == "" || title == c.course.Title {
			items = items[0].Items
		}
	}
	if err := c.walk(nil, items); err != nil {
		return coursepackage.Course{}, nil, err
	}
	c.skipRest(m.Resources.List)
	return c.course, c.skipped, nil
}

// isSupported reports whether a manifest is that of a cartridge that can be read.
func isSupported(schema, version string) bool {
	schema, version = strings.TrimSpace(schema), strings.TrimSpace(version)
	isCartridge := schema == "IMS Common Cartridge" || schema == "IMS Thin Common Cartridge"
	return isCartridge && slices.ContainsFunc([]string{"1.1", "1.2", "1.3"}, func(v string) bool {
		return version == v || strings.HasPrefix(version, v+".")
	})
}

// walk adds items, in their order. folders are the titles of the folders around them. Items that
// follow one another in a folder are a chapter.
func (c *cartridge) walk(folders []string, items []item) error {
	isOpen := false // the last chapter is that of this folder
	for _, it := range items {
		if res := c.resources[it.Ref]; isQuiz(res) {
			isOpen = false // a quiz is a chapter
			if err := c.quiz(folders, it, res); err != nil {
				return err
			}
		} else if it.Ref != "" {
			l, isRead, err := c.lecture(it)
			if err != nil {
				return err
			}
			if isRead {
				if !isOpen {
					c.course.Chapters = append(c.course.Chapters,
						coursepackage.Chapter{Title: c.chapterTitle(folders)})
				}
				last := &c.course.Chapters[len(c.course.Chapters)-1]
				last.Lectures, isOpen = append(last.Lectures, l), true
			}
		}
		if len(it.Items) > 0 {
			inner := folders
			if title := text(it.Title, maxTitle); title != "" {
				inner = append(slices.Clone(folders), title)
			}
			before := len(c.course.Chapters)
			if err := c.walk(inner, it.Items); err != nil {
				return err
			}
			isOpen = isOpen && len(c.course.Chapters) == before
		}
	}
	return nil
}

// chapterTitle returns the title of the chapter of a folder.
func (c *cartridge) chapterTitle(folders []string) string {
	if len(folders) == 0 {
		return c.course.Title
	}
	return text(strings.Join(folders, " – "), maxTitle)
}

// skip notes that something is not imported.
func (c *cartridge) skip(what, why string) {
	c.skipped = append(c.skipped, coursepackage.Skipped{What: what, Why: why})
}

// lecture returns the lecture that shows the resource of an item. isRead is false if it is skipped.
func (c *cartridge) lecture(it item) (l coursepackage.Lecture, isRead bool, err error) {
	l.Title = text(it.Title, maxTitle)
	res, found := c.resources[it.Ref]
	if !found {
		c.skip("item "+named(l.Title), "the cartridge has no resource "+named(it.Ref))
		return l, false, nil
	}
	file := c.fileOf(l.Title, res)
	if file == nil {
		return l, false, nil
	}
	if l.Title == "" {
		l.Title = text(path.Base(file.Name), maxTitle)
	}

	// The types differ between the versions by their ends.
	switch kind := strings.ToLower(strings.TrimSpace(res.Type)); {
	case kind == "webcontent":
		c.isUsed[file.Name] = true
		return c.webContent(l, file)
	case strings.HasPrefix(kind, "imswl_"):
		return c.webLink(l, file)
	case strings.HasPrefix(kind, "imsdt_"):
		c.skip("discussion "+named(l.Title), "discussions are not imported")
	case strings.HasPrefix(kind, "imsbasiclti_"):
		c.skip("tool "+named(l.Title), "external tools are not imported")
	default:
		c.skip("item "+named(l.Title), "resources of the type "+named(res.Type)+
			" are not imported")
	}
	return l, false, nil
}

// fileOf returns the file of a resource that an item with a title shows. If the cartridge does not
// have it, the item is skipped.
func (c *cartridge) fileOf(title string, res resource) *safezip.File {
	c.isShown[res.ID] = true
	file := c.entry(res, res.Href)
	if file == nil && len(res.Files) > 0 {
		file = c.entry(res, res.Files[0].Href)
	}
	if file == nil {
		c.skip("item "+named(title), "the cartridge does not have its file")
	}
	return file
}

// webContent returns the lecture of a file: a page becomes a text.
func (c *cartridge) webContent(
	l coursepackage.Lecture, file *safezip.File,
) (coursepackage.Lecture, bool, error) {
	switch strings.ToLower(path.Ext(file.Name)) {
	case ".html", ".htm", ".xhtml":
		l, why, err := c.page(l, file)
		if why != "" {
			c.skip("page "+named(l.Title), why)
		}
		return l, err == nil && why == "", err
	case ".mp4", ".m4v", ".webm":
		l.Kind = "video"
	case ".mp3", ".m4a", ".ogg":
		l.Kind = "audio"
	default:
		l.Kind = "file"
	}
	l.File = file.Name
	return l, true, nil
}

// webLink returns the lecture of a link: an embedded page where that is allowed, or else a text
// with the link.
func (c *cartridge) webLink(
	l coursepackage.Lecture, file *safezip.File,
) (coursepackage.Lecture, bool, error) {
	var link struct {
		URL struct {
			Href string `xml:"href,attr"`
		} `xml:"url"`
	}
	if err := c.decodeXML(file, &link); err != nil {
		return l, false, err
	}
	address := strings.TrimSpace(link.URL.Href)
	switch u, err := url.Parse(address); {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		c.skip("link "+named(l.Title), "it is no http or https URL")
		return l, false, nil
	case c.IsEmbed(address):
		l.Kind, l.URL = "embed", address
	default:
		l.Kind, l.Text = "text", markdownLink(l.Title, u.String())
	}
	return l, true, nil
}

// skipRest notes the resources that no item shows and no page links to.
func (c *cartridge) skipRest(list []resource) {
	files := 0
	for _, res := range list {
		switch {
		case c.isShown[res.ID]:
		case strings.EqualFold(strings.TrimSpace(res.Type), "webcontent"):
			if f := c.entry(res, res.Href); f == nil || !c.isUsed[f.Name] {
				files++
			}
		default:
			c.skip("resource "+named(res.ID), "no item of the course shows it")
		}
	}
	if files > 0 {
		c.skip(counted(files, "file"), "no item of the course shows them, and no page links to them")
	}
}

// entry returns the file with a reference of a resource; nil if the archive does not have it.
func (c *cartridge) entry(res resource, href string) *safezip.File {
	return c.resolve(join(c.base, res.Base), href)
}

// resolve returns the file that a reference from a folder leads to; nil if there is none. A
// reference never leads out of the archive, because it is only looked up there.
func (c *cartridge) resolve(folder, href string) *safezip.File {
	href, _, _ = strings.Cut(href, "#")
	href, _, _ = strings.Cut(href, "?")
	if unescaped, err := url.PathUnescape(href); err == nil && c.archive.File(href) == nil {
		href = unescaped
	}
	// This token stands for the folder of the files.
	if rest, found := strings.CutPrefix(href, "$IMS-CC-FILEBASE$"); found {
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, "/"), "../")
		if f := c.archive.File(path.Join("web_resources", rest)); f != nil {
			return f
		}
		return c.archive.File(path.Clean(rest))
	}
	if href == "" {
		return nil
	}
	return c.archive.File(join(folder, href))
}

// join joins the base of a reference with the reference.
func join(base, href string) string {
	if href == "" {
		return base
	}
	return path.Join(base, href)
}

// first returns the first of a list that is not empty.
func first(list []string) string {
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}

// text returns a text on one line without outer space, cut to a length.
func text(s string, longest int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > longest {
		s = string([]rune(s)[:longest])
	}
	return s
}
