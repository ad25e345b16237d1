package httpapi

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

const (
	// maxCourseData is the largest courseData part, and the largest JSON of an edit, in bytes
	// (docs/api.md §5).
	maxCourseData = 1 << 20
	// maxUpload is the largest upload: both parts and the multipart syntax. It has room for an
	// image that is a little too large, so that such an image gets its own message.
	maxUpload = maxCourseData + file.MaxThumbnail + 1<<20
)

// newCourse is the courseData part of an upload. The platform checks the decimals of prices.
// Every number may also be a string that holds one, because front ends send the strings of
// their form fields; see [schemas.NumberOrText].
type newCourse struct {
	_ struct{} `doc:"A new course. Every number may be sent as a string that holds one, such as '19.99'. The server computes all totals."`

	Title       string       `json:"courseTitle" jsonschema:"minLength=1,maxLength=200"`
	Description string       `json:"courseDescription" jsonschema:"maxLength=20000" doc:"The description. It may hold HTML."`
	Price       decimal      `json:"coursePrice" jsonschema:"minimum=0,maximum=10000000" jsonschema_extras:"x-number-or-text=true" doc:"The price before the discount. After it, it must be 0 or at least 1."`
	Prices      []newPrice   `json:"prices,omitempty" jsonschema:"maxItems=200" doc:"What the course costs in other currencies than that of the platform, before the discount: each currency once, and only those that can be paid."`
	Discount    decimal      `json:"discount" jsonschema:"minimum=0,maximum=100" jsonschema_extras:"x-number-or-text=true"`
	Published   *bool        `json:"isPublished,omitempty" doc:"Whether everyone can see and buy the course. Without it: true."`
	Terms       *newTerms    `json:"terms,omitempty" doc:"The terms of the course. An unknown field is refused."`
	Metadata    metadataJSON `json:"metadata,omitempty" doc:"What the host keeps with the course, for everyone to read: at most 50 keys, and 4,096 characters of keys and values together."`
	Content     []newChapter `json:"courseContent" jsonschema:"minItems=1" doc:"The chapters, with at least one lecture and at most 1,000 lectures altogether."`
}

type newChapter struct {
	ID       string       `json:"chapterId,omitempty" jsonschema:"maxLength=100" doc:"An id that is unique within the course. Without it the server makes one."`
	Order    int          `json:"chapterOrder,omitempty" jsonschema:"minimum=0,maximum=1000000" jsonschema_extras:"x-number-or-text=true" doc:"The place of the chapter in the course."`
	Title    string       `json:"chapterTitle" jsonschema:"minLength=1,maxLength=200"`
	Lectures []newLecture `json:"chapterContent" jsonschema:"maxItems=1000" doc:"Its lectures."`
	Opens    *newOpens    `json:"opens,omitempty" doc:"When the chapter opens. Without it: from the beginning."`
}

type newLecture struct {
	ID          string  `json:"lectureId,omitempty" jsonschema:"maxLength=100" doc:"An id that is unique within the course. Without it the server makes one."`
	Order       int     `json:"lectureOrder,omitempty" jsonschema:"minimum=0,maximum=1000000" jsonschema_extras:"x-number-or-text=true" doc:"The place of the lecture in the chapter."`
	Title       string  `json:"lectureTitle" jsonschema:"minLength=1,maxLength=200"`
	Minutes     float64 `json:"lectureDuration" jsonschema:"minimum=0,maximum=100000" jsonschema_extras:"x-number-or-text=true" doc:"The length in minutes. It may have a fraction, and may be 0."`
	URL         string  `json:"lectureUrl,omitempty" jsonschema:"maxLength=2000" doc:"http or https. A lecture with a file has none: it is ignored there."`
	PreviewFree bool    `json:"isPreviewFree,omitempty" doc:"Whether everyone may watch the lecture. Without it: false."`

	Kind        string          `json:"kind,omitempty" jsonschema:"enum=video,enum=audio,enum=text,enum=file,enum=embed,enum=assignment" doc:"What the lecture is. Without it, a lecture keeps its kind, file, captions, attachments and assignment. 'video' and 'audio' have a file or 'lectureUrl', 'file' has a file, 'assignment' has an assignment, and 'embed' has an https 'lectureUrl' of YouTube, Vimeo or another host that the server allows."`
	FileID      string          `json:"fileId,omitempty" jsonschema:"maxLength=64" doc:"The file that the lecture is: one of the course's educator."`
	Captions    []newCaption    `json:"captions,omitempty" jsonschema:"maxItems=20" doc:"The subtitles, one for each language."`
	Attachments []newAttachment `json:"attachments,omitempty" jsonschema:"maxItems=20" doc:"Files that belong to the lecture."`
	Text        *string         `json:"text,omitempty" jsonschema:"maxLength=100000" doc:"Markdown. Without it, a lecture keeps its text; an empty one removes it."`
	Assignment  *newAssignment  `json:"assignment,omitempty" doc:"What an assignment asks."`
}

type newCaption struct {
	_ struct{} `doc:"The subtitles of a lecture in a language."`

	Language string `json:"language" jsonschema:"minLength=1,maxLength=35" doc:"A BCP 47 tag, such as pt-BR."`
	Label    string `json:"label" jsonschema:"minLength=1,maxLength=100" doc:"The name of the language for people."`
	FileID   string `json:"fileId" jsonschema:"minLength=1,maxLength=64" doc:"A WebVTT file of the course's educator."`
}

type newAttachment struct {
	_ struct{} `doc:"A file that belongs to a lecture."`

	Title  string `json:"title" jsonschema:"minLength=1,maxLength=200"`
	FileID string `json:"fileId" jsonschema:"minLength=1,maxLength=64" doc:"A file of the course's educator."`
}

// lecture returns the lecture of a request.
func (in newLecture) lecture() catalog.Lecture {
	l := catalog.Lecture{ID: in.ID, Order: in.Order, Title: in.Title, Minutes: in.Minutes,
		URL: in.URL, PreviewFree: in.PreviewFree, Kind: catalog.LectureKind(in.Kind),
		FileID: in.FileID, Text: in.Text}
	for _, c := range in.Captions {
		l.Captions = append(l.Captions,
			catalog.Caption{Language: c.Language, Label: c.Label, FileID: c.FileID})
	}
	for _, a := range in.Attachments {
		l.Attachments = append(l.Attachments,
			catalog.Attachment{Title: a.Title, FileID: a.FileID})
	}
	if in.Assignment != nil {
		l.Assignment = new(in.Assignment.assignment())
	}
	return l
}

type addCourseAnswer struct {
	Message  string `json:"message"`
	CourseID string `json:"courseId"`
}

// addCourse takes a multipart form: courseData, which is JSON, and image.
func (a *api) addCourse(w http.ResponseWriter, c *call) error {
	data, image, err := c.readUpload(w)
	if err != nil {
		return err
	}
	course, err := a.parseCourse(c.Context(), data)
	if err != nil {
		return err
	}
	id, err := a.platform.Catalog.AddCourse(c.Context(), c.actor, course, image)
	if err != nil {
		return err
	}
	return c.writeSuccess(w, addCourseAnswer{"Course Added Successfully", id})
}

// readUpload reads the two parts in any order, each within its limit; nil for a missing one. Of
// several parts of one name the last one counts. It ignores other parts. The memory that it takes
// is released when the request ends.
func (c *call) readUpload(w http.ResponseWriter) (data, image []byte, err error) {
	if h := c.Header.Get("Content-Type"); h == "" || !web.IsMedia(h, "multipart/form-data") {
		return nil, nil, errNotMultipart
	}
	// Receive it, and only then take the memory of the whole upload, so that slow clients keep no
	// memory from others. Then read part by part.
	upload, err := c.spool(http.MaxBytesReader(w, c.Body, maxUpload), maxUpload)
	if err != nil {
		return nil, nil, err
	}
	defer upload.Close()
	if err := c.HoldUpload(upload.Size); err != nil {
		return nil, nil, err
	}
	c.Body = io.NopCloser(io.NewSectionReader(upload, 0, upload.Size))
	form, err := c.MultipartReader()
	if err != nil {
		return nil, nil, errBodyEnded
	}
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return data, image, nil
		}
		if err != nil {
			return nil, nil, bodyError(err)
		}
		switch part.FormName() {
		case "courseData":
			data, err = readPart(part, maxCourseData, web.ErrBodyTooLarge)
		case "image":
			image, err = readPart(part, file.MaxThumbnail, file.ErrThumbnailRefused)
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// readPart reads one part. It returns tooLarge for more than limit bytes, after reading all of
// them, because a client that is still sending would see a broken connection instead.
func readPart(part *multipart.Part, limit int64, tooLarge error) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(part, limit+1))
	if err != nil {
		return nil, bodyError(err)
	}
	if int64(len(b)) <= limit {
		return b, nil
	}
	if _, err := io.Copy(io.Discard, part); err != nil {
		return nil, bodyError(err)
	}
	return nil, tooLarge
}

// parseCourse checks a courseData part against its schema, as JSON bodies are checked. It refuses
// nil, which is a missing part.
func (a *api) parseCourse(ctx context.Context, data []byte) (catalog.NewCourse, error) {
	if data == nil {
		return catalog.NewCourse{}, core.InvalidField("", "is required")
	}
	tree, err := treeOf(ctx, data)
	if err != nil {
		return catalog.NewCourse{}, err
	}
	tree, err = a.courseData.normal(tree)
	if err != nil {
		return catalog.NewCourse{}, err
	}
	var in newCourse
	if err := fill(&in, tree); err != nil {
		return catalog.NewCourse{}, err
	}
	return in.course()
}

// course returns the new course of a request, which is published unless the request says otherwise.
func (in newCourse) course() (n catalog.NewCourse, err error) {
	n = catalog.NewCourse{
		Title: in.Title, Description: in.Description,
		Price: core.Money(in.Price), Discount: core.Percent(in.Discount),
		Published: in.Published == nil || *in.Published, Content: contentOf(in.Content),
		Metadata: core.Metadata(in.Metadata),
	}
	if in.Terms != nil {
		n.Terms = *in.Terms.terms()
	}
	n.Prices, err = pricesIn(in.Prices)
	return n, err
}

// contentOf returns the chapters of a request, or nil if it has none.
func contentOf(list []newChapter) (content []catalog.Chapter) {
	for _, ch := range list {
		chapter := catalog.Chapter{ID: ch.ID, Order: ch.Order, Title: ch.Title,
			Opens: ch.Opens.opening()}
		for _, l := range ch.Lectures {
			chapter.Lectures = append(chapter.Lectures, l.lecture())
		}
		content = append(content, chapter)
	}
	return content
}
