// Package certificate draws certificates, and receipts and credit notes with the same fonts: one
// page of PDF for each.
//
// It contains the layout of the page, the setting of names in any script, and the choice
// of fonts. Fonts for Latin, Greek, Cyrillic and Hebrew are embedded in the program. Every
// other script needs fonts of the host ([WithFonts]). A character that no font has is
// written as its code point (U+0915) and logged. Package learning decides who has earned
// a certificate and what is printed on it; package media stores the file. A receipt is drawn again
// each time that it is read, from what was stored when it got its number.
//
// A page consists of text, lines and curves; only the logo is an image. The glyphs that
// the page needs are embedded, so that its text can be selected, searched and read aloud.
// The same certificate gives the same bytes on every machine with the same fonts.
package certificate

import (
	"context"
	"fmt"
	"image/color"
	"io/fs"
	"log/slog"

	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/learning/certify"
)

var _ certify.CertificateRenderer = (*Renderer)(nil)

// Renderer draws certificates and papers. It is safe for concurrent use. It implements
// [certify.CertificateRenderer] and [papers.Renderer].
type Renderer struct {
	nilOptions nilarg.Options

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

// WithAccent sets the colour of the heading and the ornament. A colour that is not legible
// on white is darkened.
func WithAccent(c color.Color) Option {
	return func(r *Renderer) {
		if given := nilarg.Given(&r.nilOptions, "WithAccent", c); !nilarg.Is(given) {
			r.accent = legible(given)
		}
	}
}

// WithLogo sets an image in PNG or JPEG that is printed above the issuer's name.
func WithLogo(file []byte) Option { return func(r *Renderer) { r.logoFile = file } }

// WithFonts sets folders of fonts (TrueType, OpenType and collections of them),
// which are searched recursively. Fonts of the Noto family are preferred.
func WithFonts(folders ...fs.FS) Option {
	return func(r *Renderer) {
		for _, folder := range folders {
			nilarg.Given(&r.nilOptions, "WithFonts", folder)
		}
		r.folders = folders
	}
}

// WithLogger sets the logger that reports fonts that cannot be read and characters that no
// font has. By default nothing is logged.
func WithLogger(l *slog.Logger) Option {
	return func(r *Renderer) { r.log = nilarg.Given(&r.nilOptions, "WithLogger", l) }
}

// New returns a renderer. It looks for fonts in the folders of [WithFonts] once; a font that
// cannot be read is skipped and logged. New returns an error if the logo is not an image or is too
// large, and if the argument of an option is nil.
func New(opts ...Option) (*Renderer, error) {
	r := &Renderer{accent: navy, log: slog.New(slog.DiscardHandler)}
	err := nilarg.Apply("certificate", r, opts)
	if err == nil {
		err = r.nilOptions.Err("certificate")
	}
	if err != nil {
		return nil, err
	}
	if r.logoFile != nil {
		l, err := newLogo(r.logoFile)
		if err != nil {
			return nil, fmt.Errorf("certificate: logo: %w", err)
		}
		r.logo = l
	}
	r.fonts = newLibrary(r.folders, r.log)
	return r, nil
}

// RenderCertificate implements [certify.CertificateRenderer]. Every text can be drawn. It
// returns an error if the verify URL is empty or too long for a QR code that phones can
// read from paper, and if ctx is done at the beginning.
func (r *Renderer) RenderCertificate(ctx context.Context, c certify.Certificate,
	verifyURL string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	code, err := newQR(verifyURL)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	// A shaper is not safe for concurrent use, so this page has one of its own until it is drawn.
	s := r.shapers.get(r.fonts)
	defer r.shapers.put(s)
	p := newPage(s, r.accent)
	r.compose(p, c, verifyURL, code)
	// compose has collected the characters that no font has.
	r.report("certificate", c.ID, p.missing)
	return p.Bytes(info(c)), nil
}
