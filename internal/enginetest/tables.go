package enginetest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Tables returns a function that creates the tables of the database of a URL, if that is a SQLite
// file that does not exist. It copies a file that migrate made at the first call, because that
// takes a tenth of the time of the migrations, and reports that it did. It does nothing for every
// other database. The function is safe for concurrent use.
func Tables(migrate func(url string) error) func(url string) (created bool, err error) {
	migrated := sync.OnceValues(func() ([]byte, error) { return migratedFile(migrate) })
	return func(url string) (bool, error) {
		file, isFile := strings.CutPrefix(url, "sqlite:")
		if !isFile {
			return false, nil
		}
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		content, err := migrated()
		if err != nil {
			return false, fmt.Errorf("create tables: %w", err)
		}
		err = os.WriteFile(file, content, 0o600)
		return err == nil, err
	}
}

// migratedFile returns the content of a SQLite file after migrate.
func migratedFile(migrate func(url string) error) (content []byte, err error) {
	dir, err := os.MkdirTemp("", "tables-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "learning.db")
	if err := migrate("sqlite:" + file); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}
