// Command hostdb is a server whose users, sessions and invoices are tables in a database of its
// own, PostgreSQL or SQLite. The platform keeps its tables in the same database, with a prefix, and
// the invoice of each purchase is committed together with the enrolment:
//
//	DATABASE=sqlite:host.db go run ./examples/hostdb
//	curl -d name=Ben -d email=ben@example.org -d password=… http://localhost:3000/sign-up
//	curl -d email=ben@example.org -d password=… http://localhost:3000/sign-in
//	curl -H "Authorization: Bearer TOKEN" http://localhost:3000/api/user/data
//
// Three things connect the two. sqlite.New or postgres.New uses the pool of the host (func routes).
// The users of the host are those of the platform: a sign-in tells the platform of the user, and
// VerifyToken returns the user of a token (users.go). writeInvoices runs inside the transactions of
// the platform. The sandbox takes the place of a payment gateway.
package main

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of PostgreSQL
	_ "modernc.org/sqlite"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/postgres"
	"github.com/openlectern/openlectern/learning/store/sqlite"
)

func main() {
	const url = "http://localhost:3000"
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	db, newStore, err := open(cmp.Or(os.Getenv("DATABASE"), "sqlite:host.db"))
	if err != nil {
		log.Fatal(err)
	}
	disk := must(media.NewDisk("media", url+"/media"))
	box := must(sandbox.Listen(sandbox.Config{Addr: "127.0.0.1:3001", WebhookURL: url}))
	platform, handler, err := routes(ctx, db, newStore, disk, box.Config())
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: "localhost:3000", Handler: handler}
	go func() { log.Print(server.ListenAndServe()); stop() }()
	platform.Run(ctx) // events, lost payments and tidying, until a signal
	_ = server.Shutdown(context.Background())
}

// newStore returns a store of the platform on a pool of the host.
type newStore func(db *sql.DB, opts ...store.Option) (*store.Store, error)

// open opens the pool of the host. The platform uses it too, and checks what it relies on: on
// SQLite that the file has a write-ahead log, that a COMMIT is on the disk, and that a transaction
// waits for the one before it.
func open(url string) (*sql.DB, newStore, error) {
	if file, isSQLite := strings.CutPrefix(url, "sqlite:"); isSQLite {
		db, err := sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(WAL)"+
			"&_pragma=synchronous(FULL)&_pragma=busy_timeout(5000)&_txlock=immediate")
		return db, sqlite.New, err
	}
	db, err := sql.Open("pgx", url)
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(20) // of the host and the platform together
	return db, postgres.New, nil
}

// tables are those of the host. The platform has a table of users too: lectern_users.
const tables = `
CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE,
	name TEXT NOT NULL, salt TEXT NOT NULL, password TEXT NOT NULL, role TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sessions (token TEXT PRIMARY KEY, user_id TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS invoices (number TEXT PRIMARY KEY, purchase_id TEXT NOT NULL UNIQUE,
	email TEXT NOT NULL, course TEXT NOT NULL, amount BIGINT NOT NULL, currency TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS invoice_numbers (year INTEGER PRIMARY KEY, last INTEGER NOT NULL);`

// routes returns the platform, and the routes of the host and those of the platform on one mux.
func routes(
	ctx context.Context, db *sql.DB, newStore newStore, disk *media.Disk, p sandbox.Config,
) (*learning.Platform, http.Handler, error) {
	// Create the tables of the host and those of the platform.
	if _, err := db.ExecContext(ctx, tables); err != nil {
		return nil, nil, fmt.Errorf("create the tables of the host: %w", err)
	}
	st, err := newStore(db, store.WithPrefix("lectern_"))
	if err != nil {
		return nil, nil, err
	}
	if err := st.Migrate(ctx); err != nil {
		return nil, nil, err
	}

	// Connect the platform to the users and the invoices of the host.
	orders, err := gateway.New(p.URL, p.GatewayKeyID, p.GatewayKeySecret,
		gateway.WithWebhookSecrets(p.GatewayWebhookSecret))
	if err != nil {
		return nil, nil, err
	}
	u := &users{db: db}
	u.platform, err = learning.New(st, learning.WithTokens(u), learning.WithRoles(u),
		learning.WithProvider(orders), learning.WithMedia(disk),
		learning.WithInTransaction(writeInvoices))
	if err != nil {
		return nil, nil, err
	}
	api, err := httpapi.New(u.platform)
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", api)
	mux.Handle("/media/", http.StripPrefix("/media/", disk))
	mux.HandleFunc("POST /sign-up", u.signUp)
	mux.HandleFunc("POST /sign-in", u.signIn)
	return u.platform, mux, nil
}

// writeInvoices writes the invoice of each purchase in the transaction that completes it. The
// numbers of a year have no gaps, because a transaction that is rolled back gives its number back.
// That has a price: each purchase waits for the end of the one that has taken the number before.
func writeInvoices(ctx context.Context, tx core.HostTx, events []learning.Event) error {
	db := store.SQL(tx)
	for _, e := range events {
		if e.Type != purchase.EventCompleted || e.Data.Amount == 0 {
			continue
		}
		var email string
		err := db.QueryRowContext(ctx, "SELECT email FROM users WHERE id = $1",
			e.Data.UserID).Scan(&email)
		if err != nil {
			return fmt.Errorf("read the buyer: %w", err)
		}
		year, number := e.CreatedAt.Year(), 0
		err = db.QueryRowContext(ctx, `INSERT INTO invoice_numbers (year, last) VALUES ($1, 1)
			ON CONFLICT (year) DO UPDATE SET last = invoice_numbers.last + 1 RETURNING last`,
			year).Scan(&number)
		if err != nil {
			return fmt.Errorf("take the number of an invoice: %w", err)
		}
		_, err = db.ExecContext(ctx, `INSERT INTO invoices
			(number, purchase_id, email, course, amount, currency)
			VALUES ($1, $2, $3, $4, $5, $6)`, fmt.Sprintf("%d-%05d", year, number),
			e.Data.PurchaseID, email, e.Data.CourseTitle, int64(e.Data.Amount), e.Data.Currency)
		if err != nil {
			return fmt.Errorf("write an invoice: %w", err)
		}
	}
	return nil
}

// must returns v, or ends the program if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
