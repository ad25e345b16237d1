package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/wneessen/go-mail"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/inbox"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// newest is among how many notifications of a reader the one of an event is looked for. An older
// one is not worth a mail any more.
const newest = 50

// mailTime is how long the mail server may take for one mail.
const mailTime = 20 * time.Second

// Mailer sends each notification as a mail. The platform is set after both are made: it is made
// with the Mailer as the handler of its events.
type Mailer struct {
	Platform *learning.Platform
	client   *mail.Client
	from     string
	site     *url.URL // of the front end, whose pages the links open
}

// NewMailer returns a Mailer that sends by the server at host and port.
func NewMailer(host string, port int, from, site string, options ...mail.Option) (*Mailer, error) {
	base, err := url.Parse(site)
	if err != nil {
		return nil, fmt.Errorf("address of the front end: %w", err)
	}
	client, err := mail.NewClient(host,
		append([]mail.Option{mail.WithPort(port), mail.WithTimeout(mailTime)}, options...)...)
	if err != nil {
		return nil, fmt.Errorf("mail server: %w", err)
	}
	return &Mailer{client: client, from: from, site: base}, nil
}

// HandleEvent implements [core.EventHandler]. An event is delivered at least once, and again after
// an error. The id of the mail is that of the event, so that a mail program shows a mail once that
// was sent twice, which happens when the process ends between the mail and the note that it was
// sent.
func (m *Mailer) HandleEvent(ctx context.Context, e learning.Event) error {
	if e.Type != core.EventNotificationCreated {
		return nil
	}
	reader, err := m.Platform.People.User(ctx, people.Claims{UserID: e.Data.UserID})
	switch {
	case errors.Is(err, people.ErrUserNotFound):
		return nil // deleted since
	case err != nil:
		return err
	case reader.Email == "":
		return nil
	}
	n, err := m.notification(ctx, e.Data)
	if err != nil || n == nil {
		return err
	}
	message, err := m.message(e.ID, reader, *n)
	if err != nil {
		return err
	}
	return m.client.DialAndSendWithContext(ctx, message)
}

// notification returns what an event tells of, as its reader sees it now. It returns nil if the
// reader has read it meanwhile, or if it is gone, with what it names or because it was told again.
func (m *Mailer) notification(
	ctx context.Context, d core.EventData,
) (*inbox.Notification, error) {
	page, err := m.Platform.Inbox.Notifications(ctx, core.Actor{UserID: d.UserID}, true,
		core.PageRequest{Limit: newest})
	if err != nil {
		return nil, err
	}
	for _, n := range page.Rows {
		same := n.NotificationIDs == core.NotificationIDs{CourseID: d.CourseID,
			ChapterID: d.ChapterID, LectureID: d.LectureID, PostID: d.PostID, ReplyID: d.ReplyID,
			SubmissionID: d.SubmissionID, AttemptID: d.AttemptID, ReviewID: d.ReviewID,
			CertificateID: d.CertificateID, PurchaseID: d.PurchaseID,
			AnnouncementID: d.AnnouncementID}
		if same && string(n.Kind) == d.Kind {
			return &n, nil
		}
	}
	return nil, nil
}

// message returns the mail of a notification: what happened, the page that shows it, and the page
// where such mails can be switched off.
func (m *Mailer) message(
	eventID string, reader people.User, n inbox.Notification,
) (*mail.Msg, error) {
	line, page := lineOf(n), m.site.JoinPath(pageOf(n)).String()
	settings := m.site.JoinPath("notifications").String() + "#settings"
	message := mail.NewMsg()
	if err := errors.Join(message.From(m.from),
		message.AddToFormat(reader.Name, reader.Email)); err != nil {
		return nil, fmt.Errorf("addresses of a mail: %w", err)
	}
	message.Subject(line)
	message.SetMessageIDWithValue(eventID + "@" + m.site.Hostname())
	message.SetGenHeader(mail.HeaderListUnsubscribe, "<"+settings+">")
	message.SetBodyString(mail.TypeTextPlain, strings.Join([]string{line + ".", "", page, "",
		"What you are told of: " + settings, ""}, "\r\n"))
	return message, nil
}

// lineOf says in one line what happened. Texts of people are only titles and names: what a stranger
// wrote does not reach a mailbox by it.
func lineOf(n inbox.Notification) string {
	title, course, actor := n.Title(), n.CourseTitle, n.ActorName
	switch n.Kind {
	case community.NotifyReplyCreated:
		return fmt.Sprintf("%s has replied to “%s”", actor, title)
	case community.NotifyReplyAccepted:
		return fmt.Sprintf("Your reply to “%s” is accepted", title)
	case community.NotifyQuestionCreated:
		return fmt.Sprintf("%s asks in %s: %s", actor, course, title)
	case community.NotifyReviewCreated:
		return fmt.Sprintf("%s has reviewed %s", actor, course)
	case community.NotifyReviewAnswered:
		return fmt.Sprintf("%s has answered your review of %s", actor, course)
	case community.NotifyReportDecided:
		return "What you have reported was looked at"
	case inbox.NotifyAnnouncement:
		return fmt.Sprintf("%s: %s", course, title)
	case assess.NotifyAssignmentSubmitted:
		return fmt.Sprintf("%s has submitted “%s” in %s", actor, title, course)
	case assess.NotifyAssignmentGraded:
		return fmt.Sprintf("Your work “%s” in %s is graded", title, course)
	case assess.NotifyAssignmentReturned:
		return fmt.Sprintf("Your work “%s” in %s came back", title, course)
	case certify.NotifyCertificateIssued:
		return "Your certificate for " + course
	case certify.NotifyCertificateRevoked:
		return fmt.Sprintf("Your certificate for %s is revoked", course)
	case study.NotifyEnrollmentGranted:
		return fmt.Sprintf("You have access to %s", course)
	case study.NotifyEnrollmentExpiring:
		return fmt.Sprintf("Your access to %s ends soon", course)
	case refund.NotifyRefunded:
		return fmt.Sprintf("Your purchase of %s is refunded", course)
	case staff.NotifyApplicationApproved:
		return "Your application to teach is approved"
	case staff.NotifyApplicationRejected:
		return "Your application to teach was looked at"
	}
	return "There is news for you" // a kind of a later version
}

// pageOf returns the path of the front end that shows what a notification is about. These are the
// paths of examples/storefront. Ids may have any characters: those of lectures are an educator's.
func pageOf(n inbox.Notification) string {
	path := func(format string, ids ...string) string {
		escaped := make([]any, len(ids))
		for i, id := range ids {
			escaped[i] = url.PathEscape(id)
		}
		return fmt.Sprintf(format, escaped...)
	}
	switch {
	case n.PostID != "":
		return path("community/posts/%s", n.PostID)
	case n.Kind == assess.NotifyAssignmentSubmitted:
		return path("teach/submissions/%s", n.SubmissionID)
	case n.Kind == inbox.NotifyAnnouncement:
		return path("learn/%s/announcements", n.CourseID)
	case n.CertificateID != "":
		return "learn/certificates"
	case n.PurchaseID != "":
		return "learn/purchases"
	case n.LectureID != "":
		return path("learn/%s/lectures/%s", n.CourseID, n.LectureID)
	case n.CourseID != "":
		return path("courses/%s", n.CourseID)
	}
	return "notifications"
}
