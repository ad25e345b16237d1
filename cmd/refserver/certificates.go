package main

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/openlectern/learning/learning/certificate"
)

// systemFonts are where systems keep the fonts of the Noto family: Debian and its
// relatives, Fedora, Arch and Alpine, and what was installed by hand.
var systemFonts = []string{
	"/usr/share/fonts/truetype/noto", "/usr/share/fonts/opentype/noto",
	"/usr/share/fonts/google-noto*", "/usr/share/fonts/noto*", "/usr/local/share/fonts/noto*",
}

// newRenderer draws certificates with the fonts that there are, and says for whose
// names they do.
func (s *Settings) newRenderer(log *slog.Logger) (*certificate.Renderer, error) {
	r, err := certificate.New(certificate.WithFonts(s.fontFolders()...), certificate.WithLogger(log))
	if err != nil {
		return nil, err
	}
	log.Info("certificates can be drawn", "scripts", strings.Join(r.Scripts(), ", "))
	return r, nil
}

// fontFolders are those of the settings, or of the system.
func (s *Settings) fontFolders() (folders []fs.FS) {
	if s.Fonts != "" {
		return []fs.FS{os.DirFS(s.Fonts)}
	}
	for _, pattern := range systemFonts {
		found, _ := filepath.Glob(pattern) // the patterns are right
		for _, folder := range found {
			folders = append(folders, os.DirFS(folder))
		}
	}
	return folders
}
