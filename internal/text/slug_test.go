package text

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSlug_ASCII(t *testing.T) {
	for name, want := range map[string]string{
		"Go & Friends": "go-friends", // docs/api.md §11
		"  C++  ":      "c", "--a--b--": "a-b", "2 Many DJs!": "2-many-djs", "Ünïcödé": "unicode",
		"Straße": "strasse", "Æsir": "aesir",
		"Łódź": "lodz", "Сообщество Go": "soobshchestvo-go", "Ελληνικά": "ellenika",
		"学习小组": "xue-xi-xiao-zu", "한국어": "hangugeo",
		"हिन्दी": "hindii", "العربية": "l-rby", "ภาษาไทย": "phaasaaaithy", "עברית": "bryt",
		"தமிழ்": "tmilll", "ქართული": "k-art-uli",
		"ＷＩＤＥ　２": "wide-2", "𝐁𝐨𝐥𝐝": "bold", "ﬁne": "fine", "①": "1", "e\u0301": "e",
		"🎉 Party 🎉": "party", "a\x00b": "a-b", "a\u200bb": "a-b",
	} {
		if got := Slug(name); got != want {
			t.Errorf("the slug of %q is %q, want %q", name, got, want)
		}
	}
}

func TestSlug_Random(t *testing.T) {
	for _, name := range []string{"🎉", "…", "𐐀", "\x00", "?!", "\u200b"} {
		one, other := Slug(name), Slug(name)
		if !slugs.MatchString(one) || len(one) < 20 || one == other {
			t.Errorf("the slugs of %q are %q and %q", name, one, other)
		}
	}
}

var slugs = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func TestSlug_LongNames(t *testing.T) {
	const longestName = 60 // of a group
	long := strings.Repeat("状", longestName-1)
	one, other := Slug(long+"一"), Slug(long+"二")
	if one == other || len(one) > maxSlug || one != Slug(long+"一") || !slugs.MatchString(one) {
		t.Errorf("the slugs are %q and %q", one, other)
	}
	if fits := strings.Repeat("x", longestName); Slug(fits) != fits {
		t.Errorf("the slug of %q is %q", fits, Slug(fits))
	}
}

func TestNameKey_IgnoresCase(t *testing.T) {
	same := [][]string{{"Go", "GO", "go", "gO", "Ｇｏ"}, {"ΣΑΣ", "σας", "σασ"},
		{"ÉCOLE", "école", "e\u0301cole"}, {"Привет", "ПРИВЕТ"}, {"\u212a", "k", "K"}, {"𐐀", "𐐨"}}
	keys := map[string]string{}
	for _, names := range same {
		for _, name := range names {
			if NameKey(name) != NameKey(names[0]) {
				t.Errorf("%q and %q have not the same key", name, names[0])
			}
		}
		if other, taken := keys[NameKey(names[0])]; taken {
			t.Errorf("%q and %q have the same key", names[0], other)
		}
		keys[NameKey(names[0])] = names[0]
	}
	if NameKey("go") == NameKey("g o") || NameKey("") == NameKey("\x00") {
		t.Error("other names have the same key")
	}
}

func TestSlug_EveryCharacter(t *testing.T) {
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		name := strings.Repeat(string(r), 60)
		if slug := Slug(name); !slugs.MatchString(slug) || len(slug) > maxSlug {
			t.Fatalf("the slug of %q (%U) is %q", name, r, slug)
		}
		if r > 0x3000 {
			r += 40 // of each script some are enough
		}
	}
}

func FuzzSlug(f *testing.F) {
	for _, name := range []string{"Go & Friends", "学习小组", "🎉", "\xff", "\u0130", "ﷺ",
		strings.Repeat("状", 60)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if slug := Slug(name); !slugs.MatchString(slug) || len(slug) > maxSlug {
			t.Errorf("the slug of %q is %q", name, slug)
		}
		if len(NameKey(name)) > MaxID || NameKey(name) != NameKey(strings.ToUpper(name)) &&
			name == strings.ToLower(strings.ToUpper(name)) {
			t.Errorf("the key of %q is %q", name, NameKey(name))
		}
	})
}
