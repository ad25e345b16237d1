package cartridge

import (
	"errors"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/safexml"
	"github.com/openlectern/openlectern/internal/safezip"
)

func refuse(reason string) error { return &safezip.Error{Reason: reason} }

// read returns the content of a file of at most limit bytes. It takes them from the budget.
func (c *cartridge) read(f *safezip.File, limit int64) ([]byte, error) {
	return f.ReadText(c.budget, limit)
}

// decodeXML decodes an XML document of the archive.
func (c *cartridge) decodeXML(f *safezip.File, to any) error {
	data, err := c.read(f, safexml.MaxSize)
	if err != nil {
		return err
	}
	return safexml.Decode(c.budget, data, to)
}

// refusal returns the refusal of a cartridge whose manifest is refused with err.
func refusal(err error) error {
	if refused, isRefused := errors.AsType[*safexml.Error](err); isRefused {
		return refuse("its " + Name + " " + refused.Reason)
	}
	if errors.Is(err, budget.ErrSpent) {
		return refuse("its " + Name + " is too long: split the course")
	}
	return err
}
