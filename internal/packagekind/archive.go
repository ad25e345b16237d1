package packagekind

import (
	"io"
	"path"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/safexml"
	"github.com/openlectern/openlectern/internal/safezip"
)

// maxDocuments is how many entries of a zip are looked at.
const maxDocuments = 2_000

// The entries that tell what a zip is.
var entries = []struct {
	name string
	kind *Kind
}{
	{"course.json", Course}, {"moodle_backup.xml", MoodleBackup}, {"tincan.xml", XAPI},
	{"cmi5.xml", XAPI}, {"h5p.json", H5P}, {"word/document.xml", Word},
	{"xl/workbook.xml", Spreadsheet}, {"ppt/presentation.xml", Slides},
	{"META-INF/container.xml", EPUB}, {"course/course.xml", OpenEdX},
}

const manifest = "imsmanifest.xml"

// OfArchive returns the kind of a zip.
func OfArchive(a *safezip.Archive) *Kind {
	for _, e := range entries {
		if a.File(e.name) != nil {
			return e.kind
		}
	}
	if f := a.File(manifest); f != nil {
		if k := ofManifest(f); k != nil {
			return k
		}
		if len(Quizzes(a)) > 0 {
			return Quiz
		}
		return ContentPackage
	}
	if f := a.File("mimetype"); f != nil {
		return ofMimetype(string(head(f, HeadSize)))
	}
	if len(Quizzes(a)) > 0 {
		return Quiz
	}
	return ofNames(a)
}

// ofManifest returns the kind of a package by its manifest; nil if the manifest does not tell.
func ofManifest(f *safezip.File) *Kind {
	const longest = 1 << 20
	text := strings.ToLower(strings.ReplaceAll(string(head(f, longest)), "\x00", "")) // of UTF-16
	has := func(part string) bool { return strings.Contains(text, part) }
	switch {
	case has("adl scorm"), has("adlcp"), has("scormtype"), has("adl_cp_"):
		return SCORM
	case has("ims common cartridge"), has("ims thin common cartridge"):
		return Cartridge
	case has("imsqti_item_xmlv2"), has("imsqti_test_xmlv2"), has("imsqti_v2"), has("xsd/imsqti_v2"):
		return QTI2
	case has("imsqtiasi_v3"), has("imsqti_item_xmlv3"), has("imsqti_test_xmlv3"):
		return QTI3
	case has("assessment/x-bb-qti-test"), has("assessment/x-bb-qti-pool"):
		if has("course/x-bb-coursesetting") && has("resource/x-bb-document") {
			return BlackboardPackage
		}
		return nil // a test or a pool, by its documents
	case has("x-bb-"), has("www.blackboard.com"):
		return BlackboardPackage
	case has("d2l_2p0:material_type=\"orgunitconfig\""), has("d2lcoursefile"),
		has("material_type=\"content\""):
		return BrightspacePackage
	}
	return nil
}

// ofMimetype returns the kind of a document of OpenDocument or of a book.
func ofMimetype(mimetype string) *Kind {
	switch {
	case strings.Contains(mimetype, "opendocument.text"):
		return Word
	case strings.Contains(mimetype, "opendocument.spreadsheet"):
		return Spreadsheet
	case strings.Contains(mimetype, "opendocument.presentation"):
		return Slides
	case strings.Contains(mimetype, "epub"):
		return EPUB
	}
	return Zip
}

// ofNames returns the kind of a zip without an entry that tells it at the top.
func ofNames(a *safezip.Archive) *Kind {
	for i, f := range a.Files() {
		if i == maxDocuments {
			break
		}
		switch folder, name := path.Split(f.Name); {
		case strings.Count(folder, "/") == 1 && (name == manifest || name == "course.json" ||
			name == "moodle_backup.xml"):
			return Folder
		case strings.EqualFold(path.Ext(name), ".au") || strings.EqualFold(path.Ext(name), ".crs"):
			return AICC
		case isDocument(name):
			if k := OfContent(head(f, HeadSize)); k == QTI2 || k == QTI3 || k == MoodleXML ||
				k == BlackboardPool {
				return k
			}
		}
	}
	return Zip
}

// Quizzes returns the documents of QTI 1.2 in a zip, in the order of their names.
func Quizzes(a *safezip.Archive) (list []*safezip.File) {
	looked := 0
	for _, f := range a.Files() {
		if !isDocument(f.Name) || f.Size > safexml.MaxSize || path.Base(f.Name) == manifest {
			continue
		}
		if looked++; looked > maxDocuments {
			break
		}
		if OfContent(head(f, HeadSize)) == Quiz {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(x, y *safezip.File) int { return strings.Compare(x.Name, y.Name) })
	return list
}

// IsBank reports whether a document of QTI 1.2 holds questions without a quiz.
func IsBank(f *safezip.File) bool {
	for _, start := range startOf(head(f, HeadSize)) {
		if start.Name.Local == "objectbank" {
			return true
		}
	}
	return false
}

// isDocument reports whether an entry may be an XML document. Blackboard names them .dat.
func isDocument(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".xml", ".qti", ".dat":
		return !strings.HasPrefix(name, "__MACOSX/") && !strings.HasPrefix(path.Base(name), "._")
	}
	return false
}

// head returns the beginning of an entry, or what can be read of it.
func head(f *safezip.File, size int64) []byte {
	in := f.Open()
	defer in.Close()
	data, _ := io.ReadAll(io.LimitReader(in, size))
	return data
}
