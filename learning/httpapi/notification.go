package httpapi

import (
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/inbox"
)

// notificationJSON is a notification of the caller (docs/api.md §19).
type notificationJSON struct {
	_ struct{} `doc:"What the caller is told of. It has the ids of what it names."`

	ID             string  `json:"_id" doc:"Told again, a notification gets a new one."`
	Kind           string  `json:"kind" doc:"What it tells."`
	ActorName      string  `json:"actorName" doc:"The name of who did it, at present, plain text. Escape it. Empty for decisions of staff."`
	Title          string  `json:"title" doc:"That of the post, the lecture, the announcement or the course, at present, or the decision on a report. Empty if there is none."`
	CourseID       string  `json:"courseId,omitempty"`
	CourseTitle    string  `json:"courseTitle,omitempty" doc:"At present, or that of the bundle of the purchase."`
	ChapterID      string  `json:"chapterId,omitempty"`
	LectureID      string  `json:"lectureId,omitempty"`
	PostID         string  `json:"postId,omitempty"`
	ReplyID        string  `json:"replyId,omitempty"`
	SubmissionID   string  `json:"submissionId,omitempty"`
	AttemptID      string  `json:"attemptId,omitempty"`
	ReviewID       string  `json:"reviewId,omitempty"`
	CertificateID  string  `json:"certificateId,omitempty"`
	PurchaseID     string  `json:"purchaseId,omitempty"`
	AnnouncementID string  `json:"announcementId,omitempty"`
	CreatedAt      instant `json:"createdAt"`
	IsRead         bool    `json:"isRead" doc:"Whether the caller has marked it as read."`
}

func notificationOf(n inbox.Notification) notificationJSON {
	return notificationJSON{ID: n.ID, Kind: string(n.Kind), ActorName: n.ActorName,
		Title: n.Title(), CourseID: n.CourseID, CourseTitle: n.CourseTitle,
		ChapterID: n.ChapterID, LectureID: n.LectureID, PostID: n.PostID, ReplyID: n.ReplyID,
		SubmissionID: n.SubmissionID, AttemptID: n.AttemptID, ReviewID: n.ReviewID,
		CertificateID: n.CertificateID, PurchaseID: n.PurchaseID,
		AnnouncementID: n.AnnouncementID, CreatedAt: instant(n.CreatedAt), IsRead: n.IsRead}
}

type notificationsAnswer struct {
	Notifications []notificationJSON `json:"notifications" doc:"The newest first."`
	Unread        int                `json:"unread" doc:"How many are not read, on all pages. 99 means that or more."`
	Next          *string            `json:"nextCursor" jsonschema:"nullable"`
}

// listNotifications answers a page of the caller's notifications.
func (a *api) listNotifications(c *call, _ none) (notificationsAnswer, error) {
	onlyUnread := false
	switch c.URL.Query().Get("unread") {
	case "", "false":
	case "true":
		onlyUnread = true
	default:
		return notificationsAnswer{}, core.InvalidField("unread", unknownWord)
	}
	page, err := pageOf(c, maxPageRows)
	if err != nil {
		return notificationsAnswer{}, err
	}
	list, err := a.platform.Inbox.Notifications(c.Context(), c.actor, onlyUnread, page)
	if err != nil {
		return notificationsAnswer{}, err
	}
	unread, err := a.platform.Inbox.Unread(c.Context(), c.actor)
	return notificationsAnswer{
		Notifications: shaped(list.Rows, notificationOf),
		Unread:        unread,
		Next:          cursorOf(c, list.Next),
	}, err
}

type readRequest struct {
	_ struct{} `doc:"Which notifications are read: either ids or before."`

	IDs    []string `json:"ids,omitempty" jsonschema:"maxItems=100" doc:"The ids of notifications."`
	Before instant  `json:"before,omitempty" doc:"All that were created up to this time."`
}

type unreadAnswer struct {
	Unread int `json:"unread" doc:"How many are not read now. 99 means that or more."`
}

// readNotifications marks notifications of the caller as read.
func (a *api) readNotifications(c *call, in readRequest) (unreadAnswer, error) {
	isUntil := !time.Time(in.Before).IsZero()
	if isUntil == (in.IDs != nil) {
		return unreadAnswer{}, core.InvalidField("ids", "must be sent, or before in its place")
	}
	var err error
	if isUntil {
		err = a.platform.Inbox.MarkReadUntil(c.Context(), c.actor, time.Time(in.Before))
	} else {
		err = a.platform.Inbox.MarkRead(c.Context(), c.actor, in.IDs)
	}
	if err != nil {
		return unreadAnswer{}, err
	}
	unread, err := a.platform.Inbox.Unread(c.Context(), c.actor)
	return unreadAnswer{unread}, err
}

type notificationSettingsAnswer struct {
	Muted []core.NotificationKind `json:"muted" doc:"The kinds of notifications that are not written."`
}

// notificationSettings answers what the caller has muted.
func (a *api) notificationSettings(c *call, _ none) (notificationSettingsAnswer, error) {
	muted, err := a.platform.Inbox.Muted(c.Context(), c.actor)
	return notificationSettingsAnswer{muted}, err
}

type muteRequest struct {
	Muted []core.NotificationKind `json:"muted" jsonschema:"maxItems=100" doc:"All kinds of notifications that are not to be written."`
}

// muteNotifications replaces what the caller has muted.
func (a *api) muteNotifications(
	c *call, in muteRequest,
) (notificationSettingsAnswer, error) {
	muted, err := a.platform.Inbox.SetMuted(c.Context(), c.actor, in.Muted)
	return notificationSettingsAnswer{muted}, err
}
