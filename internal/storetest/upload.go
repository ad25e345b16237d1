package storetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/file"
)

var uploadTests = []test{
	{"an upload is read as it was stored, also with the longest texts", uploadRoundTrip},
	{"unfinished uploads of an owner count as unused bytes", uploadSizes},
	{"uploads of a user are deleted, and their parts become unused", uploadsOfDeletedUser},
}

// upload returns an upload of ada that expires at noon, and has received nothing.
func upload(id string) file.Upload {
	return file.Upload{ID: id, OwnerID: "ada", Name: id + ".pdf", Size: 7, CreatedAt: noon,
		ExpiresAt: noon, Parts: []file.UploadPart{}}
}

// partsNamed returns parts of one byte.
func partsNamed(names ...string) (parts []file.UploadPart) {
	for _, name := range names {
		parts = append(parts, file.UploadPart{Name: name, Size: 1})
	}
	return parts
}

func uploadRoundTrip(t *testing.T, f *fixture) {
	want := file.Upload{ID: long(10), OwnerID: long(20), FileID: long(10), Name: long(1000),
		Metadata: strings.Repeat("m", file.MaxUploadMetadata), Size: 1 << 62, Received: 1 << 61,
		Parts: slices.Repeat([]file.UploadPart{{Name: strings.Repeat("A", 26), Size: 1 << 62}},
			3000), CreatedAt: noon, ExpiresAt: noon.Add(time.Hour)}
	for _, u := range []file.Upload{upload("a"), want} {
		f.do(func(ctx context.Context, tx learning.Tx) error { return tx.InsertUpload(ctx, u) })
	}
	got, err := f.Upload(t.Context(), want.ID)
	equal(t, got, err, want)
	changed := upload("a")
	changed.Received, changed.Parts = 7, partsNamed("one", "two")
	changed.FileID, changed.ExpiresAt = "file", noon.Add(time.Hour)
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.LockUpload(ctx, "a")
	})
	f.reports(false, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.LockUpload(ctx, "none")
	})
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.SaveUpload(ctx, changed) })
	got, err = f.Upload(t.Context(), "a")
	equal(t, got, err, changed)
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteUpload(ctx, "a") })
	got, err = f.Upload(t.Context(), "a")
	missing(t, got, err)
}

func uploadSizes(t *testing.T, f *fixture) {
	other, complete, later := upload("other"), upload("complete"), upload("later")
	other.OwnerID, complete.FileID, later.ExpiresAt = "eve", "file", noon.Add(time.Second)
	f.add(upload("a"), upload("b"), other, complete, later, storedFile("file"))
	n, err := f.UnusedBytes(t.Context(), "ada")
	equal(t, n, err, 28)
	ids, err := f.ExpiredUploads(t.Context(), noon, 3)
	equal(t, ids, err, []string{"a", "b", "complete"})
}

func uploadsOfDeletedUser(t *testing.T, f *fixture) {
	one, two, other := upload("a"), upload("b"), upload("other")
	one.Parts, two.Parts, other.OwnerID = partsNamed("one", "two"), partsNamed("three"), "eve"
	f.add(one, two, upload("c"), other)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if err := tx.LockUploadsOf(ctx, "ada"); err != nil {
			return err
		}
		parts, err := tx.UploadPartsOf(ctx, "ada")
		if err != nil {
			return err
		}
		if err := tx.InsertUnusedFiles(ctx, parts, noon); err != nil {
			return err
		}
		return tx.DeleteUploadsOf(ctx, "ada")
	})
	names, err := f.UnusedFiles(t.Context(), noon, 9)
	equal(t, names, err, []string{"one", "three", "two"})
	ids, err := f.ExpiredUploads(t.Context(), noon, 9)
	equal(t, ids, err, []string{"other"})
}
