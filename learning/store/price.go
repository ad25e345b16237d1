package store

import (
	"database/sql/driver"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// prices is the column of a course's prices in other currencies: a JSON array, or NULL for none.
type prices []catalog.Price

// storedPrice is an entry of the array.
type storedPrice struct {
	Currency string     `json:"currency"`
	Amount   core.Money `json:"amount"` // in the smallest unit
}

// Value implements [driver.Valuer].
func (p prices) Value() (driver.Value, error) {
	if len(p) == 0 {
		return nil, nil
	}
	list := make([]storedPrice, len(p))
	for i, entry := range p {
		list[i] = storedPrice(entry)
	}
	return formatJSON("prices", list)
}

// Scan implements [database/sql.Scanner].
func (p *prices) Scan(value any) error {
	var list []storedPrice
	if err := parseJSON("prices", value, &list); err != nil {
		return err
	}
	*p = nil // a scan of the row before may have set it
	for _, entry := range list {
		*p = append(*p, catalog.Price(entry))
	}
	return nil
}
