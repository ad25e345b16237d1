package certify

import (
	"context"
	"fmt"
	"testing"
)

func TestSignatureCache_IsBounded(t *testing.T) {
	var s signatureCache
	for i := range 3*maxSignatures + 5 {
		name := fmt.Sprint(i)
		got, err := s.get(t.Context(), name, alwaysValid,
			func(context.Context) (signature, error) { return signature{token: name}, nil })
		if err != nil || got.token != name {
			t.Fatalf("%q, %v", got.token, err)
		}
		if len(s.entries) > maxSignatures {
			t.Fatalf("%d signatures are kept", len(s.entries))
		}
	}
	if len(s.entries) != 5 {
		t.Errorf("%d signatures are kept", len(s.entries))
	}
}
