package bucket

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/openlectern/openlectern/internal/mediafile"
	"github.com/openlectern/openlectern/learning/file"
)

var _ file.Store = (*Bucket)(nil)

const (
	// private is the folder of the files of lectures.
	private = "private"
	// pieceSize is the size of the pieces in which a file is sent, and the memory that an upload
	// takes. A file has at most 10,000 pieces.
	pieceSize = 8 << 20
	// smallPiece is the memory that a file of at most as many bytes takes.
	smallPiece = 64 << 10
	// pieceTime bounds the time that the service may take for a piece.
	pieceTime = time.Minute
)

// errPrivateName means that a name is not one of [file.Store].
var errPrivateName = errors.New("not a valid name of a private file")

// privateKey returns the key of the object that has a private file.
func (b *Bucket) privateKey(name string) (string, error) {
	if !mediafile.IsPrivateName(name) {
		return "", errPrivateName
	}
	return path.Join(b.prefix, private, name), nil
}

// StoreFile implements [file.Store]. It sends the file in pieces of 8 MiB, one after the
// other, and holds one of them in memory. If it fails, it removes the pieces. Those of a process
// that was killed stay, invisible, until a rule of the bucket removes them
// (AbortIncompleteMultipartUpload).
func (b *Bucket) StoreFile(ctx context.Context, name string, content io.Reader) error {
	key, err := b.privateKey(name)
	if err == nil {
		err = b.storePieces(ctx, key, content)
	}
	if err != nil {
		return fmt.Errorf("store an object: %w", err)
	}
	return nil
}

// privateOptions are those of the objects of private files. Their type is in the signed URL.
var privateOptions = minio.PutObjectOptions{ContentType: "application/octet-stream",
	CacheControl: "private, no-store", DisableMultipart: true}

// storePieces sends what it reads from content as an object. An error of content is returned as it
// is.
func (b *Bucket) storePieces(ctx context.Context, key string, content io.Reader) (err error) {
	// A file of one piece is one request. A small one, such as a part of an upload, takes little
	// memory.
	piece := make([]byte, smallPiece)
	n, err := io.ReadFull(content, piece)
	if err == nil {
		piece = append(make([]byte, 0, pieceSize), piece...)[:pieceSize]
		n, err = io.ReadFull(content, piece[smallPiece:])
		n += smallPiece
	}
	if isEnd(err) {
		ctx, cancel := context.WithTimeout(ctx, pieceTime)
		defer cancel()
		_, err = b.client.Client.PutObject(ctx, b.name, key, bytes.NewReader(piece[:n]), int64(n),
			privateOptions)
		return explain(err)
	}
	if err != nil {
		return err
	}

	// The service makes the object of the pieces when all are there. If something fails, it forgets
	// them.
	upload, err := b.client.NewMultipartUpload(ctx, b.name, key, privateOptions)
	if err != nil {
		return explain(err)
	}
	defer func() {
		if err != nil {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), b.timeout)
			defer cancel()
			err = errors.Join(err,
				explain(b.client.AbortMultipartUpload(ctx, b.name, key, upload)))
		}
	}()

	// Send a piece and read the next one, until the content ends.
	var parts []minio.CompletePart
	for isLast := false; ; {
		part, err := b.sendPiece(ctx, key, upload, len(parts)+1, piece[:n])
		if err != nil {
			return err
		}
		parts = append(parts, minio.CompletePart{PartNumber: part.PartNumber, ETag: part.ETag})
		if isLast {
			break
		}
		n, err = io.ReadFull(content, piece)
		if isLast = isEnd(err); err != nil && !isLast {
			return err
		}
		if n == 0 { // the content ended with the last piece
			break
		}
	}
	ctx, cancel := context.WithTimeout(ctx, pieceTime)
	defer cancel()
	_, err = b.client.CompleteMultipartUpload(ctx, b.name, key, upload, parts, privateOptions)
	return explain(err)
}

// isEnd reports whether an error of io.ReadFull means that the content has ended.
func isEnd(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }

// sendPiece sends a piece of an object, with its hash.
func (b *Bucket) sendPiece(ctx context.Context, key, upload string, number int,
	piece []byte) (minio.ObjectPart, error) {
	ctx, cancel := context.WithTimeout(ctx, pieceTime)
	defer cancel()
	hash := sha256.Sum256(piece)
	part, err := b.client.PutObjectPart(ctx, b.name, key, upload, number, bytes.NewReader(piece),
		int64(len(piece)), minio.PutObjectPartOptions{
			Sha256Hex: hex.EncodeToString(hash[:]), DisableContentSha256: true})
	return part, explain(err)
}

// OpenFile implements [file.Store].
func (b *Bucket) OpenFile(ctx context.Context, name string) (io.ReadCloser, error) {
	if !mediafile.IsPrivateName(name) {
		return nil, fs.ErrNotExist
	}
	o := b.newObject(ctx, path.Join(private, name))
	info, err := o.request()
	content, err := o.content(info, err) // closes the object if there is an error
	if err != nil {
		return nil, fmt.Errorf("open an object: %w", err)
	}
	return content, nil
}

// DeleteFile implements [file.Store]. An invalid name is an error.
func (b *Bucket) DeleteFile(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	key, err := b.privateKey(name)
	if err == nil {
		err = b.removeKey(ctx, key)
	}
	if err != nil {
		return fmt.Errorf("remove an object: %w", err)
	}
	return nil
}

// SignFile implements [file.Store]: the URL is that of the object at the service, with a
// signature of the bucket's key. The service answers with the type and the disposition of the URL,
// and sets no other headers of package media's PrivateDisk. So the bucket must have an origin of
// its own, where no other site of the operator is.
func (b *Bucket) SignFile(ctx context.Context, f file.Signed) (string, error) {
	key, err := b.privateKey(f.Name)
	if err != nil {
		return "", fmt.Errorf("sign the URL of an object: %w", err)
	}
	// The service accepts from one second to seven days.
	valid := min(max(time.Until(f.Until), time.Second), 7*24*time.Hour)
	signed, err := b.client.PresignedGetObject(ctx, b.name, key, valid, url.Values{
		"response-content-type":        {f.Type},
		"response-content-disposition": {mediafile.Disposition(f.Type, f.Title)},
		"response-cache-control":       {"private, no-store"},
	})
	if err != nil {
		return "", fmt.Errorf("sign the URL of an object: %w", explain(err))
	}
	return signed.String(), nil
}
