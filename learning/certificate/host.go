package certificate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/go-text/typesetting/font"
	ot "github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"
)

// hostFont is a font in a folder of the host. Its characters are known from the start; its
// glyphs are read at the first use, because a large collection takes a third of a second.
type hostFont struct {
	folder  fs.FS
	path    string
	index   int // of the font in a file that is a collection
	rank    int
	region  region    // "" if the font is not made for the ideographs of one region
	letters [][2]rune // ranges of its characters, ascending
	log     *slog.Logger

	once sync.Once
	face *typeface
}

// glyph reports as its second result whether the font has a character. The first is there because
// covers takes a function with two results.
func (h *hostFont) glyph(r rune) (struct{}, bool) {
	_, found := slices.BinarySearchFunc(h.letters, r, func(have [2]rune, r rune) int {
		switch {
		case have[1] < r:
			return -1
		case have[0] > r:
			return 1
		}
		return 0
	})
	return struct{}{}, found
}

// load reads the font at the first call. If that fails, it logs the error once and returns nil at
// every call.
func (h *hostFont) load() *typeface {
	h.once.Do(func() {
		err := eachFont(h.folder, h.path, func(index int, loader *ot.Loader) error {
			if index != h.index { // another font of the collection
				return nil
			}
			f, err := font.NewFont(loader)
			if err == nil {
				h.face = newTypeface(f)
			}
			return err
		})
		if err != nil {
			h.log.Error("cannot read a font for certificates", "file", h.path, "error", err)
		}
	})
	return h.face
}

// byRank sorts better fonts first. Fonts of equal rank are sorted by path and index, so that
// the order is always the same.
func byRank(a, b *hostFont) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.path, b.path),
		cmp.Compare(a.index, b.index))
}

// findFonts returns the fonts in a folder and its subfolders.
func findFonts(folder fs.FS, log *slog.Logger) (found []*hostFont) {
	// WalkDir returns no error, because the function returns none: what cannot be read is logged.
	_ = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			log.Warn("cannot look for fonts for certificates", "folder", name, "error", err)
			return nil // go on with the other folders
		case entry.IsDir() || !slices.Contains([]string{".ttf", ".otf", ".ttc", ".otc"},
			strings.ToLower(path.Ext(name))):
			return nil
		}
		// A file that cannot be read is skipped, because the others may be enough.
		err = eachFont(folder, name, func(index int, loader *ot.Loader) error {
			h, err := newHostFont(loader)
			if h != nil { // nil for a font that suits no page
				h.folder = folder
				h.path = name
				h.index = index
				h.log = log
				found = append(found, h)
			}
			return err
		})
		if err != nil {
			log.Warn("skipped a font for certificates", "file", name, "error", err)
		}
		return nil
	})
	return found
}

// eachFont opens a font file, which may be a collection, and calls do for each font in it, until do
// returns an error. The file is closed afterwards.
func eachFont(folder fs.FS, name string, do func(index int, loader *ot.Loader) error) error {
	f, err := folder.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	// A file without random access is read into memory.
	resource, ok := f.(ot.Resource)
	if !ok {
		all, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		resource = bytes.NewReader(all)
	}
	loaders, err := ot.NewLoaders(resource)
	if err != nil {
		return err
	}
	for i, loader := range loaders {
		if err := do(i, loader); err != nil {
			return err
		}
	}
	return nil
}

// newHostFont reads the name of a font and its characters. The caller sets the file and the index.
// newHostFont returns nil, without an error, for a font without outlines and for a font in colour,
// because glyphs are embedded as outlines of one colour.
func newHostFont(loader *ot.Loader) (*hostFont, error) {
	has := func(table string) bool { return loader.HasTable(ot.MustNewTag(table)) }
	hasOutlines := has("glyf") || has("CFF ") || has("CFF2")
	hasColour := has("COLR") || has("SVG ")
	if !hasOutlines || hasColour {
		return nil, nil
	}
	letters, err := lettersOf(loader)
	if err != nil {
		return nil, err
	}
	about, _ := font.Describe(loader, nil) // the second result is a buffer to use again
	return &hostFont{letters: letters, rank: rankOf(about), region: regionOfFamily(about.Family)},
		nil
}

// lettersOf returns the characters of a font as ranges, ascending.
func lettersOf(loader *ot.Loader) ([][2]rune, error) {
	raw, err := loader.RawTable(ot.MustNewTag("cmap"))
	if err != nil {
		return nil, err
	}
	table, _, err := tables.ParseCmap(raw)
	if err != nil {
		return nil, fmt.Errorf("read the character table: %w", err)
	}
	// FPNone: characters of the Arabic fonts of Windows 3.1, which have code points of their own,
	// are not translated.
	cmap, _, err := font.ProcessCmap(table, tables.FPNone)
	if err != nil {
		return nil, fmt.Errorf("read the character table: %w", err)
	}
	ranger, ok := cmap.(font.CmapRuneRanger)
	if !ok {
		return nil, errors.New("the character table is not Unicode")
	}
	return joined(ranger.RuneRanges(nil)), nil
}

// joined sorts ranges in place, and returns them with adjacent and overlapping ones merged. Its
// result has no spare capacity, because it is kept as long as the renderer.
func joined(ranges [][2]rune) (list [][2]rune) {
	slices.SortFunc(ranges, func(a, b [2]rune) int { return cmp.Compare(a[0], b[0]) })
	for _, r := range ranges {
		if i := len(list) - 1; i >= 0 && r[0] <= list[i][1]+1 {
			list[i][1] = max(list[i][1], r[1])
			continue
		}
		list = append(list, r)
	}
	return slices.Clip(list)
}

// rankOf returns how well a font suits the page; lower is better. Upright fonts of regular
// weight come first, then plain designs, then the Noto family, then fonts with serifs. Each
// penalty is larger than all after it together.
func rankOf(about font.Description) int {
	rank := 0
	penalty := func(points int, when bool) {
		if when {
			rank += points
		}
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(words,
			func(w string) bool { return strings.Contains(about.Family, w) })
	}
	isRegular := about.Aspect.Style != font.StyleItalic &&
		about.Aspect.Weight == font.WeightNormal && about.Aspect.Stretch == font.StretchNormal
	penalty(8, !isRegular)
	penalty(4, has("Mono", "Display", "Looped", "Kufi", "Nastaliq", "Rashi", "Slanted", "Unjoined",
		"UI", "Symbols", "Math"))
	penalty(2, !has("Noto"))
	penalty(1, !has("Serif", "Naskh"))
	return rank
}

// regionOfFamily returns the region whose forms of ideographs a family has, or "" if it is not one
// of the families that exist for each region. It may be a region without a constant, such as TC.
func regionOfFamily(family string) region {
	if !strings.Contains(family, "CJK") && !strings.Contains(family, "Source Han") {
		return ""
	}
	words := strings.Fields(family)
	return region(words[len(words)-1]) // as in Noto Sans CJK JP
}
