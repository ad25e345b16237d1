// Package certificate draws certificates: one page of PDF for each.
//
// It owns what the page looks like, how names of any script are set on it, and
// which fonts do that. Latin, Greek, Cyrillic and Hebrew are always at hand, from fonts in
// the program; every other script needs fonts of the host ([WithFonts]), and what
// no font has is written as code points (U+0915), and logged. It refuses to decide
// who earned a certificate and what is said on it (package learning), to keep the
// page (package media), and to read any file but fonts.
//
// A page is text, lines and curves; nothing of it is an image but the logo of a
// platform. Its text is text: each font is embedded with the glyphs that the page
// needs, so that it can be selected, found and read aloud. The same certificate
// gives the same bytes, on every machine with the same fonts.
package certificate

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"io/fs"
	"log/slog"

	"github.com/openlectern/openlectern/learning"
)

var _ learning.CertificateRenderer = (*Renderer)(nil)

// Renderer draws certificates. It is safe for concurrent use. It is a
// [learning.CertificateRenderer].
type Renderer struct {
	accent   rgb
	logoFile []byte
	logo     *logo
	folders  []fs.FS
	fonts    *library
	shapers  shaperPool
	log      *slog.Logger
}

// Option changes a [Renderer] from its defaults.
type Option func(*Renderer)

// WithAccent sets the colour of the heading and the ornament. One that cannot be
// read on white is darkened until it can be.
func WithAccent(c color.Color) Option { return func(r *Renderer) { r.accent = legible(c) } }

// WithLogo sets an image in PNG or JPEG that stands above the name of who certifies.
func WithLogo(file []byte) Option { return func(r *Renderer) { r.logoFile = file } }

// WithFonts sets folders of fonts (TrueType, OpenType and collections of them),
// searched with all that is in them. Fonts of the Noto family are preferred.
func WithFonts(folders ...fs.FS) Option { return func(r *Renderer) { r.folders = folders } }

// WithLogger sets where the renderer reports what it could not draw. Without it
// nothing is logged.
func WithLogger(l *slog.Logger) Option { return func(r *Renderer) { r.log = l } }

// New makes a renderer. It fails on a logo that is no image or too large to be
// one. A font that cannot be read is passed over and logged.
func New(opts ...Option) (*Renderer, error) {
	r := &Renderer{accent: navy, log: slog.New(slog.DiscardHandler)}
	for _, opt := range opts {
		opt(r)
	}
	if r.logoFile != nil {
		l, err := newLogo(r.logoFile)
		if err != nil {
			return nil, fmt.Errorf("certificate: logo: %w", err)
		}
		r.logo = l
	}
	fonts, err := newLibrary(r.folders, r.log)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	r.fonts = fonts
	return r, nil
}

// RenderCertificate implements [learning.CertificateRenderer]. No text of a
// certificate makes it fail; a verify URL that is empty or too long for a QR code
// that phones read from paper does.
func (r *Renderer) RenderCertificate(ctx context.Context, c learning.Certificate, verifyURL string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	code, err := newQR(verifyURL)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	s := r.shapers.get(r.fonts)
	defer r.shapers.put(s)
	p := newPage(s, r.accent)
	r.compose(p, c, verifyURL, code)
	r.report(c.ID, p.missing)
	return p.Bytes(info(c)), nil
}

var errNoURL = errors.New("no URL to verify it at")
