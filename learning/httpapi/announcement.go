package httpapi

import (
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/inbox"
)

// announcementJSON is an announcement in a course (docs/api.md §21).
type announcementJSON struct {
	_ struct{} `doc:"A text of an educator for the students of a course."`

	ID         string  `json:"_id"`
	CourseID   string  `json:"courseId"`
	Title      string  `json:"title" doc:"Plain text. Escape it."`
	Text       string  `json:"text" doc:"Markdown, as it was written."`
	CreatedAt  instant `json:"createdAt"`
	AuthorName string  `json:"authorName" doc:"The name of the author, at present, plain text. Escape it."`
}

func announcementOf(a inbox.Announcement) announcementJSON {
	return announcementJSON{ID: a.ID, CourseID: a.CourseID, Title: a.Title, Text: a.Text,
		CreatedAt: instant(a.CreatedAt), AuthorName: a.Author.Name}
}

type announcementAnswer struct {
	Announcement announcementJSON `json:"announcement"`
}

type announcementsAnswer struct {
	Announcements []announcementJSON `json:"announcements" doc:"The newest first."`
	Next          *string            `json:"nextCursor" jsonschema:"nullable"`
}

type announcementRequest struct {
	Title string `json:"title" jsonschema:"minLength=1,maxLength=200"`
	Text  string `json:"text" jsonschema:"minLength=1,maxLength=10000" doc:"Markdown."`
}

// announce publishes an announcement. If there is an error, the answer is not sent.
func (a *api) announce(c *call, in announcementRequest) (announcementAnswer, error) {
	created, err := a.platform.Inbox.Announce(c.Context(), c.actor, inbox.NewAnnouncement{
		CourseID: c.Param("courseId"), Title: in.Title, Text: in.Text})
	return announcementAnswer{announcementOf(created)}, err
}

// courseAnnouncements answers a page of the announcements of a course to its educator.
func (a *api) courseAnnouncements(c *call, _ none) (announcementsAnswer, error) {
	return announcementsPage(c,
		func(page core.PageRequest) (core.Page[inbox.Announcement], error) {
			return a.platform.Inbox.CourseAnnouncements(c.Context(), c.actor,
				c.Param("courseId"), page)
		})
}

// ownAnnouncements answers a page of the announcements in the caller's courses, or in one.
func (a *api) ownAnnouncements(c *call, _ none) (announcementsAnswer, error) {
	return announcementsPage(c,
		func(page core.PageRequest) (core.Page[inbox.Announcement], error) {
			return a.platform.Inbox.OwnAnnouncements(c.Context(), c.actor,
				c.URL.Query().Get("courseId"), page)
		})
}

// announcementsPage answers the page of announcements that the query asks for.
func announcementsPage(
	c *call, read readPage[inbox.Announcement],
) (announcementsAnswer, error) {
	rows, next, err := pageRows(c, read)
	return announcementsAnswer{Announcements: shaped(rows, announcementOf), Next: next.cursor}, err
}

// deleteAnnouncement deletes an announcement of a course.
func (a *api) deleteAnnouncement(c *call, _ none) (none, error) {
	return none{}, a.platform.Inbox.DeleteAnnouncement(c.Context(), c.actor, c.Param("courseId"),
		c.Param("announcementId"))
}
