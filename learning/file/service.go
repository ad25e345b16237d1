package file

import (
	"fmt"

	"github.com/openlectern/openlectern/internal/thumbnail"
	"github.com/openlectern/openlectern/learning/core"
)

// Service has the operations on files and uploads. It is safe for concurrent use.
type Service struct {
	base  core.Base[Tx]
	store Reader

	media       Media       // nil for none
	mediaReader MediaReader // nil if the media store cannot be read
	files       Store       // nil for none
	maxFile     int64
	maxStorage  int64

	incoming incoming
	images   *thumbnail.Processor
}

// New returns the service. The settings must be those for which Check returns nil.
func New(base core.Base[Tx], store Reader, settings Settings) *Service {
	return &Service{
		base:        base,
		store:       store,
		media:       settings.Media,
		mediaReader: settings.MediaReader,
		files:       settings.Files,
		maxFile:     settings.MaxFile,
		maxStorage:  settings.MaxStorage,
		images:      thumbnail.New(thumbnailWait),
	}
}

// Settings are the stores and the limits of a [Service].
type Settings struct {
	Media       Media       // nil for none
	MediaReader MediaReader // the same store; nil if it cannot be read
	Files       Store       // nil for none
	MaxFile     int64       // the size of the largest file, in bytes
	MaxStorage  int64       // how many bytes all files of an educator may have
}

// DefaultSettings returns the settings without stores.
func DefaultSettings() Settings {
	return Settings{MaxFile: DefaultMaxFile, MaxStorage: DefaultMaxStorage}
}

// Check returns an error if a limit is invalid.
func (c Settings) Check() error {
	if c.MaxFile <= 0 {
		return fmt.Errorf("largest file of %d bytes: it must be larger than zero", c.MaxFile)
	}
	if c.MaxStorage <= 0 {
		return fmt.Errorf("storage of %d bytes for an educator: it must be larger than zero",
			c.MaxStorage)
	}
	return nil
}

// Reader is what the room reads, inside or outside a transaction. A method that reads a
// single row returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	fileReader
	fileTotalReader
	uploadReader
	unusedFileReader
}

// StoreTx is what a store implements for the transactions of the room.
type StoreTx interface {
	core.Tx
	Reader
	fileWriter
	fileTotalWriter
	uploadWriter
	unusedFileWriter
}

// Tx is a transaction of the room, which causes nothing in later ones.
type Tx interface {
	StoreTx
}

// ForRooms is what later rooms and package learning ask of this one. It checks no permission
// unless it says so, so nothing that a user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what later rooms ask of this one.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
