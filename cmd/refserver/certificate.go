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

// systemFonts are the folders of the Noto fonts on Debian and its derivatives, Fedora,
// Arch and Alpine, and of fonts installed by hand.
var systemFonts = []string{
	"/usr/share/fonts/truetype/noto", "/usr/share/fonts/opentype/noto",
	"/usr/share/fonts/google-noto*", "/usr/share/fonts/noto*", "/usr/local/share/fonts/noto*",
}

// newRenderer returns a renderer of certificates with the fonts that are found, and logs
// the scripts that they support.
func (s *Settings) newRenderer(log *slog.Logger) (*certificate.Renderer, error) {
	options, err := s.Certificate.options()
	if err != nil {
		return nil, err
	}
	r, err := certificate.New(append(options, certificate.WithFonts(s.fontFolders()...),
		certificate.WithLogger(log))...)
	if err != nil {
		return nil, err
	}
	// In development, without a setting, nobody has asked for this line beside the start-up text.
	if s.production() || s.Fonts != "" {
		log.Info("certificates can be drawn", "scripts", strings.Join(r.Scripts(), ", "))
	}
	return r, nil
}

// options returns the options of a renderer for the accent and the logo of the school, as far as
// they are set. It reads the file of the logo, and returns an error for a wrong accent too.
func (c CertificateSettings) options() (options []certificate.Option, err error) {
	if c.Accent != "" {
		accent, err := readColour(c.Accent)
		if err != nil {
			return nil, err
		}
		options = append(options, certificate.WithAccent(accent))
	}
	if c.Logo != "" {
		file, err := os.ReadFile(c.Logo)
		if err != nil {
			return nil, fmt.Errorf("read the logo: %w", err)
		}
		options = append(options, certificate.WithLogo(file))
	}
	return options, nil
}

// readColour parses a colour of six hexadecimal digits, with or without #, such as #7a1f2b.
func readColour(s string) (color.Color, error) {
	digits := strings.TrimPrefix(s, "#")
	value, err := hex.DecodeString(digits)
	if err != nil || len(value) != 3 {
		return nil, errors.New("it must be a colour such as #7a1f2b")
	}
	return color.NRGBA{R: value[0], G: value[1], B: value[2], A: 0xff}, nil
}

// checkCertificate applies the rules of packages learning and certificate.
func (s *Settings) checkCertificate(p *problems) {
	// The platform validates the name, so no rule is repeated here. It uses no store for that.
	if _, err := learning.New(struct{ learning.Store }{},
		learning.WithName(s.Certificate.Name)); err != nil {
		p.add("certificate-name", "cannot be used: %s",
			strings.TrimPrefix(err.Error(), "learning: "))
	}
	if _, err := readColour(s.Certificate.Accent); s.Certificate.Accent != "" && err != nil {
		p.add("certificate-accent", "is %q: %v", s.Certificate.Accent, err)
	}
	// The renderer validates the logo. The accent, which has been checked above, is left out, so
	// that an error is one of the logo.
	options, err := CertificateSettings{Logo: s.Certificate.Logo}.options()
	if err == nil {
		_, err = certificate.New(options...)
	}
	if err != nil {
		p.add("certificate-logo", "is %q, which cannot be used: %v", s.Certificate.Logo, err)
	}
}

// fontFolders returns the folder of the settings, or else those of systemFonts that exist.
func (s *Settings) fontFolders() (folders []fs.FS) {
	if s.Fonts != "" {
		return []fs.FS{os.DirFS(s.Fonts)}
	}
	for _, pattern := range systemFonts {
		found, _ := filepath.Glob(pattern) // the patterns are valid
		for _, folder := range found {
			folders = append(folders, os.DirFS(folder))
		}
	}
	return folders
}
