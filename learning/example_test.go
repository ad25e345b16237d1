package learning_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"image"
	"image/png"
	"log"
	"os"
	"path/filepath"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/engines"
)

// openStore returns a new database, and a function that removes it.
func openStore() (st *store.Store, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	st, err = engines.Open(context.Background(), "sqlite:"+filepath.Join(dir, "learning.db"))
	if err != nil {
		log.Fatal(err)
	}
	if err := st.Migrate(context.Background()); err != nil {
		log.Fatal(err)
	}
	return st, func() { st.Close(); os.RemoveAll(dir) }
}

func ExampleNew() {
	st, remove := openStore()
	defer remove()

	platform, err := learning.New(st, learning.WithName("Example Academy"),
		learning.WithCurrency("EUR"))
	if err != nil {
		log.Fatal(err)
	}
	// Operations whose provider is missing return an error that names it.
	student := learning.Actor{UserID: "user_1", Role: core.Student}
	_, err = platform.Tutor.CustomRoadmap(context.Background(), student, "sailing")
	fmt.Println(err)
	// Output: AI provider is not configured
}

// memory is a [file.Media] that keeps files in memory.
type memory map[string][]byte

func (m memory) Put(_ context.Context, name, _ string,
	data []byte) error {
	m[name] = data
	return nil
}
func (m memory) Delete(_ context.Context, name string) error {
	delete(m,
		name)
	return nil
}
func (m memory) URL(
	name string) string {
	return "https://media.example.org/" + name
}

// A host replaces a port by a type of its own.
func ExampleWithMedia() {
	st, remove := openStore()
	defer remove()

	files := memory{}
	platform, err := learning.New(st, learning.WithMedia(files))
	if err != nil {
		log.Fatal(err)
	}
	var thumbnail bytes.Buffer
	if err := png.Encode(&thumbnail, image.NewGray(image.Rect(0, 0, 16, 9))); err != nil {
		log.Fatal(err)
	}
	educator := learning.Actor{UserID: "user_1", Role: core.Educator}
	_, err = platform.Catalog.AddCourse(context.Background(), educator, catalog.NewCourse{
		Title: "Sailing", Price: 49_900, Published: true,
		Content: []catalog.Chapter{{Title: "Knots", Lectures: []catalog.Lecture{
			{Title: "The bowline", Minutes: 5, URL: "https://videos.example.org/bowline"},
		}}},
	}, thumbnail.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(files), "file is stored")
	// Output: 1 file is stored
}

// A host whose identity provider sends no webhooks creates a user who signs in for the first
// time.
func ExampleSystem_ApplyIdentityEvent() {
	st, remove := openStore()
	defer remove()

	platform, err := learning.New(st)
	if err != nil {
		log.Fatal(err)
	}
	err = platform.System().ApplyIdentityEvent(context.Background(), people.IdentityEvent{
		Type: people.UserCreated,
		User: people.IdentityUser{ID: "42", FirstName: "Ada", LastName: "Lovelace"}})
	if err != nil {
		log.Fatal(err)
	}
	actor, err := platform.People.Identify(context.Background(), people.Claims{UserID: "42"})
	fmt.Println(actor.Name, err)
	// Output: Ada Lovelace <nil>
}

// A host keeps the number of a user in its own books with the user. Only admins read it, and the
// user in the export.
func ExamplePlatform_metadata() {
	st, remove := openStore()
	defer remove()
	platform, err := learning.New(st)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	err = platform.System().ApplyIdentityEvent(ctx, people.IdentityEvent{
		Type: people.UserCreated,
		User: people.IdentityUser{ID: "user_1", FirstName: "Ada"},
	})
	if err != nil {
		log.Fatal(err)
	}

	host := learning.Actor{UserID: "crm", Role: core.Admin} // the host itself
	err = platform.People.SetMetadata(ctx, host, "user_1", core.Metadata{"crm_id": "0042"})
	if err != nil {
		log.Fatal(err)
	}
	user, err := platform.People.User(ctx, people.Claims{UserID: "user_1"})
	fmt.Println(user.Name, user.Metadata["crm_id"], err)

	err = platform.People.SetMetadata(ctx, host, "user_1", core.Metadata{"CRM id": "0042"})
	fmt.Println(err)
	// Output:
	// Ada 0042 <nil>
	// Invalid request data: metadata must have keys of 1 to 40 letters a-z, digits and _
}

// A host runs this regularly, such as every five minutes: it completes purchases whose payment
// the gateway could not report.
func ExampleSystem_ReconcilePurchases() {
	st, remove := openStore()
	defer remove()

	box, err := sandbox.Listen(sandbox.Config{}) // in production, your gateway
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close()
	p := box.Config()
	orders, err := gateway.New(p.URL, p.GatewayKeyID, p.GatewayKeySecret)
	if err != nil {
		log.Fatal(err)
	}
	platform, err := learning.New(st, learning.WithProvider(orders))
	if err != nil {
		log.Fatal(err)
	}
	done, err := platform.System().ReconcilePurchases(context.Background())
	fmt.Printf("%d of %d orders were paid, %v\n", done.Completed, done.Checked, err)
	// Output: 0 of 0 orders were paid, <nil>
}

// The host has a table of readers of its newsletter in the same database. When the platform deletes
// a user, the reader is deleted in the same transaction.
func ExampleWithInTransaction() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "host.db")
	st, err := engines.Open(context.Background(), "sqlite:"+file)
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	if err := st.Migrate(context.Background()); err != nil {
		log.Fatal(err)
	}
	db, err := sql.Open("sqlite", file) // of the host
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec(
		"CREATE TABLE readers (user_id TEXT); INSERT INTO readers VALUES ('ada'), ('ben')")
	if err != nil {
		log.Fatal(err)
	}

	platform, err := learning.New(st, learning.WithInTransaction(
		func(ctx context.Context, tx core.HostTx, events []learning.Event) error {
			for _, e := range events {
				if e.Type != people.EventUserDeleted {
					continue
				}
				_, err := store.SQL(tx).ExecContext(ctx,
					"DELETE FROM readers WHERE user_id = ?", e.Data.UserID)
				if err != nil {
					return fmt.Errorf("delete a reader: %w", err)
				}
			}
			return nil
		}))
	if err != nil {
		log.Fatal(err)
	}
	for _, event := range []string{people.UserCreated, people.UserDeleted} {
		err := platform.System().ApplyIdentityEvent(context.Background(), people.IdentityEvent{
			Type: event, User: people.IdentityUser{ID: "ada"}})
		if err != nil {
			log.Fatal(err)
		}
	}
	var left string
	err = db.QueryRow("SELECT user_id FROM readers").Scan(&left)
	fmt.Println(left, err)
	// Output: ben <nil>
}
