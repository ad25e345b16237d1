package cartridge

import (
	"strconv"

	"github.com/openlectern/openlectern/internal/safezip"
)

// section is a section of a QTI 1.2 assessment, which may have sections itself.
type section struct {
	Items    []struct{} `xml:"item"`
	Sections []section  `xml:"section"`
}

func (s section) questions() int {
	n := len(s.Items)
	for _, inner := range s.Sections {
		n += inner.questions()
	}
	return n
}

// countQuestions returns the number of questions of a QTI 1.2 assessment or question bank.
func countQuestions(file *safezip.File) (int, error) {
	var qti struct {
		Sections []section  `xml:"assessment>section"`
		Banks    []section  `xml:"objectbank"`
		Items    []struct{} `xml:"item"`
	}
	if err := decodeXML(file, &qti); err != nil {
		return 0, err
	}
	return section{qti.Items, append(qti.Sections, qti.Banks...)}.questions(), nil
}

// counted returns a number with a noun.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// named returns a name for a message.
func named(name string) string { return strconv.Quote(text(name, maxTitle)) }
