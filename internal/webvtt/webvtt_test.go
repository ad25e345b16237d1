package webvtt

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCues_HaveTimesAndPlainTexts(t *testing.T) {
	const file = "WEBVTT - a title\r\n\r\nNOTE 00:01.000 is no cue\r\n\r\n" +
		"1\r\n00:02.500 --> 00:04.000 align:start\r\n<v Ada>Cats &amp; dogs\r\nare <b>animals</b>.\r\n\r\n" +
		"01:01:05.000 --> 01:01:06.000\r\n\r\nno part of it\r\n\r\n2:3 --> 4\r\nwrong\r\n"
	want := []Cue{{2 * time.Second, "Cats & dogs are animals."},
		{time.Hour + time.Minute + 5*time.Second, ""}}
	got, err := Cues(strings.NewReader(file))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s (%v)", diff, err)
	}
}

func TestCues_OfAFileThatCannotBeRead(t *testing.T) {
	fault := errors.New("a fault")
	if _, err := Cues(iotest.ErrReader(fault)); !errors.Is(err, fault) {
		t.Error(err)
	}
	long := "WEBVTT\n\n00:01.000 --> 00:02.000\nfirst\n\n" + strings.Repeat("x", 2*maxLine)
	if got, err := Cues(strings.NewReader(long)); len(got) != 1 || err != nil {
		t.Errorf("before a line that is too long: %v (%v)", got, err)
	}
}

// A cue of very many lines costs in proportion to its length.
func TestCues_OfManyLines(t *testing.T) {
	const lines = 20_000
	file := "WEBVTT\n\n00:01.000 --> 00:02.000\n" + strings.Repeat("a\n", lines)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cues, err := Cues(strings.NewReader(file))
	runtime.ReadMemStats(&after)
	if err != nil || len(cues) != 1 || len(cues[0].Text) != 2*lines-1 {
		t.Fatalf("%d cues, %v", len(cues), err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 200*uint64(len(file)) {
		t.Errorf("%d bytes are allocated for %d", took, len(file))
	}
}
