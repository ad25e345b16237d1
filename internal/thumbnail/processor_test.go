package thumbnail

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	_ "image/jpeg"
	_ "image/png"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

func process(t *testing.T, data []byte) (img image.Image, format string) {
	t.Helper()
	out, format, err := New(time.Minute).Process(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	img, got, err := image.Decode(bytes.NewReader(out))
	if err != nil || got != format {
		t.Fatalf("%s, not %s: %v", got, format, err)
	}
	return img, format
}

func TestProcess_FormatAndSize(t *testing.T) {
	for name, test := range map[string]struct {
		data   []byte
		format string
		size   image.Point
	}{
		"small PNG":  {encodePNG(t, quarters(20, 10)), "png", image.Pt(20, 10)},
		"small JPEG": {encodeJPEG(t, quarters(20, 10)), "jpeg", image.Pt(20, 10)},
		"WebP":       {pixelWebP(t), "png", image.Pt(1, 1)},
		"largest":    {flatPNG(1600, 1600, 1, 0, 0, false), "png", image.Pt(1600, 1600)},
		"wide PNG":   {flatPNG(1601, 80, 8, 2, 0, false), "png", image.Pt(1600, 80)},
		"tall JPEG": {flatJPEG(markerSOF0, 1000, 4000, 1, false, 0x22, 0x11, 0x11), "jpeg",
			image.Pt(400, 1600)},
		"large WebP":   {flatWebP(2000, 100), "png", image.Pt(1600, 80)},
		"a line":       {flatPNG(60_000, 1, 1, 0, 0, false), "png", image.Pt(1600, 1)},
		"16 bits":      {flatPNG(30, 30, 16, 6, 0, false), "png", image.Pt(30, 30)},
		"interlaced":   {flatPNG(30, 30, 8, 6, 1, false), "png", image.Pt(30, 30)},
		"transparency": {flatPNG(30, 30, 8, 2, 0, true), "png", image.Pt(30, 30)},
		"progressive": {flatJPEG(markerSOF2, 30, 30, 10, false, 0x22, 0x11, 0x11), "jpeg",
			image.Pt(30, 30)},
		"CMYK": {flatJPEG(markerSOF0, 30, 30, 1, true, 0x11, 0x11, 0x11, 0x11), "jpeg",
			image.Pt(30, 30)},
		"bytes between": {append([]byte("\xff\xd8\x00\x01\xff\x00\xff"),
			flatJPEG(markerSOF0, 30, 30, 1, false, 0x11)[2:]...), "jpeg", image.Pt(30, 30)},
	} {
		img, format := process(t, test.data)
		if format != test.format || img.Bounds().Size() != test.size {
			t.Errorf("%s: %s of %v, want %s of %v", name, format, img.Bounds().Size(), test.format,
				test.size)
		}
	}
}

func TestProcess_ScalesToTheMean(t *testing.T) {
	// black and white pixels, half of them transparent
	fine := image.NewNRGBA(image.Rect(0, 0, 3200, 40))
	for y := range 40 {
		for x := range 3200 {
			fine.SetNRGBA(x, y, color.NRGBA{R: uint8((x % 2) * 255), G: 255, A: uint8(y % 2 * 255)})
		}
	}
	img, _ := process(t, encodePNG(t, fine))
	for _, p := range []image.Point{{0, 0}, {799, 10}, {1599, 19}} {
		if got, want := img.At(p.X, p.Y), (color.NRGBA{R: 128, G: 255, A: 128}); got != want {
			t.Errorf("%v: %v, want %v", p, got, want)
		}
	}
	img, _ = process(t, encodePNG(t, quarters(2345, 170)))
	for p, want := range map[image.Point]color.RGBA{{0, 0}: {B: 128, A: 255},
		{1599, 0}: {R: 255, B: 128, A: 255}, {0, 115}: {G: 255, B: 128, A: 255},
		{1599, 115}: {R: 255, G: 255, B: 128, A: 255}} {
		if got := color.RGBAModel.Convert(img.At(p.X, p.Y)); got != want {
			t.Errorf("%v: %v, want %v", p, got, want)
		}
	}
}

// TestProcess_Orientation checks where the corner that is stored first (dark) and
// the one after it (red) are shown.
func TestProcess_Orientation(t *testing.T) {
	const width, height = 40, 20
	for orientation, want := range map[uint16]struct{ dark, red image.Point }{
		0: {image.Pt(0, 0), image.Pt(1, 0)}, 1: {image.Pt(0, 0), image.Pt(1, 0)},
		2: {image.Pt(1, 0), image.Pt(0, 0)},
		3: {image.Pt(1, 1), image.Pt(0, 1)}, 4: {image.Pt(0, 1), image.Pt(1, 1)},
		5: {image.Pt(0, 0), image.Pt(0, 1)},
		6: {image.Pt(1, 0), image.Pt(1, 1)}, 7: {image.Pt(1, 1), image.Pt(1, 0)},
		8: {image.Pt(0, 1), image.Pt(0, 0)},
		9: {image.Pt(0, 0), image.Pt(1, 0)},
	} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			img, _ := process(t,
				withOrientation(encodeJPEG(t, quarters(width, height)), order, orientation))
			size := image.Pt(width, height)
			if orientation >= 5 && orientation <= 8 {
				size = image.Pt(height, width)
			}
			if img.Bounds().Size() != size {
				t.Errorf("%d: size %v, want %v", orientation, img.Bounds().Size(), size)
			}
			isRed := func(p image.Point) bool {
				r, _, _, _ := corner(img, p).RGBA()
				return r >
					0x8000
			}
			isGreen := func(p image.Point) bool {
				_, g, _, _ := corner(img, p).RGBA()
				return g >
					0x8000
			}
			if isRed(want.dark) || isGreen(want.dark) || !isRed(want.red) || isGreen(want.red) {
				t.Errorf("%d (%v): dark at %v: %v, red at %v: %v", orientation, order, want.dark,
					corner(img, want.dark), want.red, corner(img, want.red))
			}
		}
	}
}

// corner is the colour of a pixel near a corner: (0, 0) is the upper left one.
func corner(img image.Image, at image.Point) color.Color {
	size := img.Bounds().Size()
	return img.At(2+at.X*(size.X-5), 2+at.Y*(size.Y-5))
}

func TestProcess_Refuses(t *testing.T) {
	good := encodePNG(t, quarters(20, 10))
	for name, data := range map[string][]byte{
		"nothing": nil,
		"text":    []byte("hello"),
		"damaged PNG": append(bytes.Clone(good[:len(good)-30]),
			make([]byte, 30)...),
		"cut JPEG":                       encodeJPEG(t, quarters(200, 100))[:700],
		"JPEG without a frame":           []byte("\xff\xd8\xff\xd9"),
		"5,000 pixels square of 16 bits": hollowPNG(5000, 5000, 16, 6, 0, false),
		"4,200 pixels square of 8 bits":  hollowPNG(4200, 4200, 8, 2, 0, false),
		"interlaced, half of that":       hollowPNG(4200, 2100, 8, 2, 1, false),
		"grey with transparency":         hollowPNG(4200, 4200, 8, 0, 0, true),
		"progressive of 3,500 pixels": flatJPEG(markerSOF2, 3500, 3500, 1, false, 0x22, 0x11,
			0x11),
		"RGB of 3,200 pixels": flatJPEG(markerSOF0, 3200, 3200, 1, true, 0x11, 0x11,
			0x11),
		"lossless of 2,500 pixels": flatWebP(2500, 2500),
		"101 scans":                flatJPEG(markerSOF2, 8, 8, 101, false, 0x11),
		"too wide":                 hollowPNG(70_000, 1, 1, 0, 0, false),
		"a chunk before the header": slices.Concat(good[:8], binary.BigEndian.AppendUint32(
			[]byte("\x00\x00\x00\x00prVt"), crc32.ChecksumIEEE([]byte("prVt"))), good[8:]),
	} {
		if _, _, err := New(time.Minute).Process(t.Context(), data); !errors.Is(err,
			ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestInspect_MemoryCoversTheDecoder compares what inspect says with what the decoder
// allocates.
func TestInspect_MemoryCoversTheDecoder(t *testing.T) {
	const width, height, slack = 500, 400, 150_000
	images := map[string][]byte{"lossless WebP": flatWebP(width, height)}
	for _, depth := range []int{8, 16} {
		for _, colorType := range []int{0, 2, 4, 6} {
			for _, interlace := range []int{0, 1} {
				images[fmt.Sprintf("PNG %d %d %d", depth, colorType, interlace)] = flatPNG(width,
					height, depth, colorType, interlace, false)
				if colorType < 4 {
					images[fmt.Sprintf("PNG %d %d %d tRNS", depth, colorType,
						interlace)] = flatPNG(width, height, depth, colorType, interlace, true)
				}
			}
		}
	}
	images["PNG of 1 bit"], images["PNG with a palette"] = flatPNG(width, height, 1, 0, 0, false),
		flatPNG(width, height, 4, 3, 0, true)
	for _, marker := range []byte{markerSOF0, markerSOF2} {
		for _, sampling := range [][]byte{{0x11}, {0x22}, {0x11, 0x11, 0x11}, {0x22, 0x11, 0x11},
			{0x21, 0x11, 0x11}, {0x41, 0x11, 0x11}, {0x21, 0x21, 0x21}, {0x22, 0x11, 0x11, 0x22}} {
			for _, adobe := range []bool{false, true} {
				if adobe || len(sampling) < 4 {
					images[fmt.Sprintf("JPEG %x %x %v", marker, sampling, adobe)] = flatJPEG(marker,
						width, height, 1, adobe, sampling...)
				}
			}
		}
	}
	for name, data := range images {
		h, err := inspect(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = decode(t.Context(), h, data)
		runtime.ReadMemStats(&after)
		used := int64(after.TotalAlloc - before.TotalAlloc)
		if err != nil || used > h.memory+slack || name != "lossless WebP" && h.memory > used+slack {
			t.Errorf("%s: %d bytes foreseen, %d used, %v", name, h.memory, used, err)
		}
	}
}

func TestProcess_SmallImagesDoNotWaitForLargeOnes(t *testing.T) {
	p := New(0) // calls cannot wait
	p.maxWait = time.Minute
	release, err := p.acquire(t.Context(), MaxMemory)
	if err != nil {
		t.Fatal(err)
	}
	small, large := encodePNG(t, quarters(20, 10)), flatPNG(3000, 1500, 8, 2, 0, false)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, _, err := p.Process(t.Context(), small); err != nil {
				t.Errorf("small: %v", err)
			}
		})
	}
	all.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, _, err := p.Process(ctx, large); !errors.Is(err, ErrBusy) {
		t.Errorf("large, until its deadline: %v", err)
	}
	p.maxWait = time.Millisecond
	if _, _, err := p.Process(t.Context(), large); !errors.Is(err, ErrBusy) {
		t.Errorf("large, for the longest wait: %v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, _, err := p.Process(gone, large); !errors.Is(err, context.Canceled) {
		t.Errorf("large, of a caller who has left: %v", err)
	}
	release()
	p.maxWait = time.Minute
	if _, _, err := p.Process(t.Context(), large); err != nil {
		t.Errorf("large, after the other: %v", err)
	}
}

func TestDecode_StopsWithItsContext(t *testing.T) {
	data := encodePNG(t, quarters(100, 100))
	h, err := inspect(data)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := decode(ctx, h, data); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// FuzzProcess checks that no upload breaks the processor, and what it returns.
func FuzzProcess(f *testing.F) {
	f.Add(encodePNG(f, quarters(20, 10)))
	f.Add(withOrientation(encodeJPEG(f, quarters(20, 10)), binary.BigEndian, 6))
	f.Add(flatJPEG(markerSOF2, 20, 20, 2, true, 0x11, 0x11, 0x11))
	f.Add(flatPNG(9, 9, 16, 6, 1, false))
	f.Add(flatWebP(10, 10))
	f.Fuzz(func(t *testing.T, data []byte) {
		out, format, err := New(time.Minute).Process(t.Context(), data)
		if err != nil {
			if !errors.Is(err, ErrUnsupported) {
				t.Errorf("%v", err)
			}
			return
		}
		head, got, err := image.DecodeConfig(bytes.NewReader(out))
		if err != nil || got != format || head.Width > MaxSide || head.Height > MaxSide {
			t.Errorf("%s of %d x %d: %v", got, head.Width, head.Height, err)
		}
	})
}

// FuzzOrientation checks that no EXIF data breaks its reader.
func FuzzOrientation(f *testing.F) {
	f.Add([]byte("II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00"))
	f.Add([]byte("MM\x00*\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, tiff []byte) {
		if n := orientation(tiff); n < 1 || n > 8 {
			t.Errorf("%d", n)
		}
	})
}

// A JPEG that Process has made stays as it is, so that it can be copied again and again. One that
// has more than pixels, or is larger, is encoded anew.
func TestKeep_OnlyWhatProcessWrites(t *testing.T) {
	p := New(time.Minute)
	made, _, err := p.Process(t.Context(), encodeJPEG(t, quarters(50, 40)))
	if err != nil {
		t.Fatal(err)
	}
	comment := []byte{0xff, 0xfe, 0, 6, 'G', 'P', 'S', '!'}
	for name, test := range map[string]struct {
		data   []byte
		isKept bool
	}{
		"made by Process": {made, true},
		"comment":         {slices.Concat(made[:2], comment, made[2:]), false},
		"more at the end": {slices.Concat(made, []byte("<script>")), false},
		"no end":          {made[:len(made)-2], false},
		"too wide":        {flatJPEG(markerSOF0, 2000, 10, 1, false, 0x11), false},
		"progressive":     {flatJPEG(markerSOF2, 20, 10, 1, false, 0x11), false},
		"PNG":             {encodePNG(t, quarters(20, 10)), true}, // is the same again
	} {
		kept, _, err := p.Keep(t.Context(), test.data)
		if err != nil {
			if !test.isKept && errors.Is(err, ErrUnsupported) {
				continue
			}
			t.Fatalf("%s: %v", name, err)
		}
		if bytes.Equal(kept, test.data) != test.isKept {
			t.Errorf("%s: kept: %v, want %v", name, !test.isKept, test.isKept)
		}
	}
}
