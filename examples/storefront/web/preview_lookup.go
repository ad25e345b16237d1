package web

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	// previewTime is how long the document of a preview is kept, and noPageTime how long it is
	// known that there is none.
	previewTime, noPageTime = time.Minute, 10 * time.Second
	// previewWait is how long a visitor waits for a preview. Without it the page works, too.
	previewWait = 500 * time.Millisecond
	// maxPreviews is how many documents are kept, and maxLookups how many are read from the API at
	// a time.
	maxPreviews, maxLookups = 500, 8
	maxLookup               = 4 << 20 // bytes of an answer of the API
)

// previews has the documents of pages with a preview of their own. It reads each from the API at
// most once in previewTime, so that a link which many people get at once costs one request. It is
// safe for concurrent use.
type previews struct {
	config  Config
	render  func(preview) (*asset, error)
	client  *http.Client
	wait    time.Duration // of a visitor
	running chan struct{} // has an element for each lookup that is running

	mu   sync.Mutex
	kept map[string]*lookup // by path
}

// lookup is a document that is being made or has been made. Its results may be read after done is
// closed.
type lookup struct {
	until    time.Time // guarded by previews.mu
	done     chan struct{}
	document *asset // nil if err is not
	err      error  // errNoPage, or why there is no preview
}

// previewReader reads a preview from the API. It returns errNoPage if there is no such page.
type previewReader func(context.Context) (preview, error)

// errNoPage means that the API knows no course or bundle for sale, and no certificate, with the id
// in a path.
var errNoPage = errors.New("there is no such page")

// newPreviews returns previews for a configuration that is complete. render makes the document of a
// page with its preview.
func newPreviews(c Config, render func(preview) (*asset, error)) *previews {
	// A redirect counts as a failure of the API.
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &previews{
		config: c, render: render, wait: previewWait,
		client:  &http.Client{Timeout: 5 * time.Second, CheckRedirect: noRedirect},
		running: make(chan struct{}, maxLookups), kept: map[string]*lookup{},
	}
}

// document returns the document of the page of a course, a bundle or a certificate. It returns nil
// and no error for all other paths, and if the API fails, is too busy or does not answer soon: the
// page then has the general preview. Error: errNoPage, or that of ctx.
func (p *previews) document(ctx context.Context, path string) (*asset, error) {
	// Only courses, bundles and certificates have previews of their own.
	read := p.reader(path)
	if read == nil {
		return nil, nil
	}
	l := p.lookup(path, read)
	if l == nil { // too many are running
		return nil, nil
	}
	// Wait for the API, but not longer than a user would.
	wait := time.NewTimer(p.wait)
	defer wait.Stop()
	select {
	case <-l.done:
	case <-wait.C:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if errors.Is(l.err, errNoPage) {
		return nil, errNoPage
	}
	return l.document, nil // nil after another failure
}

// reader returns the function that reads the preview of a path from the API, or nil if the path has
// none. The path is escaped, as it was sent.
func (p *previews) reader(path string) previewReader {
	folder, id, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	read := map[string]func(context.Context, string) (preview, error){
		"courses": p.course, "bundles": p.bundle, "certificates": p.certificate,
	}[folder]
	name, err := url.PathUnescape(id)
	if read == nil || err != nil || id == "" || strings.Contains(id, "/") {
		return nil
	}
	escaped := url.PathEscape(name)
	return func(ctx context.Context) (preview, error) { return read(ctx, escaped) }
}

// lookup returns the lookup of a path, and starts one with read if none is kept. Its results may
// not be there yet. lookup returns nil if too many are running.
func (p *previews) lookup(path string, read previewReader) *lookup {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	// Share a lookup that is running or still valid.
	if l := p.kept[path]; l != nil && now.Before(l.until) {
		return l
	}
	// Take a slot, or give up: a page without a preview is better than none.
	select {
	case p.running <- struct{}{}:
	default:
		return nil
	}
	// Read in the background, because a caller may leave.
	p.makeRoom(now)
	l := &lookup{until: now.Add(previewTime), done: make(chan struct{})}
	p.kept[path] = l
	go func() {
		defer func() { <-p.running }()
		defer close(l.done) // last, so that those who wait see the results
		l.document, l.err = p.newDocument(path, read)
		p.finish(path, l)
	}()
	return l
}

// newDocument makes the document of a path. It goes on if the first visitor leaves, because others
// wait for it too.
func (p *previews) newDocument(path string, read previewReader) (*asset, error) {
	of, err := read(context.Background())
	if err != nil {
		return nil, err
	}
	of.URL = p.config.URL + path
	return p.render(of)
}

// finish shortens the time of a lookup that has found no page, and removes one that the API has not
// answered.
func (p *previews) finish(path string, l *lookup) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case l.err == nil: // it is kept for previewTime
	case errors.Is(l.err, errNoPage):
		l.until = time.Now().Add(noPageTime)
	case p.kept[path] == l: // and no newer lookup has replaced it
		delete(p.kept, path)
	}
}

// makeRoom removes the lookups that are too old and, if there still is no room, others. The caller
// holds mu.
func (p *previews) makeRoom(now time.Time) {
	if len(p.kept) < maxPreviews {
		return
	}
	maps.DeleteFunc(p.kept, func(_ string, l *lookup) bool { return !now.Before(l.until) })
	for path := range p.kept {
		if len(p.kept) < maxPreviews {
			return
		}
		delete(p.kept, path)
	}
}
