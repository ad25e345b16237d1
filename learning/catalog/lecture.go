package catalog

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// ErrInvalidLecture is the public failure of lectures.
var ErrInvalidLecture = &core.Error{Kind: core.Invalid, Code: "invalid_lecture",
	Message: "Invalid lecture for this course"}

// LectureKind says what a lecture is (docs/api.md §18).
type LectureKind string

// The kinds of lectures. A lecture that was stored without a kind is a video with a URL.
const (
	KindVideo LectureKind = "video"
	KindAudio LectureKind = "audio"
	KindText  LectureKind = "text"
	KindFile  LectureKind = "file"
	KindEmbed LectureKind = "embed" // a page of another site
	// KindAssignment is work that students submit and educators grade.
	KindAssignment LectureKind = "assignment"
)

// LectureKinds are the kinds of lectures.
var LectureKinds = []LectureKind{KindVideo, KindAudio, KindText, KindFile, KindEmbed,
	KindAssignment}

// Limits of a lecture (docs/api.md §18). Lengths count code points.
const (
	MaxLectureText    = 100_000
	MaxAttachments    = 20
	MaxCaptions       = 20
	MaxLanguage       = 35 // of captions; the longest tag that RFC 5646 asks programs to support
	MaxCaptionLabel   = 100
	MaxAttachmentName = 200
	// MaxCourseText is the size of the texts of all lectures of a course together, in bytes.
	MaxCourseText = 16 << 20
)

// Caption is a WebVTT file with the subtitles of a lecture in a language.
type Caption struct {
	Language string // a BCP 47 tag, such as pt-BR
	Label    string // for people, such as Português
	FileID   string
	URL      string // signed; "" if the caller has no access to the lecture
}

// Attachment is a file that belongs to a lecture.
type Attachment struct {
	Title  string
	FileID string
	Type   string // of the file; "" if the caller has no access to the lecture
	Size   int64  // in bytes; 0 if the caller has no access to the lecture
	URL    string // as that of a Caption
}

// HasMaterial reports whether the lecture has a kind, which lectures of before have not.
func (l Lecture) HasMaterial() bool { return l.Kind != "" }

// hasMaterial reports whether a course has a lecture with a kind.
func hasMaterial(content []Chapter) bool {
	return slices.ContainsFunc(content, func(ch Chapter) bool {
		return slices.ContainsFunc(ch.Lectures, Lecture.HasMaterial)
	})
}

// material returns the lecture with what follows from its kind:
//
//	kind          needs                        may have beside captions and attachments
//	""            lectureUrl                   nothing: it is a lecture as before
//	video, audio  a file or lectureUrl         text
//	text                                       text
//	file          a file                       text
//	embed         lectureUrl of a known host   text
//	assignment    an assignment                text
//
// A URL beside a file is dropped, because editors send back the one that they were shown. A lecture
// without a kind that has material is a video. It returns an error for a lecture that is not
// valid.
func (l Lecture) material(embedHosts map[string]bool) (Lecture, error) {
	if l.Kind == "" {
		if l.FileID == "" && len(l.Captions) == 0 && len(l.Attachments) == 0 && l.Text == nil &&
			l.Assignment == nil {
			return l, core.Require(text.IsWebURL(l.URL), urlField, text.WebURLRule)
		}
		l.Kind = KindVideo
	}
	if l.FileID != "" || l.Kind == KindText || l.Kind == KindAssignment {
		l.URL = ""
	}
	l.Captions, l.Attachments = sentCaptions(l.Captions), sentAttachments(l.Attachments)
	err := cmp.Or(l.checkKind(embedHosts), l.checkFiles())
	if err == nil && l.Assignment != nil {
		l.Assignment, err = l.Assignment.normal()
		err = core.InField("assignment", err)
	}
	if err == nil && l.Text != nil {
		err = core.RequireText("text", *l.Text, 0, MaxLectureText)
	}
	return l, err
}

// The fields of a lecture that its kind decides about.
const (
	urlField    = "lectureUrl"
	fileIDField = "fileId"
)

// checkKind returns an error unless the lecture has what its kind needs, and nothing that excludes
// it.
func (l Lecture) checkKind(embedHosts map[string]bool) error {
	isAssignment := l.Kind == KindAssignment
	if !isAssignment && l.Assignment != nil {
		return core.InvalidField("assignment", "belongs to a lecture of the kind assignment")
	}
	noFile := core.Require(l.FileID == "", fileIDField, "does not belong to a lecture of this kind")
	switch l.Kind {
	case KindVideo, KindAudio:
		return core.Require(l.FileID != "" || text.IsWebURL(l.URL), urlField,
			text.WebURLRule+", unless the lecture has a file")
	case KindText:
		return noFile
	case KindFile:
		return core.Require(l.FileID != "", fileIDField, "is required for a lecture of this kind")
	case KindEmbed:
		return cmp.Or(noFile, core.Require(isEmbedURL(l.URL, embedHosts), urlField,
			"must be an https URL of YouTube, Vimeo or another host that the server allows"))
	case KindAssignment:
		return cmp.Or(noFile, core.Require(l.Assignment != nil, "assignment",
			"is required for a lecture of this kind"))
	}
	return core.InvalidField("kind", "must be a known kind of a lecture")
}

// sentCaptions returns captions without what answers add to them, because editors send that back.
func sentCaptions(shown []Caption) []Caption {
	sent := slices.Clone(shown)
	for i := range sent {
		sent[i].URL = ""
	}
	return sent
}

// sentAttachments returns attachments without what answers add to them.
func sentAttachments(shown []Attachment) []Attachment {
	sent := slices.Clone(shown)
	for i, a := range sent {
		sent[i] = Attachment{Title: a.Title, FileID: a.FileID}
	}
	return sent
}

// checkFiles returns an error if the file, a caption or an attachment is not within the limits. It
// does not look at the files.
func (l Lecture) checkFiles() error {
	caption := func(c Caption) error {
		return cmp.Or(core.Require(isLanguage(c.Language), "language", "must be a BCP 47 tag"),
			core.RequireText("label", c.Label, 1, MaxCaptionLabel), checkFileID(c.FileID))
	}
	attachment := func(a Attachment) error {
		return cmp.Or(core.RequireText("title", a.Title, 1, MaxAttachmentName),
			checkFileID(a.FileID))
	}
	if l.FileID != "" {
		if err := checkFileID(l.FileID); err != nil {
			return err
		}
	}
	return cmp.Or(core.RequireAtMost("captions", l.Captions, MaxCaptions),
		core.RequireAtMost("attachments", l.Attachments, MaxAttachments),
		core.EachIn("captions", l.Captions, caption),
		core.EachIn("attachments", l.Attachments, attachment))
}

// checkFileID returns an error if no file can have the id.
func checkFileID(id string) error {
	return core.Require(text.ValidID(id, text.MaxID), fileIDField, "must be the id of a file")
}

// isLanguage reports whether s has the form of a BCP 47 tag: parts of 1 to 8 letters and digits.
func isLanguage(s string) bool {
	isOther := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}
	for part := range strings.SplitSeq(s, "-") {
		if part == "" || len(part) > 8 || strings.ContainsFunc(part, isOther) {
			return false
		}
	}
	return len(s) <= MaxLanguage
}

// knownEmbedHosts are the hosts of YouTube and Vimeo.
var knownEmbedHosts = map[string]bool{
	"youtube.com": true, "www.youtube.com": true, "m.youtube.com": true, "youtu.be": true,
	"youtube-nocookie.com": true, "www.youtube-nocookie.com": true,
	"vimeo.com": true, "www.vimeo.com": true, "player.vimeo.com": true,
}

// isEmbedURL reports whether s is an https URL of one of the hosts, without a port and a user.
func isEmbedURL(s string, hosts map[string]bool) bool {
	u, err := url.Parse(s)
	return err == nil && text.IsWebURL(s) && u.Scheme == "https" && u.User == nil &&
		hosts[strings.ToLower(u.Host)]
}

// IsEmbedURL reports whether lectures may embed the page of a URL.
func (s *ForRooms) IsEmbedURL(pageURL string) bool {
	return isEmbedURL(pageURL, s.embedHosts)
}

// IsValidLecture reports whether a new course may have a lecture, except for its id.
func (s *ForRooms) IsValidLecture(l Lecture) bool {
	_, err := l.material(s.embedHosts)
	return err == nil && l.check() == nil
}

// isHost reports whether s is the name of a host in lower case, without a port.
func isHost(s string) bool {
	u, err := url.Parse("https://" + s + "/")
	return err == nil && s != "" && u.Host == s && u.Port() == "" && strings.ToLower(s) == s &&
		!strings.HasSuffix(s, ":")
}

// FileIDs returns the ids of the files that lectures use, each once and in order.
func FileIDs(content []Chapter) []string {
	var ids []string
	for _, ch := range content {
		for _, l := range ch.Lectures {
			if l.FileID != "" {
				ids = append(ids, l.FileID)
			}
			for _, c := range l.Captions {
				ids = append(ids, c.FileID)
			}
			for _, a := range l.Attachments {
				ids = append(ids, a.FileID)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// captionFileIDs returns the ids of the files of captions.
func captionFileIDs(content []Chapter) map[string]bool {
	ids := map[string]bool{}
	for _, ch := range content {
		for _, l := range ch.Lectures {
			for _, c := range l.Captions {
				ids[c.FileID] = true
			}
		}
	}
	return ids
}

// keepMaterial gives a lecture that is sent without a kind the material of the stored one, so that
// an editor which does not know of material leaves it as it is. A text is kept whenever none is
// sent.
func (l Lecture) keepMaterial(stored Lecture) Lecture {
	if l.Kind != "" || !stored.HasMaterial() {
		return l
	}
	l.Kind, l.FileID = stored.Kind, stored.FileID
	l.Captions, l.Attachments = stored.Captions, stored.Attachments
	l.Assignment = stored.Assignment
	return l
}

// LecturesByID returns the lectures of a content by their ids.
func LecturesByID(content []Chapter) map[string]Lecture {
	all := map[string]Lecture{}
	for _, ch := range content {
		for _, l := range ch.Lectures {
			all[l.ID] = l
		}
	}
	return all
}

// equal reports whether two lectures are stored alike. It does not compare their texts.
func (l Lecture) equal(other Lecture) bool {
	captions, attachments := l.Captions, l.Attachments
	isSame := l.ID == other.ID && l.Order == other.Order && l.Title == other.Title &&
		l.Minutes == other.Minutes && l.URL == other.URL && l.PreviewFree == other.PreviewFree &&
		l.Kind == other.Kind && l.FileID == other.FileID
	return isSame && slices.Equal(captions, other.Captions) &&
		slices.Equal(attachments, other.Attachments) && l.Assignment.equal(other.Assignment)
}

// IsContentID reports whether a stored chapter or lecture can have the id. The id of a new one must
// also be usable in a path: see ids.take.
func IsContentID(id string) bool { return text.Is(id, 1, MaxContentID) }
