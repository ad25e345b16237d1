package certificate

import (
	"sync"

	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/segmenter"
	"github.com/go-text/typesetting/shaping"
)

// shaper turns text into lines. It is not safe for concurrent use, because its fonts cache
// glyphs.
type shaper struct {
	fonts    *library
	faces    map[*typeface]*font.Face
	harfbuzz shaping.HarfbuzzShaper
	bidi     bidi.Paragraph
	breaks   segmenter.Segmenter
}

// face returns the form of a font that shapes and draws. Each shaper has its own, because it caches
// glyphs.
func (s *shaper) face(t *typeface) *font.Face {
	f := s.faces[t]
	if f == nil {
		f = font.NewFace(t.font)
		s.faces[t] = f
	}
	return f
}

// shaperPool reuses shapers, because making one takes as long as drawing a page.
type shaperPool struct{ pool sync.Pool }

// get returns a shaper that nothing else uses, until put. fonts must be the same at each call.
func (p *shaperPool) get(fonts *library) *shaper {
	if s, ok := p.pool.Get().(*shaper); ok {
		return s
	}
	return &shaper{fonts: fonts, faces: map[*typeface]*font.Face{}}
}

func (p *shaperPool) put(s *shaper) { p.pool.Put(s) }
