package learning_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"log"
	"os"
	"path/filepath"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/store"
)

// openStore returns a new database, and a function that removes it.
func openStore() (st *store.Store, remove func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	st, err = store.Open(context.Background(), "sqlite:"+filepath.Join(dir, "learning.db"))
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

	platform, err := learning.New(st, learning.WithName("Example Academy"), learning.WithCurrency("EUR"))
	if err != nil {
		log.Fatal(err)
	}
	// Operations whose provider is missing return an error that names it.
	student := learning.Actor{UserID: "user_1", Role: learning.Student}
	_, err = platform.CustomRoadmap(context.Background(), student, "sailing")
	fmt.Println(err)
	// Output: AI provider is not configured
}

// memory is a [learning.Media] that keeps files in memory.
type memory map[string][]byte

func (m memory) Put(_ context.Context, name, _ string, data []byte) error { m[name] = data; return nil }
func (m memory) Delete(_ context.Context, name string) error              { delete(m, name); return nil }
func (m memory) URL(name string) string                                   { return "https://media.example.org/" + name }

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
	educator := learning.Actor{UserID: "user_1", Role: learning.Educator}
	_, err = platform.AddCourse(context.Background(), educator, learning.NewCourse{
		Title: "Sailing", Price: 49_900, Published: true,
		Content: []learning.Chapter{{Title: "Knots", Lectures: []learning.Lecture{
			{Title: "The bowline", Minutes: 5, URL: "https://videos.example.org/bowline"},
		}}},
	}, thumbnail.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(files), "file is stored")
	// Output: 1 file is stored
}
