package learning

import (
	"context"
	"fmt"
	"testing"
)

func TestOnlySoManySignaturesAreKept(t *testing.T) {
	var s signed
	for i := range 3*maxSigned + 5 {
		name := fmt.Sprint(i)
		got, err := s.get(t.Context(), name, forever, func(context.Context) (signature, error) { return signature{token: name}, nil })
		if err != nil || got.token != name {
			t.Fatalf("%q, %v", got.token, err)
		}
		if len(s.kept) > maxSigned {
			t.Fatalf("%d signatures are kept", len(s.kept))
		}
	}
	if len(s.kept) != 5 {
		t.Errorf("%d signatures are kept", len(s.kept))
	}
}
