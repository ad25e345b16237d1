//go:build linux

package faultbench

import (
	"context"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

const (
	bucket       = "lectern"
	bucketFolder = "media/"
)

// folderFiles returns the names of the files in a media folder.
func folderFiles(folder string) (names []string, err error) {
	const incoming = ".incoming" // the folder of uploads that have not ended
	err = fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && path.Dir(name) != incoming {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// bucketFiles returns the names of the files in the folder of the bucket, without the folder.
func bucketFiles(objects *s3mem.Backend) (names []string, err error) {
	list, err := objects.ListBucket(bucket, &gofakes3.Prefix{HasPrefix: true, Prefix: bucketFolder},
		gofakes3.ListBucketPage{})
	if err != nil {
		return nil, err
	}
	for _, c := range list.Contents {
		names = append(names, strings.TrimPrefix(c.Key, bucketFolder))
	}
	return names, nil
}

// checkFiles checks that no file is missing that a row names, and that there are no others.
func (l *ledger) checkFiles(ctx context.Context) error {
	// The stored files, except for those of certificates.
	names, err := l.files()
	if err != nil {
		return err
	}
	stored := map[string]string{}
	for _, name := range names {
		stored[name] = ""
	}
	if err := l.takeCertificates(ctx, stored); err != nil {
		return err
	}
	// They must be the pictures of the courses: compare in both directions.
	named, err := l.rows(ctx, "SELECT thumbnail FROM courses WHERE thumbnail <> ''")
	l.compare("picture", named, stored)
	l.compare("file that is left over", stored, named)
	return err
}

// takeCertificates removes the files of certificates from those that are stored. A certificate may
// have a file that its row does not name yet.
func (l *ledger) takeCertificates(ctx context.Context, stored map[string]string) error {
	certificates, err := l.rows(ctx, "SELECT id, filed_at FROM certificates")
	for id, storedAt := range certificates {
		name := "certificate-" + id + ".pdf"
		if _, ok := stored[name]; !ok && storedAt != "" {
			l.difference("the certificate %s has no file", id)
		}
		delete(stored, name)
	}
	return err
}

// checkApplications checks that each decision that was answered is stored, and that the identity
// provider has the role.
func (l *ledger) checkApplications(ctx context.Context) error {
	// The database must have what was answered.
	rows, err := l.rows(ctx,
		"SELECT user_id, status, id FROM applications WHERE status <> 'pending'")
	if err != nil {
		return err
	}
	l.compare("decision on the application of", l.claims.of(claimApplication), rows)
	// The provider must have the role of the decision.
	for user, text := range rows {
		known, _ := l.box.Identity().User(user) // has no role if there is no such user
		isApproved := strings.HasPrefix(text, "approved|")
		if isApproved != (known.Role == "educator") {
			l.difference("the application of %s is %s, and the role at the identity provider is %q",
				user, text, known.Role)
		}
	}
	return nil
}
