package core_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/core"
)

func TestMetadata_Check(t *testing.T) {
	t.Parallel()
	keys := func(n int) core.Metadata {
		m := core.Metadata{}
		for i := range n {
			m[fmt.Sprintf("key_%d", i)] = ""
		}
		return m
	}
	// filled has 4,096 characters of keys and values, and more in the last value.
	filled := func(more int) core.Metadata {
		m := core.Metadata{"last": strings.Repeat("é", 76+more)}
		for i := range 8 {
			m[fmt.Sprint(i, "_")] = strings.Repeat("日", core.MaxMetadataValue)
		}
		return m
	}
	for name, test := range map[string]struct {
		m     core.Metadata
		valid bool
	}{
		"nil":               {nil, true},
		"empty":             {core.Metadata{}, true},
		"an empty value":    {core.Metadata{"a": ""}, true},
		"spaces":            {core.Metadata{"a": "  "}, true},
		"signs":             {core.Metadata{"a": "\x01\"\\<&>\u2028🎓"}, true},
		"each character":    {core.Metadata{"az09_": "1"}, true},
		"50 keys":           {keys(50), true},
		"51 keys":           {keys(51), false},
		"4096 characters":   {filled(0), true},
		"4097 characters":   {filled(1), false},
		"40 in a key":       {core.Metadata{strings.Repeat("k", 40): "1"}, true},
		"41 in a key":       {core.Metadata{strings.Repeat("k", 41): "1"}, false},
		"500 in a value":    {core.Metadata{"a": strings.Repeat("🎓", 500)}, true},
		"501 in a value":    {core.Metadata{"a": strings.Repeat("a", 501)}, false},
		"no key":            {core.Metadata{"": "1"}, false},
		"a capital letter":  {core.Metadata{"Level": "1"}, false},
		"a hyphen":          {core.Metadata{"a-b": "1"}, false},
		"an equals sign":    {core.Metadata{"a=b": "1"}, false},
		"an accent":         {core.Metadata{"é": "1"}, false},
		"a zero byte":       {core.Metadata{"a": "\x00"}, false},
		"invalid UTF-8":     {core.Metadata{"a": "\xff"}, false},
		"a zero in the key": {core.Metadata{"a\x00": "1"}, false},
	} {
		err := test.m.Check()
		if (err == nil) != test.valid || err != nil && !errors.Is(err, core.ErrInvalidRequest) {
			t.Errorf("%s: %v, want valid: %t", name, err, test.valid)
		}
	}
}
