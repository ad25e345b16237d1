package credential

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/certify"
)

// expand is the expansion algorithm of the specification, the inverse of compress.
func expand(t *testing.T, encoded string) []byte {
	t.Helper()
	rest, ok := strings.CutPrefix(encoded, "u")
	if !ok {
		t.Fatalf("%.10s… is not base64url in Multibase", encoded)
	}
	z, err := gzip.NewReader(bytes.NewReader(decoded(t, rest)))
	if err != nil {
		t.Fatal(err)
	}
	bits, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return bits
}

// The example of Bitstring Status List 1.0 (section 2.2) is a list without revocations.
func TestStatusList_EmptyListIsTheExampleOfTheSpecification(t *testing.T) {
	bits, err := bitstring(certify.StatusList{})
	if err != nil {
		t.Fatal(err)
	}
	example := expand(t, "uH4sIAAAAAAAAA-3BMQEAAADCoPVPbQwfoAAAAAAAAAAAAAAAAAAAAIC3AYbSVKsAQAAA")
	if !bytes.Equal(bits, example) || len(bits) != 16<<10 {
		t.Errorf("%d bytes, the example has %d", len(bits), len(example))
	}
	encoded, err := compress(bits)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(expand(t, encoded), bits) {
		t.Error("expand(compress(bits)) differs from bits")
	}
	if len(encoded) > 200 {
		t.Errorf("an empty list has %d bytes", len(encoded))
	}
}

func TestStatusList_FirstCertificateIsTheLeftMostBit(t *testing.T) {
	const base = 3 * certify.StatusListSize
	bits, err := bitstring(certify.StatusList{Number: 3,
		Revoked: []int64{base, base + 7, base + 8, base + 94567,
			base + certify.StatusListSize - 1}})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 16<<10)
	// 94567 = 8 × 11820 + 7
	want[0] = 0b1000_0001
	want[1] = 0b1000_0000
	want[94567/8] = 0b0000_0001
	want[16<<10-1] = 0b0000_0001
	if !bytes.Equal(bits, want) {
		t.Errorf("%08b %08b … %08b … %08b", bits[0], bits[1], bits[11820], bits[16<<10-1])
	}
}

func TestStatusList_CertificateOfAnotherList(t *testing.T) {
	for _, number := range []int64{-1, certify.StatusListSize - 1, 2 * certify.StatusListSize} {
		if _, err := bitstring(certify.StatusList{Number: 1, Revoked: []int64{number}}); err ==
			nil {
			t.Errorf("certificate %d: no error for list 1", number)
		}
	}
}

func TestStatusList_ManyRevocationsStaySmall(t *testing.T) {
	var revoked []int64
	for n := range int64(10_000) {
		revoked = append(revoked, n*n*7919%certify.StatusListSize) // scattered, some twice
	}
	bits, err := bitstring(certify.StatusList{Revoked: revoked})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := compress(bits)
	if err != nil {
		t.Fatal(err)
	}
	if len(encoded) > 16<<10 {
		t.Errorf("the list has %d bytes", len(encoded))
	}
}
