package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"net"
	"strconv"
	"time"

	"github.com/wneessen/go-mail"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

// mailer sends a mail for each event that a user should hear of. An event comes at least once, and
// to one instance at a time: again after an error, and after a crash. Its id is stored after the
// mail, so that only a crash between the two sends a mail twice. No transaction is open while the
// mail server is asked.
type mailer struct {
	db     *sql.DB
	from   string
	url    string
	client *mail.Client // nil to log mails
}

func newMailer(db *sql.DB, s settings) (*mailer, error) {
	m := &mailer{db: db, from: s.from, url: s.url}
	if s.smtp == "" {
		return m, nil
	}
	host, text, err := net.SplitHostPort(s.smtp)
	if err != nil {
		return nil, fmt.Errorf("the mail server: %w", err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return nil, fmt.Errorf("the port of the mail server: %w", err)
	}
	m.client, err = mail.NewClient(host, mail.WithPort(port), mail.WithTimeout(10*time.Second),
		mail.WithTLSPolicy(mail.TLSOpportunistic))
	return m, err
}

// handle is the event handler.
func (m *mailer) handle(ctx context.Context, e learning.Event) error {
	subject, text := m.message(e)
	if subject == "" {
		return nil
	}
	var isSent bool
	err := m.db.QueryRowContext(ctx,
		"SELECT EXISTS (SELECT 1 FROM sent_mails WHERE event_id = $1)", e.ID).Scan(&isSent)
	if err != nil || isSent {
		return err
	}
	var to string
	err = m.db.QueryRowContext(ctx, "SELECT email FROM accounts WHERE id = $1",
		e.Data.UserID).Scan(&to)
	if errors.Is(err, sql.ErrNoRows) { // the account was deleted meanwhile
		return nil
	} else if err != nil {
		return err
	}
	if err := m.send(ctx, to, subject, text); err != nil {
		return err
	}
	_, err = m.db.ExecContext(ctx,
		"INSERT INTO sent_mails (event_id) VALUES ($1) ON CONFLICT DO NOTHING", e.ID)
	return err
}

// message returns the mail of an event, or "" if there is none.
func (m *mailer) message(e learning.Event) (subject, text string) {
	switch e.Type {
	case study.EventEnrollmentCreated:
		return "Welcome to " + e.Data.CourseTitle,
			"You can begin now:\n" + m.url + prefix + "/courses/" + e.Data.CourseID + "\n"
	case purchase.EventCompleted:
		return "Your purchase of " + e.Data.CourseTitle,
			"Your invoices:\n" + m.url + prefix + "/api/invoices\n"
	}
	return "", ""
}

// send sends a mail.
func (m *mailer) send(ctx context.Context, to, subject, text string) error {
	if m.client == nil {
		log.Printf("mail: %s", subject)
		return nil
	}
	message := mail.NewMsg()
	if err := message.From(m.from); err != nil {
		return err
	}
	if err := message.To(to); err != nil {
		return err
	}
	message.Subject(subject)
	message.SetBodyString(mail.TypeTextPlain, text)
	return m.client.DialAndSendWithContext(ctx, message)
}
