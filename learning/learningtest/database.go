package learningtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/openlectern/openlectern/learning/store"
)

// createTables creates a SQLite file with all tables and no rows, unless the file exists.
// It copies them, because that takes a tenth of the time of the migrations.
func createTables(file string) error {
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	empty, err := emptyDatabase()
	if err != nil {
		return err
	}
	return os.WriteFile(file, empty, 0o600)
}

// emptyDatabase returns the content of a SQLite file with all tables and no rows.
var emptyDatabase = sync.OnceValues(func() (content []byte, err error) {
	dir, err := os.MkdirTemp("", "learningtest-")
	if err != nil {
		return nil, fmt.Errorf("create tables: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "learning.db")
	st, err := store.Open(context.Background(), "sqlite:"+file)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(st.Migrate(context.Background()), st.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})
