// Command events is a web server with a learning platform that books an invoice for each
// purchase and sends a mail to each new student of a course.
//
// The platform calls a handler with each event at least once: again if it returned an error or
// panicked, or if its success could not be stored. So each handler must be idempotent by the id
// of the event. Here the id is the primary key of a row that is inserted in the transaction of
// what the event causes. A mail is sent last, before the commit; a crash between the two sends
// it again. Each handler has its own deliveries: invoices do not wait for the mail server.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store/sqlite"
	"github.com/openlectern/openlectern/learning/study"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	st := must(sqlite.Open(ctx, "sqlite:learning.db"))
	if err := st.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	box := must(sandbox.Listen(sandbox.Config{Addr: "127.0.0.1:3001",
		WebhookURL: "http://localhost:3000"}))
	p := box.Config()
	s := must(newSchool("school.db"))
	s.platform = must(learning.New(st, append(s.events(),
		learning.WithTokens(must(identity.NewVerifier(p.URL+"/.well-known/jwks.json",
			identity.WithIssuer(p.URL)))),
		learning.WithWebhooks(must(identity.NewWebhookVerifier(p.IdentityWebhookSecret))),
		learning.WithProvider(must(gateway.New(p.URL, p.GatewayKeyID, p.GatewayKeySecret,
			gateway.WithWebhookSecrets(p.GatewayWebhookSecret)))))...))
	server := &http.Server{Addr: "localhost:3000", Handler: must(httpapi.New(s.platform))}
	go func() { log.Print(server.ListenAndServe()); stop() }()
	s.platform.Run(ctx) // calls the handlers, until a signal
	_ = server.Shutdown(context.Background())
}

// school is the part of the host that handles events. It has a database of its own.
type school struct {
	platform *learning.Platform
	db       *sql.DB
	mail     func(to, text string) error
}

// newSchool opens the database of the school and creates its tables. The caller sets the platform,
// which can only be made with the handlers of the school. Mails are printed.
func newSchool(file string) (*school, error) {
	// Package store imports the driver. A transaction waits for the one before it (busy_timeout),
	// and does so when it begins (_txlock), because each of them writes.
	db, err := sql.Open("sqlite", file+"?_txlock=immediate&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(`
		CREATE TABLE IF NOT EXISTS handled (handler TEXT, event TEXT, PRIMARY KEY (handler, event));
		CREATE TABLE IF NOT EXISTS invoices (purchase TEXT PRIMARY KEY, user TEXT, course TEXT,
			amount INTEGER, currency TEXT)`)
	return &school{db: db,
		mail: func(to, text string) error { fmt.Println("mail to", to+":", text); return nil }}, err
}

// events returns the options that register the handlers. The platform stores the names, so they
// must not change.
func (s *school) events() []learning.Option {
	return []learning.Option{
		learning.WithEvents("invoices",
			s.once("invoices", purchase.EventCompleted, s.bookInvoice)),
		learning.WithEvents("mails",
			s.once("mails", study.EventEnrollmentCreated, s.sendWelcome)),
	}
}

// once returns a handler of events of one type. It calls handle in a transaction that also
// stores the id of the event, and ignores an event whose id is stored.
func (s *school) once(name string, kind core.EventType,
	handle func(context.Context, *sql.Tx, learning.Event) error) core.EventHandler {
	return core.EventHandlerFunc(func(ctx context.Context, e learning.Event) error {
		if e.Type != kind {
			return nil
		}
		// Begin a transaction that stores what handle does together with the id of the event.
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() // has no effect after the commit
		// An id that is stored already means that the event was handled before.
		result, err := tx.ExecContext(ctx,
			`INSERT INTO handled VALUES (?, ?) ON CONFLICT DO NOTHING`, name, e.ID)
		if err != nil {
			return err
		}
		inserted, err := result.RowsAffected()
		if err != nil {
			return err
		}
		if inserted == 0 {
			return nil
		}
		if err := handle(ctx, tx, e); err != nil {
			return err
		}
		return tx.Commit()
	})
}

// bookInvoice adds a row for a purchase.
func (s *school) bookInvoice(ctx context.Context, tx *sql.Tx, e learning.Event) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO invoices VALUES (?, ?, ?, ?, ?)`,
		e.Data.PurchaseID, e.Data.UserID, e.Data.CourseTitle, e.Data.Amount, e.Data.Currency)
	return err
}

// sendWelcome sends a mail to the student. Events contain no addresses, so it reads the user. An
// error makes the platform call the handler again later.
func (s *school) sendWelcome(ctx context.Context, _ *sql.Tx, e learning.Event) error {
	user, err := s.platform.People.User(ctx, people.Claims{UserID: e.Data.UserID})
	if errors.Is(err, people.ErrUserNotFound) { // deleted meanwhile
		return nil
	}
	if err != nil {
		return err
	}
	return s.mail(user.Email, "Welcome to "+e.Data.CourseTitle)
}

// must returns v, or ends the program if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
