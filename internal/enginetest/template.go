package enginetest

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// templatesVariable names a folder for the data of servers that have not run. Copying them takes a
// tenth of the time of an installer, and a run of all tests creates more than a hundred servers.
// .ci/steps makes the folder and removes it; without one each server is installed.
const templatesVariable = "LEARNING_TEST_TEMPLATES"

// install creates the data folder, from a template if there are templates.
func (s *instance) install() error {
	folder := os.Getenv(templatesVariable)
	if folder == "" {
		return s.runInstaller()
	}
	name := fnv.New64a()
	_, _ = name.Write([]byte(strings.Join(s.program.install, "\x00")))
	template := filepath.Join(folder, fmt.Sprintf("%x", name.Sum64()))
	if _, err := os.Stat(template); err == nil {
		return s.copyTemplate(template)
	}
	if err := s.runInstaller(); err != nil {
		return err
	}
	return s.keepTemplate(template)
}

// keepTemplate copies the data to a template, unless another process has done so meanwhile. Without
// the file auto.cnf, MySQL gives a copy an id of its own.
func (s *instance) keepTemplate(template string) error {
	part, err := os.MkdirTemp(filepath.Dir(template), "")
	if err != nil {
		return err
	}
	data := filepath.Join(part, "data")
	if err := os.CopyFS(data, os.DirFS(s.data())); err != nil {
		return fmt.Errorf("keep a template: %w", err)
	}
	_ = os.Remove(filepath.Join(data, "auto.cnf")) // only MySQL has it
	if err := os.Rename(data, template); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("keep a template: %w", err)
	}
	return os.RemoveAll(part)
}

// copyTemplate creates the data folder as a copy of a template.
func (s *instance) copyTemplate(template string) error {
	if err := os.CopyFS(s.data(), os.DirFS(template)); err != nil {
		return fmt.Errorf("copy a template: %w", err)
	}
	if !s.program.asNobody {
		return os.Chmod(s.data(), 0o700) // as PostgreSQL asks for
	}
	return errors.Join(os.Chmod(s.data(), 0o700),
		filepath.WalkDir(s.data(), func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chown(path, int(nobody.Uid), int(nobody.Gid)))
		}))
}
