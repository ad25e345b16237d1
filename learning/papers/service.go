package papers

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// Service has the operations on receipts, credit notes and billing data. It is safe for concurrent
// use.
type Service struct {
	base  core.Base[Tx]
	store Reader

	seller   Seller
	tax      TaxPort
	renderer Renderer // nil for none
	links    links
	years    int
}

// New returns the service.
func New(base core.Base[Tx], store Reader, settings Settings) *Service {
	return &Service{
		base:  base,
		store: store,

		seller:   settings.Seller,
		tax:      settings.Tax,
		renderer: settings.Renderer,
		links:    links{base: settings.LinkURL, keys: settings.LinkKeys},
		years:    settings.Years,
	}
}

// Settings are the seller, the providers and the rules of the service.
type Settings struct {
	Seller   Seller // without a name no papers are made
	Tax      TaxPort
	Renderer Renderer // nil for none: then papers are numbered, and none can be read
	// LinkURL is the public URL of the API, and LinkKeys sign the links to papers. The first key
	// signs, and all verify. Without keys there are no links.
	LinkURL  string
	LinkKeys [][]byte
	// Years is how long papers of a deleted user keep name, address and tax id of the buyer.
	Years int
}

// DefaultYears is the default of [Settings.Years].
const DefaultYears = 10

// DefaultSettings returns the settings of a platform without options.
func DefaultSettings() Settings { return Settings{Tax: FixedTax{}, Years: DefaultYears} }

// minLinkKey is the length of the shortest key of links, in bytes.
const minLinkKey = 16

// Check returns an error that says which setting is wrong.
func (s Settings) Check() error {
	if err := s.Seller.check(); err != nil {
		return err
	}
	if fixed, ok := s.Tax.(FixedTax); ok {
		if err := fixed.check(); err != nil {
			return err
		}
	}
	if s.Years < 1 || s.Years > maxYears {
		return fmt.Errorf("years of papers %d: they must be from 1 to %d", s.Years, maxYears)
	}
	for _, key := range s.LinkKeys {
		if len(key) < minLinkKey {
			return fmt.Errorf("a key of links to papers has %d bytes: it must have at least %d",
				len(key), minLinkKey)
		}
	}
	if len(s.LinkKeys) > 0 && !text.IsWebURL(s.LinkURL) {
		return errors.New(
			"links to papers need the public URL of the API, absolute and http or https")
	}
	return nil
}

// maxYears is the largest number of years in [Settings].
const maxYears = 100

// Seller is who sells. It stands on each paper as it was when the paper was numbered.
type Seller struct {
	Name    string // "" for none: then no papers are made
	Address string // lines are separated by \n
	TaxID   string
	// TimeZone decides on which day and in which year a paper is numbered; nil for UTC.
	TimeZone *time.Location
}

// Limits of a [Seller] and of [Billing], in code points.
const (
	MaxName    = 200
	MaxAddress = 1_000
	MaxTaxID   = 50
)

// check returns an error that says which field is wrong.
func (s Seller) check() error {
	for _, field := range []struct {
		what, value string
		most        int
	}{
		{"name", s.Name, MaxName}, {"address", s.Address, MaxAddress}, {"tax id", s.TaxID, MaxTaxID},
	} {
		if reason := text.Problem(field.value, 0, field.most); reason != "" {
			return fmt.Errorf("the %s of the seller %s", field.what, reason)
		}
	}
	if s.Name != "" && strings.TrimSpace(s.Name) == "" {
		return errors.New("the name of the seller must not be blank")
	}
	return nil
}

// Month returns when a month, such as 2026-01, begins and ends in the time zone of the seller,
// which decides in which month a paper is numbered. Error: [core.ErrInvalidRequest].
func (s *Service) Month(text string) (from, to time.Time, err error) {
	const layout = "2006-01"
	zone := s.seller.local(time.Time{}).Location()
	from, err = time.ParseInLocation(layout, text, zone)
	if err != nil {
		return from, to, core.InvalidField("month", "must be a month such as 2026-01")
	}
	return from, from.AddDate(0, 1, 0), nil
}

// local returns a time in the time zone of the seller.
func (s Seller) local(at time.Time) time.Time {
	if s.TimeZone == nil {
		return at.UTC()
	}
	return at.In(s.TimeZone)
}

// Reader is what the room reads, inside or outside a transaction. A method that reads a single row
// returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	billingReader
	paperReader
}

// Tx is a transaction of the room.
type Tx interface {
	core.Tx
	Reader
	billingWriter
	paperWriter
}

// System has the operations of the host itself on papers. They take no actor and check no
// permission, so nothing that a user sends may reach them unchecked.
type System struct{ service *Service }

// System returns the operations that take no actor.
func (s *Service) System() System { return System{s} }

// ForRooms is what package learning asks of this room. It checks no permission, so nothing that a
// user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what package learning asks of this room.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }
