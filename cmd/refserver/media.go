package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/media/bucket"
)

// mediaStore stores thumbnails and certificates and serves them.
type mediaStore interface {
	file.Media
	http.Handler
	io.Closer
}

// hasBucket reports whether media are in a bucket. A directory has no scheme.
func (s *Settings) hasBucket() bool { return strings.Contains(s.Media, "://") }

// checkMedia checks where media are stored: a bucket, or a directory, which need not exist.
func (s *Settings) checkMedia(p *problems) {
	if s.hasBucket() {
		s.checkBucket(p)
		return
	}
	if info, err := os.Stat(s.Media); err == nil && !info.IsDir() {
		p.add("media",
			"is %q, which is a file: it must be a directory; one that does not exist is created",
			s.Media)
	}
	if s.Bucket.PublicURL != "" {
		p.add("media-public-url", "must not be set: it belongs to a bucket, and %s is a directory",
			variable("media"))
	}
}

// checkBucket checks the settings of the bucket that the media are in.
func (s *Settings) checkBucket(p *problems) {
	if _, err := bucket.ParseAddress(s.Media); err != nil {
		p.add("media", "is not understood: %v", err)
		return
	}
	p.missing("media-key-id", s.Bucket.KeyID, "the key id of the bucket")
	p.missing("media-key-secret", s.Bucket.KeySecret, "the secret of the bucket's key")
	if s.Bucket.PublicURL != "" {
		p.address("media-public-url", s.Bucket.PublicURL,
			"the URL under which browsers find the objects, the prefix included, such as "+
				"https://cdn.example.org/media")
	}
}

// base returns the public URL without a slash at its end. The database holds names and not URLs, so
// a command that only stores files needs no public URL, and any other will do.
func (p *program) base() string {
	return strings.TrimRight(cmp.Or(p.PublicURL, "http://localhost"), "/")
}

// newMedia opens the media directory, and creates it if it does not exist, or the bucket.
func (p *program) newMedia(ctx context.Context) (mediaStore, error) {
	base := p.base() + "/media"
	if p.hasBucket() {
		return p.newBucket(ctx, cmp.Or(p.Bucket.PublicURL, base))
	}
	disk, err := media.NewDisk(p.Media, base, media.WithLogger(p.log))
	if err != nil {
		return nil, fmt.Errorf("%s (--media) is %q, which cannot be used: %w", variable("media"),
			p.Media, err)
	}
	return disk, nil
}

// newBucket opens the bucket whose files have URLs below publicURL.
func (p *program) newBucket(ctx context.Context, publicURL string) (mediaStore, error) {
	address, err := bucket.ParseAddress(p.Media)
	if err != nil {
		return nil, fmt.Errorf("%s (--media) is not understood: %w", variable("media"), err)
	}
	key := bucket.Key{ID: p.Bucket.KeyID, Secret: p.Bucket.KeySecret}
	files, err := bucket.Open(ctx, address, key, publicURL, bucket.WithTimeout(providerTimeout),
		bucket.WithLogger(p.log))
	if err != nil {
		return nil, fmt.Errorf("%s (--media) is a bucket that cannot be used: %w",
			variable("media"), err)
	}
	return files, nil
}

// existingMedia opens the media directory or the bucket. It returns an error if the directory does
// not exist, and does not create it.
func (p *program) existingMedia(ctx context.Context) (mediaStore, error) {
	if !p.hasBucket() {
		if _, err := os.Stat(p.Media); err != nil {
			return nil, err
		}
	}
	return p.newMedia(ctx)
}
