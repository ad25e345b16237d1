package core

import (
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/internal/wordindex"
)

// The limits of [Metadata]. Lengths count code points.
const (
	MaxMetadataKeys  = 50
	MaxMetadataKey   = 40
	MaxMetadataValue = 500
	MaxMetadata      = 4_096 // of all keys and values together
)

// Metadata is what a host keeps with a course, a user, an enrolment or a purchase: values by their
// keys. The platform gives it no meaning. nil and an empty map are the same. It is not the metadata
// of the identity provider, which has the role of a user.
type Metadata map[string]string

// Check returns [ErrInvalidRequest] if there are too many keys, if a key has other characters than
// a-z, 0-9 and _, if a key or a value is too long or all of them are together, or if a value is not
// a text that every database can store.
func (m Metadata) Check() error {
	length := 0
	for key, value := range m {
		if !isMetadataKey(key) || !text.Is(value, 0, MaxMetadataValue) {
			return ErrInvalidRequest
		}
		length += len(key) + utf8.RuneCountInString(value) // a key is ASCII
	}
	if len(m) > MaxMetadataKeys || length > MaxMetadata {
		return ErrInvalidRequest
	}
	return nil
}

// isMetadataKey reports whether key has 1 to [MaxMetadataKey] characters of a-z, 0-9 and _.
func isMetadataKey(key string) bool {
	for _, c := range []byte(key) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return key != "" && len(key) <= MaxMetadataKey
}

// SearchWords returns the words by which rows with this metadata are found: one for each pair of a
// key and its value. A search for several pairs looks up these words.
func (m Metadata) SearchWords() []string {
	words := make([]string, 0, len(m))
	for key, value := range m {
		words = append(words, wordindex.Whole(key+"="+value)) // a key has no =
	}
	return words
}
