package core

import (
	"cmp"
	"fmt"
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

// Check returns a [FieldError] with [ErrInvalidRequest] if there are too many keys, if a key has
// other characters than a-z, 0-9 and _, if a key or a value is too long or all of them are
// together, or if a value is not a text that every database can store.
func (m Metadata) Check() error {
	length := 0
	for key, value := range m {
		if !isMetadataKey(key) {
			return InvalidField("metadata", fmt.Sprintf(
				"must have keys of 1 to %d letters a-z, digits and _", MaxMetadataKey))
		}
		if reason := text.Problem(value, 0, MaxMetadataValue); reason != "" {
			return InvalidField("metadata", "has a value that "+reason)
		}
		length += len(key) + utf8.RuneCountInString(value) // a key is ASCII
	}
	return cmp.Or(
		Require(len(m) <= MaxMetadataKeys, "metadata",
			fmt.Sprintf("must have at most %d keys", MaxMetadataKeys)),
		Require(length <= MaxMetadata, "metadata",
			fmt.Sprintf("must have at most %d characters, with its keys", MaxMetadata)))
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
