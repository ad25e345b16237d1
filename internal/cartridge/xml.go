package cartridge

import (
	"errors"

	"github.com/openlectern/openlectern/internal/safexml"
	"github.com/openlectern/openlectern/internal/safezip"
)

func refuse(reason string) error { return &safezip.Error{Reason: reason} }

// decodeXML decodes an XML document of an archive.
func decodeXML(f *safezip.File, to any) error {
	data, err := f.ReadAll(safexml.MaxSize)
	if err != nil {
		return err
	}
	return refusal(f, safexml.Decode(data, to))
}

// refusal returns the refusal of a cartridge whose document is refused with err.
func refusal(f *safezip.File, err error) error {
	if refused, isRefused := errors.AsType[*safexml.Error](err); isRefused {
		return refuse("its " + f.Name + " " + refused.Reason)
	}
	return err
}
