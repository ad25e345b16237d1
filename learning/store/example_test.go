package store_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/store"
)

// A program opens its database and applies the migrations before it serves.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	// On MySQL: mysql://user:password@host:3306/name
	st, err := store.Open(context.Background(), "sqlite:"+filepath.Join(dir, "learning.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	if err := st.Migrate(context.Background()); err != nil {
		log.Fatal(err)
	}
	platform, err := learning.New(st)
	if err != nil {
		log.Fatal(err)
	}
	page, err := platform.Catalogue(
		context.Background(), learning.CourseQuery{}, learning.PageRequest{Limit: 20})
	fmt.Println(len(page.Rows), "courses", err)
	// Output: 0 courses <nil>
}
