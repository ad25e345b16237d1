package catalog

import (
	"context"
	"fmt"
	"maps"
	"sync/atomic"

	"github.com/openlectern/openlectern/internal/thumbnail"
	"github.com/openlectern/openlectern/learning/core"
)

// Service has the operations on courses with their chapters and lectures, on the catalogue
// of published courses, and on files and uploads. It is safe for concurrent use.
type Service struct {
	base  core.Base[Tx]
	store Reader

	media       Media       // nil for none
	mediaReader MediaReader // nil if the media store cannot be read
	files       FileStore   // nil for none
	maxFile     int64
	maxStorage  int64
	embedHosts  map[string]bool
	prices      PriceSettings

	incoming incoming
	images   *thumbnail.Processor
	lectures lectureCache
	changes  atomic.Uint64 // of the catalogue in this process
}

// New returns the service. The settings must be those for which check returns nil.
func New(base core.Base[Tx], store Reader, settings Settings) *Service {
	return &Service{
		base:        base,
		store:       store,
		media:       settings.Media,
		mediaReader: settings.MediaReader,
		files:       settings.Files,
		maxFile:     settings.MaxFile,
		maxStorage:  settings.MaxStorage,
		embedHosts:  settings.EmbedHosts,
		prices:      settings.Prices,
		images:      thumbnail.New(thumbnailWait),
	}
}

// Settings are the stores and the limits of a [Service].
type Settings struct {
	Media       Media           // nil for none
	MediaReader MediaReader     // the same store; nil if it cannot be read
	Files       FileStore       // nil for none
	MaxFile     int64           // the size of the largest file, in bytes
	MaxStorage  int64           // how many bytes all files of an educator may have
	EmbedHosts  map[string]bool // hosts whose pages lectures may embed
	Prices      PriceSettings
}

// DefaultSettings returns the settings without stores.
func DefaultSettings() Settings {
	return Settings{
		MaxFile:    DefaultMaxFile,
		MaxStorage: DefaultMaxStorage,
		EmbedHosts: maps.Clone(knownEmbedHosts),
	}
}

// Check returns an error if a limit or the name of a host is invalid.
func (c Settings) Check() error {
	if c.MaxFile <= 0 {
		return fmt.Errorf("largest file of %d bytes: it must be larger than zero", c.MaxFile)
	}
	if c.MaxStorage <= 0 {
		return fmt.Errorf("storage of %d bytes for an educator: it must be larger than zero",
			c.MaxStorage)
	}
	for host := range c.EmbedHosts {
		if !isHost(host) {
			return fmt.Errorf("host %q of embedded pages: it must be a name in lower case, such as "+
				"videos.example.org", host)
		}
	}
	return nil
}

// Reader is what the room reads, inside or outside a transaction. A method that reads a
// single row returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	courseReader
	lectureTextReader
	fileReader
	fileTotalReader
	uploadReader
	unusedFileReader
	searchReader
}

// StoreTx is what a store implements for the transactions of the room.
type StoreTx interface {
	core.Tx
	Reader
	courseWriter
	lectureTextWriter
	fileWriter
	fileTotalWriter
	uploadWriter
	unusedFileWriter
	searchWriter
}

// Tx is a transaction of the room.
type Tx interface {
	StoreTx
	Hooks
}

// Hooks is what the room causes in later ones, in the same transaction.
type Hooks interface {
	// ContentStored is called after the content of a course was stored or overwritten, with the new
	// one, so that what belongs to its chapters and lectures follows. The course is locked or new.
	ContentStored(ctx context.Context, courseID string, content []Chapter) error
}

// ForRooms is what later rooms and package learning ask of this one. It checks no permission unless
// it says so, so nothing that a user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what later rooms ask of this one.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
