package main

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/media"
)

// filesFolder is the folder of the files of lectures in the media directory. The route of public
// files serves no name with a dot at its beginning.
const filesFolder = ".files"

// filesPath is the path of signed URLs.
const filesPath = "/material"

// defaultMaxFile is the default of [Settings.MaxFile].
const defaultMaxFile = "500MB"

// defaultMaxStorage is the default of [Settings.MaxStorage].
const defaultMaxStorage = "100GB"

// minFilesSecret is the length of the shortest secret, in bytes.
const minFilesSecret = 16

// checkFiles checks the settings of uploaded files.
func (s *Settings) checkFiles(p *problems) {
	if _, err := parseSize(cmp.Or(s.MaxFile, defaultMaxFile)); err != nil {
		p.add("max-file", "is %q: it must be a size with its unit, such as 500MB or 2GB", s.MaxFile)
	}
	if _, err := parseSize(cmp.Or(s.MaxStorage, defaultMaxStorage)); err != nil {
		p.add("max-storage", "is %q: it must be a size with its unit, such as 20GB or 100GB",
			s.MaxStorage)
	}
	for _, host := range list(s.EmbedHosts) {
		if strings.ContainsAny(host, ":/@") || host != strings.ToLower(host) {
			p.add("embed-hosts", "has %q: it must be a name in lower case, such as "+
				"videos.example.org", host)
		}
	}
	for _, secret := range list(s.FilesSecret) {
		if len(secret) < minFilesSecret {
			p.add("files-secret", "has a secret of %d characters: it must have at least %d; make "+
				"one with openssl rand -base64 32", len(secret), minFilesSecret)
		}
	}
}

// parseSize parses a positive size in bytes with its unit: B, KB, MB or GB, which are powers of
// 1000.
func parseSize(text string) (int64, error) {
	units := []struct {
		name  string
		bytes int64
	}{{"KB", 1_000}, {"MB", 1_000_000}, {"GB", 1_000_000_000}, {"B", 1}}
	for _, unit := range units {
		number, found := strings.CutSuffix(strings.ToUpper(strings.TrimSpace(text)), unit.name)
		if !found {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32)
		if err != nil || n <= 0 {
			break
		}
		return n * unit.bytes, nil
	}
	return 0, errors.New("it is no size")
}

// fileStore stores the files of lectures. The route that serves them is nil if another server does.
type fileStore struct {
	file.Store
	io.Closer
	route *httpapi.Route
}

// newFiles opens the store of the files of lectures: the bucket that has the media, or a folder in
// the media directory. It returns nil if there is no secret in production that signs the URLs of
// the folder: then educators upload no files.
func (p *program) newFiles(files mediaStore) (*fileStore, error) {
	if bucket, ok := files.(file.Store); ok { // which site.close closes
		return &fileStore{Store: bucket, Closer: io.NopCloser(nil)}, nil
	}
	keys, err := p.filesKeys()
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	disk, err := media.NewPrivateDisk(filepath.Join(p.Media, filesFolder),
		p.base()+filesPath, keys, media.WithOrigin(p.frontEnd()))
	if err != nil {
		return nil, fmt.Errorf("%s (--media) cannot hold files of lectures: %w",
			variable("media"), err)
	}
	return &fileStore{Store: disk, Closer: disk, route: &httpapi.Route{
		ID: "material", Method: http.MethodGet, Path: filesPath + "/*name",
		Access:  httpapi.Public,
		Summary: "Show a file of a lecture, by its signed URL",
		Do:      httpapi.Handle(http.StripPrefix(filesPath+"/", disk)),
	}}, nil
}

// filesKeys returns the keys that sign the URLs of files in a folder and of receipts. In
// development // a file next to the database has one; in production there may be none.
func (p *program) filesKeys() ([][]byte, error) {
	secrets := list(p.FilesSecret)
	if len(secrets) == 0 && !p.production() {
		secret, err := ensureSecret(p.fileNextToDatabase("files.secret"))
		if err != nil {
			return nil, fmt.Errorf("create a secret for files: %w", err)
		}
		secrets = []string{secret}
	}
	keys := make([][]byte, len(secrets))
	for i, secret := range secrets {
		keys[i] = []byte(secret)
	}
	return keys, nil
}

// fileOptions returns the options of the platform for files.
func (s *Settings) fileOptions(files *fileStore) ([]learning.Option, error) {
	largest, err := parseSize(cmp.Or(s.MaxFile, defaultMaxFile)) // exec has no default
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable("max-file"), err)
	}
	storage, err := parseSize(cmp.Or(s.MaxStorage, defaultMaxStorage))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable("max-storage"), err)
	}
	options := []learning.Option{learning.WithMaxFile(largest), learning.WithMaxStorage(storage),
		learning.WithEmbedHosts(list(s.EmbedHosts)...)}
	if files != nil {
		options = append(options, learning.WithFiles(files))
	}
	return options, nil
}

// ensureSecret returns the secret in a file, and creates it if it does not exist, so that URLs work
// after a restart.
func ensureSecret(file string) (string, error) {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := createOnce(file, []byte(rand.Text())); err != nil {
			return "", err
		}
	}
	text, err := os.ReadFile(file)
	return strings.TrimSpace(string(text)), err
}
