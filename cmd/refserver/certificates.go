package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"image/color"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/certificate"
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
	look, err := s.Certificate.look()
	if err != nil {
		return nil, err
	}
	r, err := certificate.New(append(look, certificate.WithFonts(s.fontFolders()...), certificate.WithLogger(log))...)
	if err != nil {
		return nil, err
	}
	log.Info("certificates can be drawn", "scripts", strings.Join(r.Scripts(), ", "))
	return r, nil
}

// look is what the school puts on its certificates beside its name.
func (c CertificateSettings) look() (look []certificate.Option, err error) {
	if c.Accent != "" {
		accent, err := readColour(c.Accent)
		if err != nil {
			return nil, err
		}
		look = append(look, certificate.WithAccent(accent))
	}
	if c.Logo != "" {
		file, err := os.ReadFile(c.Logo)
		if err != nil {
			return nil, fmt.Errorf("read the logo: %w", err)
		}
		look = append(look, certificate.WithLogo(file))
	}
	return look, nil
}

// readColour reads a colour as stylesheets have it, of six hexadecimal digits.
func readColour(s string) (color.Color, error) {
	digits, _ := strings.CutPrefix(s, "#")
	value, err := hex.DecodeString(digits)
	if err != nil || len(value) != 3 {
		return nil, errors.New("it must be a colour such as #7a1f2b")
	}
	return color.NRGBA{R: value[0], G: value[1], B: value[2], A: 0xff}, nil
}

// checkCertificate asks those who have the rules, and draws nothing.
func (s *Settings) checkCertificate(p *problems) {
	if _, err := learning.New(struct{ learning.Store }{}, learning.WithName(s.Certificate.Name)); err != nil {
		p.say("certificate-name", "cannot be used: %s", strings.TrimPrefix(err.Error(), "learning: "))
	}
	if _, err := readColour(s.Certificate.Accent); s.Certificate.Accent != "" && err != nil {
		p.say("certificate-accent", "is %q: %v", s.Certificate.Accent, err)
	}
	look, err := CertificateSettings{Logo: s.Certificate.Logo}.look()
	if err == nil {
		_, err = certificate.New(look...)
	}
	if err != nil {
		p.say("certificate-logo", "is %q, which cannot be used: %v", s.Certificate.Logo, err)
	}
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
