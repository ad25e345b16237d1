// Package packagekind tells what kind of file a user has sent where a course or a quiz is asked
// for, so that a file of another program is refused by its name and with what to do.
package packagekind

import "fmt"

// Kind is a kind of file.
type Kind struct {
	// name follows "is". It is "" for a kind that is not known.
	name string
	// course and quiz say what to do where a course or a quiz is asked for. They are "" for kinds
	// for which general advice is right.
	course, quiz string
}

// The advice that several kinds have.
const (
	exportCourse = "export the course as an IMS Common Cartridge 1.1, 1.2 or 1.3, or as a package of " +
		"this platform"
	exportQuiz  = "export the quiz as QTI 1.2"
	uploadFile  = "upload it as the file of a lecture"
	importThere = "import it where courses are imported"
	quizThere   = "import it in the quiz of a chapter"
)

// The kinds of files that are told from one another.
var (
	Unknown   = &Kind{}
	Course    = &Kind{name: "a course package of this platform", quiz: importThere}
	Cartridge = &Kind{name: "a course (an IMS Common Cartridge)", quiz: importThere}
	Quiz      = &Kind{name: "a quiz (QTI 1.2)", course: quizThere}

	SCORM = &Kind{name: "a SCORM package, which is a program and no text"}
	XAPI  = &Kind{name: "an xAPI (Tin Can) or cmi5 package, which is a program and no text"}
	H5P   = &Kind{name: "an H5P package, which is a program and no text"}
	AICC  = &Kind{name: "an AICC package, which is a program and no text"}

	QTI2 = &Kind{name: "in the form QTI 2, which is not read", course: exportCourse +
		", with its quizzes as QTI 1.2"}
	QTI3 = &Kind{name: "in the form QTI 3, which is not read", course: exportCourse +
		", with its quizzes as QTI 1.2"}
	MoodleBackup = &Kind{name: "a Moodle backup", course: "in Moodle choose “IMS Common Cartridge” " +
		"when you back up the course", quiz: "in Moodle back up the course as an IMS Common " +
		"Cartridge, and import the quiz of that"}
	MoodleXML = &Kind{name: "Moodle XML, which is not read", quiz: "in Moodle back up the course as " +
		"an IMS Common Cartridge, and import the quiz of that", course: "in Moodle choose “IMS " +
		"Common Cartridge” when you back up the course"}
	Gift = &Kind{name: "a text in the form GIFT, which is not read", quiz: exportQuiz +
		", or import it into a program that does"}
	Aiken = &Kind{name: "a text in the form Aiken, which is not read", quiz: exportQuiz +
		", or import it into a program that does"}
	BlackboardPackage = &Kind{name: "a package of Blackboard", course: "in Blackboard export the " +
		"course as a Common Cartridge", quiz: "in Blackboard export one test or pool"}
	BlackboardPool = &Kind{name: "a pool of an early Blackboard, which is not read",
		quiz: "export it from Blackboard 7 or later, or as QTI 1.2"}
	BrightspacePackage = &Kind{name: "a package of Brightspace", course: "in Brightspace export the " +
		"course as an IMS Common Cartridge", quiz: "send the file of the zip whose name begins with " +
		"“quiz_”"}
	ContentPackage = &Kind{name: "an IMS Content Package, and no Common Cartridge"}
	OpenEdX        = &Kind{name: "a course of Open edX, which is not read"}
	CanvasSettings = &Kind{name: "the settings of a quiz of Canvas without its questions",
		quiz: "send the whole zip that Canvas has exported"}
	Manifest = &Kind{name: "the list of a package without the package",
		course: "send the whole zip", quiz: "send the whole zip"}
	Folder = &Kind{name: "a zip with a folder around the files of a package",
		course: "make the zip of the files in the folder, without the folder",
		quiz:   "make the zip of the files in the folder, without the folder"}

	Word        = &Kind{name: "a document of Word or another word processor"}
	Spreadsheet = &Kind{name: "a spreadsheet"}
	CSV         = &Kind{name: "a table (CSV), which is not read"}
	Slides      = &Kind{name: "a presentation"}
	EPUB        = &Kind{name: "an e-book (EPUB)"}
	PDF         = &Kind{name: "a PDF"}
	WebPage     = &Kind{name: "a web page"}
	JSON        = &Kind{name: "JSON, which is not read"}
	RTF         = &Kind{name: "a document in RTF"}
	Image       = &Kind{name: "an image"}
	Media       = &Kind{name: "a video or an audio"}
	Archive     = &Kind{name: "an archive that is no zip", course: "make it a zip",
		quiz: "send the XML file that is in it"}
	Zip = &Kind{name: "a zip", course: exportCourse, quiz: "send the QTI 1.2 file, or a zip that " +
		"holds one"}
	XML  = &Kind{name: "XML of another kind"}
	Text = &Kind{name: "a text"}
)

// isFile reports whether the kind is one of documents that are uploaded as the file of a lecture.
func (k *Kind) isFile() bool {
	switch k {
	case Word, Spreadsheet, Slides, PDF, Image, Media:
		return true
	}
	return false
}

// ForCourse returns what a file is and what to do where a course is asked for. The text follows the
// name of the file, such as "it". It is "" for a kind that is not known, and for courses.
func (k *Kind) ForCourse() string {
	switch {
	case k == Unknown || k == Course || k == Cartridge:
		return ""
	case k.course != "":
		return fmt.Sprintf("is %s: %s", k.name, k.course)
	case k.isFile():
		return fmt.Sprintf("is %s, and no course: %s", k.name, uploadFile)
	}
	return fmt.Sprintf("is %s: %s", k.name, exportCourse)
}

// ForQuiz returns what a file is and what to do where a quiz is asked for. The text follows the
// name of the file, such as "the file". It is "" for a kind that is not known, and for quizzes.
func (k *Kind) ForQuiz() string {
	switch {
	case k == Unknown || k == Quiz:
		return ""
	case k.quiz != "":
		return fmt.Sprintf("is %s: %s", k.name, k.quiz)
	}
	return fmt.Sprintf("is %s: %s", k.name, exportQuiz)
}
