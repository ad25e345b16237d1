package store

import (
	"time"

	"github.com/openlectern/openlectern/internal/sqldb"
)

// The types of columns: see package sqldb.
type (
	key          = sqldb.Key
	storedKey    = sqldb.StoredKey
	optionalKey  = sqldb.OptionalKey
	timestamp    = sqldb.Timestamp
	optionalTime = sqldb.OptionalTime
)

func optional(t time.Time) optionalTime { return sqldb.Optional(t) }

func optionalText(s string) *string { return sqldb.OptionalText(s) }
