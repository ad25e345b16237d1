package bucket

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/openlectern/openlectern/internal/mediafile"
)

// ServeHTTP answers GET and HEAD of a file, also of one that another server has stored, with
// the same headers as package media's Disk. The path of the request must be the file's name:
// mount the bucket under a prefix with [http.StripPrefix], the last slash included.
//
// A file is streamed and not kept in memory. If the service fails before the first byte, the
// answer is 500; if it fails or stalls later, the connection is closed.
func (b *Bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	open := b.open
	if r.Method == http.MethodHead {
		open = b.openHead
	}
	mediafile.Handler{Open: open, NotFound: b.notFound}.ServeHTTP(w, r)
}

// open requests an object and returns it. Its bytes are read from the answer to this request, which
// ends with ctx. The error for a missing object is [fs.ErrNotExist].
func (b *Bucket) open(ctx context.Context, name string) (mediafile.Content, error) {
	o := b.newObject(ctx, name)
	info, err := o.request()
	return o.content(info, err)
}

// openHead is open for a HEAD request: it requests the description of the object only, because its
// bytes are not read.
func (b *Bucket) openHead(ctx context.Context, name string) (mediafile.Content, error) {
	o := b.newObject(ctx, name)
	info, err := b.client.StatObject(o.ctx, b.name, b.key(name), minio.StatObjectOptions{})
	return o.content(info, explain(err))
}

var errStalled = errors.New("the bucket's service did not answer in time")

// object reads an object from any offset: after a seek it requests the rest of the object.
// Its methods must not be called concurrently.
type object struct {
	bucket *Bucket
	name   string
	ctx    context.Context // of the requests; done when the service has stalled
	cancel context.CancelCauseFunc
	stall  *time.Timer // runs during each wait for the service
	size   int64
	offset int64         // of the next Read
	body   io.ReadCloser // the rest of the object from at on; nil if it was not requested
	at     int64         // the offset of the next byte of body; differs from offset after a seek
}

// newObject returns an object that was not requested yet. Its time-out runs from now on.
func (b *Bucket) newObject(ctx context.Context, name string) *object {
	ctx, cancel := context.WithCancelCause(ctx)
	stall := time.AfterFunc(b.timeout, func() { cancel(errStalled) })
	return &object{bucket: b, name: name, ctx: ctx, cancel: cancel, stall: stall}
}

// content ends the opening of an object. info is the description that the service has sent, and err
// why it has not: then content logs err, closes the object and returns the error.
func (o *object) content(info minio.ObjectInfo, err error) (mediafile.Content, error) {
	o.stall.Stop()
	if err != nil {
		o.report(err)
		return mediafile.Content{}, errors.Join(err, o.Close())
	}
	o.size = info.Size
	return mediafile.Content{ReadSeekCloser: o, ModTime: info.LastModified}, nil
}

// report logs an error, unless there is no such object or the client has left.
func (o *object) report(err error) {
	cause := context.Cause(o.ctx)
	if cause == errStalled { // err says only that the request was cancelled
		err = cause
	}
	hasClientLeft := cause != nil && cause != errStalled
	if !errors.Is(err, fs.ErrNotExist) && !hasClientLeft {
		o.bucket.log.WarnContext(o.ctx, "a file of the bucket was not served", "name", o.name,
			"error", err)
	}
}

// request requests the bytes from the offset to the end, and sets body to the answer. It returns
// the description of the object.
func (o *object) request() (minio.ObjectInfo, error) {
	var options minio.GetObjectOptions
	if o.offset > 0 {
		if err := options.SetRange(o.offset, 0); err != nil { // 0: to the end
			return minio.ObjectInfo{}, err
		}
	}
	body, info, _, err := o.bucket.client.GetObject(o.ctx, o.bucket.name, o.bucket.key(o.name),
		options)
	if err != nil {
		return info, explain(err)
	}
	o.body, o.at = body, o.offset
	return info, nil
}

// Read implements [io.Reader]. It requests the rest of the object if there was a seek. It logs a
// failure, and returns [io.ErrUnexpectedEOF] if the service sends too little.
func (o *object) Read(p []byte) (n int, err error) {
	if o.offset >= o.size {
		return 0, io.EOF
	}
	o.stall.Reset(o.bucket.timeout)
	defer o.stall.Stop()
	if o.at != o.offset || o.body == nil { // after a seek, or before the first request
		_ = o.closeBody() // an error does not matter: nothing more is read from it
		if _, err := o.request(); err != nil {
			o.report(err)
			return 0, err
		}
	}
	n, err = o.body.Read(p)
	o.offset += int64(n)
	o.at = o.offset
	if err == io.EOF && o.offset < o.size { // the answer was shorter than the object
		err = io.ErrUnexpectedEOF
	}
	if err != nil && err != io.EOF {
		o.report(explain(err))
	}
	return n, err
}

// Seek implements [io.Seeker]. It sends no request: the next Read does.
func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.offset
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning of an object")
	}
	o.offset = offset
	return offset, nil
}

// Close implements [io.Closer]. It ends the request.
func (o *object) Close() error {
	o.stall.Stop()
	o.cancel(nil)
	return o.closeBody()
}

// closeBody closes the present answer of the service, if there is one.
func (o *object) closeBody() error {
	if o.body == nil {
		return nil
	}
	body := o.body
	o.body = nil
	return body.Close()
}
