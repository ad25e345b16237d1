package main

import (
	"io"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	gomail "github.com/wneessen/go-mail"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// mailbox is a mail server that keeps what it receives. A session of it is a connection.
type mailbox struct {
	mu     sync.Mutex
	mails  []string
	isDown bool
}

func (b *mailbox) NewSession(*smtp.Conn) (smtp.Session, error) { return b, nil }

func (b *mailbox) Mail(string, *smtp.MailOptions) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isDown {
		return &smtp.SMTPError{Code: 451, Message: "try again later"}
	}
	return nil
}

func (b *mailbox) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (b *mailbox) Reset()                               {}
func (b *mailbox) Logout() error                        { return nil }

func (b *mailbox) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mails = append(b.mails, string(text))
	return err
}

// take returns the mails that have arrived, and forgets them.
func (b *mailbox) take() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	mails := b.mails
	b.mails = nil
	return mails
}

// school is a platform whose notifications are mails.
type school struct {
	*learningtest.Kit
	mails    *mailbox
	mailer   *Mailer
	ada, bob core.Actor
}

func newSchool(t *testing.T) school {
	t.Helper()
	s := school{mails: &mailbox{}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	server := smtp.NewServer(s.mails)
	go func() { _ = server.Serve(listener) }() // until Close
	t.Cleanup(func() { _ = server.Close() })
	mailer, err := NewMailer("127.0.0.1", listener.Addr().(*net.TCPAddr).Port, "school@example.com",
		"https://school.example", gomail.WithTLSPolicy(gomail.NoTLS))
	check(t, err)
	s.Kit = learningtest.New(t, learningtest.WithPlatform(learning.WithEvents("mail", mailer)))
	mailer.Platform, s.mailer = s.Platform, mailer
	s.ada, s.bob = s.Person(t, "ada", core.Student), s.Person(t, "bob", core.Student)
	return s
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s school) deliver(t *testing.T) {
	t.Helper()
	_, err := s.Platform.System().DeliverEvents(t.Context())
	check(t, err)
}

// replies has bob reply to a new post of ada, and returns the id of the post.
func (s school) replies(t *testing.T, title string) string {
	t.Helper()
	post, err := s.Platform.Community.CreatePost(t.Context(), s.ada,
		community.NewPost{Title: title, Content: "Who knows?"})
	check(t, err)
	_, err = s.Platform.Community.CreateReply(t.Context(), s.bob, post.ID, "I do: secret words.")
	check(t, err)
	return post.ID
}

func TestMailer_SendsWhatHappenedWithLinks(t *testing.T) {
	s := newSchool(t)
	post := s.replies(t, "Knots")
	s.deliver(t)
	mails := s.mails.take()
	if len(mails) != 1 {
		t.Fatalf("%d mails: %q", len(mails), mails)
	}
	m, err := mail.ReadMessage(strings.NewReader(mails[0]))
	check(t, err)
	if to := m.Header.Get("To"); !strings.Contains(to, "ada@example.com") {
		t.Errorf("the mail is to %q", to)
	}
	settings := "https://school.example/notifications#settings"
	if got := m.Header.Get("List-Unsubscribe"); got != "<"+settings+">" {
		t.Errorf("List-Unsubscribe is %q", got)
	}
	for _, want := range []string{"https://school.example/community/posts/" + post, settings} {
		if !strings.Contains(mails[0], want) {
			t.Errorf("the mail lacks %q:\n%s", want, mails[0])
		}
	}
	if strings.Contains(mails[0], "secret words") {
		t.Errorf("the mail has the text of the reply:\n%s", mails[0])
	}
}

func TestMailer_MutedKindIsNotSent(t *testing.T) {
	s := newSchool(t)
	_, err := s.Platform.Inbox.SetMuted(t.Context(), s.ada,
		[]core.NotificationKind{community.NotifyReplyCreated})
	check(t, err)
	s.replies(t, "Knots")
	s.deliver(t)
	if mails := s.mails.take(); len(mails) > 0 {
		t.Errorf("a muted kind is sent: %q", mails)
	}
}

// A mail server that is down delays the mail. What was read meanwhile is not sent any more.
func TestMailer_WaitsForTheMailServer(t *testing.T) {
	s := newSchool(t)
	s.mails.isDown = true
	s.replies(t, "Knots")
	s.deliver(t)
	s.replies(t, "Sails")
	notifications, err := s.Platform.Inbox.Notifications(t.Context(), s.ada, true,
		core.PageRequest{Limit: 10})
	check(t, err)
	check(t, s.Platform.Inbox.MarkRead(t.Context(), s.ada, []string{notifications.Rows[0].ID}))
	s.mails.isDown = false
	s.Clock.Advance(time.Minute)
	s.deliver(t)
	if mails := s.mails.take(); len(mails) != 1 || !strings.Contains(mails[0], "Knots") {
		t.Errorf("the mails are %q", mails)
	}
}

// An event that is delivered again has a mail of the same id, which a mail program shows once.
func TestMailer_SentAgainIsTheSameMail(t *testing.T) {
	s := newSchool(t)
	s.replies(t, "Knots")
	s.deliver(t)
	deliveries, err := s.Platform.System().EventDeliveries(t.Context(), learning.EventQuery{})
	check(t, err)
	for _, d := range deliveries {
		check(t, s.mailer.HandleEvent(t.Context(), d.Event))
	}
	ids := map[string]int{}
	for _, text := range s.mails.take() {
		m, err := mail.ReadMessage(strings.NewReader(text))
		check(t, err)
		ids[m.Header.Get("Message-ID")]++
	}
	if len(ids) != 1 {
		t.Errorf("the ids of the mails are %v", ids)
	}
}
