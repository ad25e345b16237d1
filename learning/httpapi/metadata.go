package httpapi

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// metadataJSON is the metadata of a host, in requests and answers.
type metadataJSON core.Metadata

// metadataKey is the pattern of the keys of metadata.
const metadataKey = "[a-z0-9_]{1,40}"

// JSONSchemaExtend adds the limits that a schema can say: not how long all keys and values together
// may be.
func (metadataJSON) JSONSchemaExtend(s *jsonschema.Schema) {
	s.MaxProperties = new(uint64(core.MaxMetadataKeys))
	s.PropertyNames = &jsonschema.Schema{Pattern: "^" + metadataKey + "$"}
	s.AdditionalProperties = &jsonschema.Schema{Type: "string",
		MaxLength: new(uint64(core.MaxMetadataValue))}
}

// Fill implements [schemas.Filler].
func (m *metadataJSON) Fill(tree any) error {
	fields, isObject := tree.(map[string]any)
	if !isObject {
		return fmt.Errorf("metadata is of type %T", tree)
	}
	*m = metadataJSON{}
	for key, value := range fields {
		text, isText := value.(string)
		if !isText {
			return fmt.Errorf("metadata has a value of type %T", value)
		}
		(*m)[key] = text
	}
	return nil
}

// metadataPrefix begins the parameters of a query that select rows by their metadata:
// metadata.KEY=VALUE.
const metadataPrefix = "metadata."

// metadataParameter describes these parameters as one object, whose fields they are.
var metadataParameter = parameter{
	name: "metadata",
	text: "Only the courses with this metadata: a parameter `metadata.KEY=VALUE` for each of at " +
		"most three keys. The whole value is compared, with case.",
	schema: map[string]any{
		"type": "object", "maxProperties": catalog.MaxMetadataFilters,
		"additionalProperties": false,
		"patternProperties": map[string]any{
			"^metadata\\." + metadataKey + "$": map[string]any{"type": "string",
				"maxLength": core.MaxMetadataValue},
		},
	},
}

// metadataFilter returns the pairs of metadata that a query selects by. The caller checks them, but
// a key that is given twice is refused here.
func metadataFilter(query url.Values) (core.Metadata, error) {
	filter := core.Metadata{}
	for name, values := range query {
		key, isFilter := strings.CutPrefix(name, metadataPrefix)
		if !isFilter {
			continue
		}
		if len(values) > 1 {
			return nil, core.InvalidField("metadata", "must have each key once")
		}
		filter[key] = values[0]
	}
	return filter, nil
}

type setMetadataRequest struct {
	Metadata metadataJSON `json:"metadata" doc:"All metadata; an empty object removes it. At most 50 keys, and 4,096 characters of keys and values together."`
}

type metadataAnswer struct {
	Metadata metadataJSON `json:"metadata" doc:"The metadata as it is now."`
}

// setUserMetadata replaces the metadata of a user. If there is an error, the answer is not sent.
func (a *api) setUserMetadata(c *call, in setMetadataRequest) (metadataAnswer, error) {
	return metadataAnswer(in), a.platform.People.SetMetadata(c.Context(), c.actor,
		c.Param("userId"), core.Metadata(in.Metadata))
}
