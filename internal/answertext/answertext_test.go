package answertext_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/openlectern/openlectern/internal/answertext"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " \u00a0 ": "", "\u200b\ufeff\u00ad": "", "Don’t": "Don't", "„x“ «y» ‚z‘": `"x" "y" 'z'`,
		"a \u00a0\t\r\nb\u3000c": "a b c", "a \u200b b": "a b", "e\u200b\u0301": "é",
		"\u2010\u2011\u2212－-": "-----", "–—‒―": "–—‒―", "０１２３４５６７８９．５＋１": "0123456789.5+1",
		"٣٤": "٣٤", "Ａ": "Ａ", "m² ′ ″": "m² ′ ″", "👩\u200d🚀": "👩🚀", "❤\ufe0f": "❤", "\u2126": "Ω",
		"ꙮ̈": "ꙮ̈", "a\xffb": "a\ufffdb",
	} {
		if got := answertext.Plain(text); got != want {
			t.Errorf("%+q is %+q, want %+q", text, got, want)
		}
	}
}

func TestFolded(t *testing.T) {
	for text, want := range map[string]string{
		"STRASSE": "strasse", "Straße": "strasse", "ẞ": "ss", "Σας": "σασ", "İ": "i̇", "ı": "ı",
		"ŉ": "'n", "Éa": "éa", "E\u0301a": "éa", "K": "k",
	} {
		if got := answertext.Folded(text); got != want {
			t.Errorf("%+q is %+q, want %+q", text, got, want)
		}
	}
}

// A letter is the same in each of its cases, whatever the script.
func TestFolded_EveryLetterWithCase(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		other := unicode.SimpleFold(r)
		if other == r {
			continue
		}
		folded := answertext.Folded(string(r))
		if got := answertext.Folded(string(other)); got != folded {
			t.Errorf("%+q is %+q, and %+q is %+q", r, folded, other, got)
		}
		if again := answertext.Folded(folded); again != folded {
			t.Errorf("%+q is %+q, and again %+q", r, folded, again)
		}
	}
}

// A text in the form of comparison has it already, and so have all texts that Unicode regards as
// equal.
func FuzzFolded(f *testing.F) {
	for _, text := range []string{"Don’t  “x”", "E\u0301\u200b", "ŉΣ\u0345ᾳ\u0301", "１２\u00a0",
		"İ\u0307", "Ꮎꮎ"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		folded := answertext.Folded(text)
		if again := answertext.Folded(folded); again != folded {
			t.Errorf("%+q is %+q, and again %+q", text, folded, again)
		}
		if !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) {
			return
		}
		if other := answertext.Folded(norm.NFD.String(text)); other != folded {
			t.Errorf("%+q is %+q, and decomposed %+q", text, folded, other)
		}
	})
}
