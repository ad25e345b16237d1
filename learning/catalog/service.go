package catalog

import (
	"context"
	"fmt"
	"maps"
	"sync/atomic"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
)

// Service has the operations on courses with their chapters and lectures, on the catalogue
// of published courses. It is safe for concurrent use.
type Service struct {
	base  core.Base[Tx]
	store Reader

	files      *file.ForRooms
	embedHosts map[string]bool
	prices     PriceSettings

	lectures lectureCache
	changes  atomic.Uint64 // of the catalogue in this process
}

// New returns the service. The settings must be those for which check returns nil.
func New(
	base core.Base[Tx], store Reader, files *file.ForRooms, settings Settings,
) *Service {
	return &Service{
		base:       base,
		store:      store,
		files:      files,
		embedHosts: settings.EmbedHosts,
		prices:     settings.Prices,
	}
}

// Settings are those of a [Service].
type Settings struct {
	EmbedHosts map[string]bool // hosts whose pages lectures may embed
	Prices     PriceSettings
}

// DefaultSettings returns the settings with the hosts that are known.
func DefaultSettings() Settings {
	return Settings{EmbedHosts: maps.Clone(knownEmbedHosts)}
}

// Check returns an error if the name of a host is invalid.
func (c Settings) Check() error {
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
	courseFileReader
	searchReader
}

// StoreTx is what a store implements for the transactions of the room.
type StoreTx interface {
	core.Tx
	Reader
	courseWriter
	lectureTextWriter
	courseFileTx
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
