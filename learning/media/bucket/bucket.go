// Package bucket stores public files in an S3-compatible bucket and serves them to browsers.
//
// A [Bucket] follows the rules of package media's Disk: a file is stored completely or not at
// all, under a valid name with the content type of its extension, and is not replaced. The
// bucket may be private, because [Bucket.ServeHTTP] streams the files. Any number of servers
// may share a bucket: each serves what the others have stored.
package bucket

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/openlectern/openlectern/internal/mediafile"
	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning/file"
)

// attempts is how often a request is sent whose answer is a failure that may pass.
const attempts = 3

var (
	_ file.Media        = (*Bucket)(nil)
	_ file.MediaChecker = (*Bucket)(nil)
	_ file.MediaReader  = (*Bucket)(nil)
)

// Bucket stores files as objects of a bucket and serves them: see [Bucket.ServeHTTP]. It is
// safe for concurrent use, also by several processes. It implements [file.Media].
type Bucket struct {
	nilOptions nilarg.Options

	client    minio.Core
	transport *http.Transport
	name      string
	prefix    string
	base      mediafile.Base
	timeout   time.Duration
	notFound  http.Handler
	log       *slog.Logger
}

// Key is the access key of a bucket.
type Key struct{ ID, Secret string }

// Option changes a [Bucket] from its defaults.
type Option func(*Bucket)

// WithNotFound sets the handler of names that do not exist. The default answers the
// platform's 404 in JSON.
func WithNotFound(h http.Handler) Option {
	return func(b *Bucket) { b.notFound = nilarg.Given(&b.nilOptions, "WithNotFound", h) }
}

// WithLogger sets the logger that reports why a file could not be served. By default nothing
// is logged.
func WithLogger(l *slog.Logger) Option {
	return func(b *Bucket) { b.log = nilarg.Given(&b.nilOptions, "WithLogger", l) }
}

// WithTimeout bounds each operation, and each wait for the next bytes of a file that is
// served. The default is ten seconds.
func WithTimeout(d time.Duration) Option { return func(b *Bucket) { b.timeout = d } }

// Open returns a bucket. baseURL is the URL of its files: absolute, http or https; either that
// under which [Bucket.ServeHTTP] is mounted, or that of a public bucket with the prefix, for
// example of a content delivery network. Open returns an error that says what to do if no
// file can be written there: it looks for an object that does not exist, and creates and
// removes the object .probe.
func Open(ctx context.Context, a Address, key Key, baseURL string,
	opts ...Option) (*Bucket, error) {
	if err := a.check(); err != nil {
		return nil, fmt.Errorf("bucket: address: %w", err)
	}
	base, err := mediafile.ParseBase(baseURL)
	if err != nil {
		return nil, fmt.Errorf("bucket: %w", err)
	}
	if key.ID == "" || key.Secret == "" {
		return nil, errors.New("bucket: the key has no id or no secret")
	}
	b := &Bucket{name: a.Name, prefix: a.Prefix, base: base, timeout: provider.DefaultTimeout,
		notFound: http.HandlerFunc(mediafile.RouteNotFound), log: slog.New(slog.DiscardHandler)}
	err = nilarg.Apply("bucket", b, opts)
	if err == nil {
		err = b.nilOptions.Err("bucket")
	}
	if err != nil {
		return nil, err
	}
	if err := b.connect(a, key); err != nil {
		return nil, fmt.Errorf("bucket: %w", err)
	}
	if err := b.check(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("bucket: %w: %s", err, b.advice(err)), b.Close())
	}
	return b, nil
}

// connect creates the client and its transport. It sends no request.
func (b *Bucket) connect(a Address, key Key) error {
	endpoint, err := url.Parse(cmp.Or(a.Endpoint, amazon))
	if err != nil {
		return err
	}
	isSecure := endpoint.Scheme == "https"
	if b.transport, err = minio.DefaultTransport(isSecure); err != nil {
		return err
	}
	client, err := minio.NewCore(endpoint.Host, &minio.Options{
		Creds: credentials.NewStaticV4(key.ID, key.Secret, ""), Secure: isSecure,
		Transport: b.transport,
		Region:    cmp.Or(a.Region, defaultRegion), MaxRetries: attempts,
		// The map has no style "", for which it returns 0: minio.BucketLookupAuto.
		BucketLookup: map[string]minio.BucketLookupType{"path": minio.BucketLookupPath,
			"virtual": minio.BucketLookupDNS}[a.Style],
	})
	if err != nil {
		return err
	}
	b.client = *client
	return nil
}

// probe begins with a dot, so that it is not served.
const probe = ".probe"

// check returns an error if the bucket cannot be read or written: see [Open]. It removes
// what it has written. It reads by GET, because the answer to a HEAD has no code that says why it
// failed.
func (b *Bucket) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	// The object does not exist. Its 404 shows that the bucket can be read.
	absent, _, _, err := b.client.GetObject(ctx, b.name, b.key(probe+"-absent"),
		minio.GetObjectOptions{})
	if err == nil { // somebody has stored this object, so the bucket can be read
		err = absent.Close()
	}
	if err = explain(err); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read an object: %w", err)
	}
	if err := b.put(ctx, probe, []byte("x"), minio.PutObjectOptions{}); err != nil {
		return fmt.Errorf("write an object: %w", err)
	}
	if err := b.remove(ctx, probe); err != nil {
		return fmt.Errorf("remove an object: %w", err)
	}
	return nil
}

// Close closes the idle connections. The bucket must not be used afterwards.
func (b *Bucket) Close() error {
	b.transport.CloseIdleConnections()
	return nil
}

// URL implements [file.Media].
func (b *Bucket) URL(name string) string { return b.base.URL(name) }

// Put implements [file.Media]. It returns [fs.ErrExist] if the name exists, and an error
// if the name is invalid or the content type is not that of the name's extension. A service
// that does not support conditional writes replaces the file. After a time-out the file may
// have been stored, and after [fs.ErrExist] for a new name it was: the answer to a first request
// was lost.
func (b *Bucket) Put(ctx context.Context, name, contentType string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	err := mediafile.Check(name, contentType)
	if err == nil {
		err = b.create(ctx, name, contentType, data)
	}
	if err != nil {
		return fmt.Errorf("store an object: %w", err)
	}
	return nil
}

// create writes an object on the condition that it does not exist.
func (b *Bucket) create(ctx context.Context, name, contentType string, data []byte) error {
	unconditional := minio.PutObjectOptions{ContentType: contentType,
		CacheControl: mediafile.CacheControl(contentType)}
	options := unconditional
	options.SetMatchETagExcept("*")
	err := b.put(ctx, name, data, options)
	// Not every service supports the condition: it answers 501. Without the condition the file may
	// be replaced, which [file.Media] allows.
	if refused, ok := errors.AsType[*refusal](err); ok &&
		refused.status == http.StatusNotImplemented {
		return b.put(ctx, name, data, unconditional)
	}
	return err
}

// put writes an object in one request, so that it is stored completely or not at all.
func (b *Bucket) put(ctx context.Context, name string, data []byte,
	options minio.PutObjectOptions) error {
	options.DisableMultipart = true
	_, err := b.client.Client.PutObject(ctx, b.name, b.key(name), bytes.NewReader(data),
		int64(len(data)), options)
	return explain(err)
}

// Delete implements [file.Media]. A file that does not exist is no error, and an invalid name
// is one.
func (b *Bucket) Delete(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	_, err := mediafile.TypeOf(name) // an error if the name is invalid
	if err == nil {
		err = b.remove(ctx, name)
	}
	if err != nil {
		return fmt.Errorf("remove an object: %w", err)
	}
	return nil
}

// remove removes an object. One that does not exist is no error.
func (b *Bucket) remove(ctx context.Context, name string) error {
	return b.removeKey(ctx, b.key(name))
}

// removeKey removes the object with a key. One that does not exist is no error.
func (b *Bucket) removeKey(ctx context.Context, key string) error {
	err := explain(b.client.RemoveObject(ctx, b.name, key, minio.RemoveObjectOptions{}))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Exists implements [file.MediaChecker].
func (b *Bucket) Exists(ctx context.Context, name string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	_, err := mediafile.TypeOf(name) // an error if the name is invalid
	if err == nil {
		_, err = b.client.StatObject(ctx, b.name, b.key(name), minio.StatObjectOptions{})
		err = explain(err)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for an object: %w", err)
	}
	return true, nil
}

// Open implements [file.MediaReader].
func (b *Bucket) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	_, err := mediafile.TypeOf(name) // an error if the name is invalid
	if err == nil {
		var content mediafile.Content
		if content, err = b.open(ctx, name); err == nil {
			return content, nil
		}
	}
	return nil, fmt.Errorf("open an object: %w", err)
}

// key returns the key of the object that has a file: its name below the prefix.
func (b *Bucket) key(name string) string { return path.Join(b.prefix, name) }
