package file_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func encoded(t *testing.T, encode func(b *bytes.Buffer, img image.Image) error) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 20, 10),
		color.Palette{color.White, color.RGBA{R: 200, A: 255}})
	for i := range img.Pix {
		img.Pix[i] = byte(i % 2)
	}
	var b bytes.Buffer
	if err := encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func goodPNG(t *testing.T) []byte {
	return encoded(t, func(b *bytes.Buffer, img image.Image) error { return png.Encode(b, img) })
}

func goodJPEG(t *testing.T) []byte {
	return encoded(t,
		func(b *bytes.Buffer, img image.Image) error { return jpeg.Encode(b, img, nil) })
}

// GIF is rejected also in a program that can decode it, like this test.
func goodGIF(t *testing.T) []byte {
	return encoded(t,
		func(b *bytes.Buffer, img image.Image) error { return gif.Encode(b, img, nil) })
}

// goodWebP is one lossless pixel.
func goodWebP(t *testing.T) []byte {
	b, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// chunk is a part of a PNG.
func chunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// hugePNG returns a PNG whose header claims this size in black and white. It has a few rows.
func hugePNG(width, height uint32, rows int) []byte {
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	var data bytes.Buffer
	z := zlib.NewWriter(&data)
	for range rows {
		z.Write(make([]byte, 1+(width+7)/8))
	}
	z.Close()
	b := append([]byte(pngSignature), chunk("IHDR", append(header, 1, 0, 0, 0, 0))...)
	return append(append(b, chunk("IDAT", data.Bytes())...), chunk("IEND", nil)...)
}

// padded returns an image with bytes added up to a length.
func padded(image []byte, size int) []byte {
	return append(bytes.Clone(image), make([]byte, size-len(image))...)
}

func TestThumbnail_InvalidImage(t *testing.T) {
	wrongSum := goodPNG(t)
	wrongSum[len(wrongSum)-20] ^= 1
	for name, upload := range map[string][]byte{
		"SVG": []byte(
			`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
		"SVG with an XML head": []byte(
			`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`),
		"HTML":                      []byte(`<!doctype html><script>alert(1)</script>`),
		"HTML that begins as a PNG": []byte(pngSignature + `<script>alert(1)</script>`),
		"JavaScript that is a GIF": []byte("GIF89a/*" + strings.Repeat("x", 100) +
			"*/=1;alert(1);"),
		"a GIF":                  goodGIF(t),
		"a GIF with a script":    append(goodGIF(t), "<script>alert(1)</script>"...),
		"40,000 pixels square":   hugePNG(40_000, 40_000, 1),
		"too many pixels":        hugePNG(8_000, 8_400, 8_400),
		"pixels beyond counting": hugePNG(1<<31-1, 1<<31-1, 0),
		"a PNG without pixels":   hugePNG(0, 0, 0),
		"a PNG cut short":        goodPNG(t)[:60],
		"a JPEG cut short":       goodJPEG(t)[:200],
		"a WebP cut short":       goodWebP(t)[:20],
		"a PNG with a wrong sum": wrongSum,
		"a signature alone":      []byte(pngSignature),
		"text":                   []byte("hello"),
		"a PDF":                  []byte("%PDF-1.7\n"),
		"a byte too many":        padded(goodPNG(t), file.MaxThumbnail+1),
	} {
		media := &roomtest.MemoryMedia{}
		if _, err := media.Add(t, upload); !errors.Is(err, file.ErrThumbnailRefused) {
			t.Errorf("%s: %v", name, err)
		}
		if len(media.Files) != 0 {
			t.Errorf("%s was stored", name)
		}
	}
}

func TestThumbnail_Missing(t *testing.T) {
	for _, upload := range [][]byte{nil, {}} {
		if _, err := (&roomtest.MemoryMedia{}).Add(t, upload); !errors.Is(err,
			file.ErrThumbnailMissing) {
			t.Errorf("%v", err)
		}
	}
}

// withEXIF returns a JPEG with an APP1 segment, in which cameras store the location.
func withEXIF(jpeg []byte) []byte {
	exif := "Exif\x00\x00" + "taken at 52.5200 N 13.4050 E"
	segment := append([]byte{0xff, 0xe1, 0, byte(len(exif) + 2)}, exif...)
	return append(append(bytes.Clone(jpeg[:2]), segment...), jpeg[2:]...)
}

// withText is a PNG with a comment.
func withText(png []byte) []byte {
	end := len(png) - len(chunk("IEND", nil))
	return append(append(bytes.Clone(png[:end]),
		chunk("tEXt", []byte("Comment\x00taken at 52.5200 N"))...), png[end:]...)
}

func TestThumbnail_IsEncodedAgain(t *testing.T) {
	const script = "<script>alert(1)</script>"
	for name, tt := range map[string]struct {
		upload          []byte
		extension, mime string
		format          string
		width, height   int
	}{
		"JPEG": {append(withEXIF(goodJPEG(t)), script...), ".jpg", "image/jpeg",
			"jpeg", 20, 10},
		"PNG": {append(withText(goodPNG(t)), script...), ".png", "image/png",
			"png", 20, 10},
		"WebP": {append(goodWebP(t), script...), ".png", "image/png", "png", 1,
			1},
		"as many bytes as may be": {padded(goodPNG(t), file.MaxThumbnail), ".png", "image/png",
			"png", 20, 10},
		"many pixels": {hugePNG(5_000, 5_000, 5_000), ".png", "image/png", "png", 1600,
			1600},
	} {
		media := &roomtest.MemoryMedia{}
		kept, err := media.Add(t, tt.upload)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		data := media.Files[kept]
		head, format, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil || format != tt.format || head.Width != tt.width || head.Height != tt.height {
			t.Errorf("%s: kept as %s, %dx%d, %v", name, format, head.Width, head.Height, err)
		}
		if !strings.HasSuffix(kept, tt.extension) || media.Types[kept] != tt.mime ||
			len(kept) < 36 {
			t.Errorf("%s: kept as %s, %s", name, kept, media.Types[kept])
		}
		for _, secret := range []string{script, "taken at", "Exif"} {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s: %q is still in it", name, secret)
			}
		}
	}
}

func TestAddCourse_ImagesBusy(t *testing.T) {
	media := &roomtest.MemoryMedia{}
	w := learningtest.New(t, learningtest.WithPlatform(learning.WithMedia(media)))
	w.Platform.Files.SetImagesBusy()
	_, err := w.Platform.Catalog.AddCourse(ctx(),
		learning.Actor{UserID: "educator", Role: core.Educator}, roomtest.NewCourse("go"), goodPNG(t))
	passing, ok := errors.AsType[*core.RetryableError](err)
	if !ok || passing.Failure != file.ErrThumbnailBusy || passing.After <= 0 ||
		len(media.Files) != 0 {
		t.Errorf("%v, %d files", err, len(media.Files))
	}
}

// The course is not stored, and the file cannot be removed, as if the instance had been killed in
// between: a reconciliation removes the file, but not while the upload may be in progress.
func TestReconcile_RemovesAFileThatWasNeverUsed(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		store, media := &roomtest.FaultyStore{}, &roomtest.UndeletableMedia{}
		w := roomtest.New(t, database, roomtest.WithFaultyStore(store),
			learningtest.WithPlatform(learning.WithMedia(media)))
		course := w.Course(t, "go", 0)
		media.Fails = true
		for step, upload := range map[string]func() error{
			"insert a course": func() error {
				_, err := w.Platform.Catalog.AddCourse(ctx(), roomtest.Teacher,
					roomtest.NewCourse("rust"),
					learningtest.Thumbnail(t))
				return err
			},
			"set a thumbnail": func() error {
				_, err := w.Platform.Catalog.SetThumbnail(ctx(), roomtest.Teacher, course,
					learningtest.Thumbnail(t))
				return err
			},
		} {
			store.FailOn(step)
			if err := upload(); !errors.Is(err, roomtest.ErrInjected) {
				t.Errorf("%s: %v", step, err)
			}
		}
		media.Fails = false
		for _, want := range []int{2, 0} {
			w.Tidy(t)
			if n := w.Count(t, "unused_files"); n != want || len(media.Files) != 1+n {
				t.Errorf("%d files and %d rows after %v, want %d", len(media.Files), n,
					w.Clock.Now(), want)
			}
			w.Clock.Advance(time.Hour)
		}
		media.WantInUse(t, w)
	})
}

// slowMedia is a media store in which something happens before a file is stored.
type slowMedia struct {
	roomtest.MemoryMedia
	before func()
}

func (m *slowMedia) Put(ctx context.Context, name, contentType string, data []byte) error {
	m.before()
	return m.MemoryMedia.Put(ctx, name, contentType, data)
}

// An upload that takes longer than its reservation fails, because its file may have been removed.
func TestAddCourse_UploadThatTakesTooLong(t *testing.T) {
	media := &slowMedia{}
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(learning.WithMedia(media)))
	educator := w.Person(t, "educator", core.Educator)
	media.before = func() {
		w.Clock.Advance(time.Hour)
		w.Tidy(t)
	}
	if _, err := w.Platform.Catalog.AddCourse(ctx(), educator, roomtest.NewCourse("go"),
		learningtest.Thumbnail(t)); err == nil {
		t.Error("the course was added, and its picture may be missing")
	}
	media.WantInUse(t, w)
}

// repeatingMedia has lost the answer to a request, repeats it, and finds that the file exists.
type repeatingMedia struct{ roomtest.MemoryMedia }

func (m *repeatingMedia) Put(ctx context.Context, name, contentType string, data []byte) error {
	if err := m.MemoryMedia.Put(ctx, name, contentType, data); err != nil {
		return err
	}
	return fmt.Errorf("store an object: %w", fs.ErrExist)
}

func TestSetThumbnail_AnswerOfTheMediaStoreWasLost(t *testing.T) {
	media := &repeatingMedia{}
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(learning.WithMedia(media)))
	course := w.Course(t, "go", 0)
	name, err := w.Platform.Catalog.SetThumbnail(ctx(),
		learning.Actor{UserID: "educator", Role: core.Educator}, course, goodPNG(t))
	if err != nil || w.Count(t, "courses WHERE thumbnail = '"+name+"'") != 1 {
		t.Errorf("%q: %v; the courses are %v", name, err, w.Rows(t, "courses"))
	}
}
