package filetype_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/filetype"
)

// zipOf returns a zip with entries, which are not compressed.
func zipOf(t *testing.T, entries ...[2]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, entry := range entries {
		e, err := w.CreateRaw(&zip.FileHeader{Name: entry[0],
			UncompressedSize64: uint64(len(entry[1])), CompressedSize64: uint64(len(entry[1]))})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Write([]byte(entry[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const office = "application/vnd.openxmlformats-officedocument."

func TestType_ByContent(t *testing.T) {
	odt := "application/vnd.oasis.opendocument.text"
	many := make([][2]string, 5_000)
	for i := range many {
		many[i] = [2]string{fmt.Sprintf("folder/entry number %d.txt", i), strings.Repeat("x", 900)}
	}
	for _, test := range []struct{ name, content, want string }{
		{"a.mp4", "\x00\x00\x00\x20ftypisom\x00\x00\x02\x00", "video/mp4"},
		{"a.heic", "\x00\x00\x00\x20ftypheic\x00\x00\x02\x00", ""},
		{"a.m4a", "\x00\x00\x00\x20ftypM4A \x00\x00\x02\x00", "audio/mp4"},
		{"a.webm", "\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm", "video/webm"},
		{"a.mkv", "\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x88matroska", ""},
		{"a.mp3", "ID3\x04\x00", "audio/mpeg"},
		{"b.mp3", "\xff\xfb\x90\x64\x00", "audio/mpeg"},
		{"utf16.txt", "\xff\xfea\x00", ""},
		{"a.ogg", "OggS\x00\x02", "audio/ogg"},
		{"a.pdf", "%PDF-1.7\n", "application/pdf"},
		{"a.png", "\x89PNG\r\n\x1a\n\x00", "image/png"},
		{"a.jpg", "\xff\xd8\xff\xe0\x00", "image/jpeg"},
		{"a.webp", "RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"},
		{"a.zip", zipOf(t, [2]string{"a.html", "<p>"}), "application/zip"},
		{"empty.zip", zipOf(t), "application/zip"},
		{"large.zip", zipOf(t, many...), "application/zip"},
		{"a.docx", zipOf(t, [2]string{"[Content_Types].xml", ""}, [2]string{"word/document.xml", ""}),
			office + "wordprocessingml.document"},
		{"a.pptx", zipOf(t, [2]string{"[Content_Types].xml", ""},
			[2]string{"ppt/presentation.xml", ""}), office + "presentationml.presentation"},
		{"a.xlsx", zipOf(t, [2]string{"[Content_Types].xml", ""}, [2]string{"xl/workbook.xml", ""}),
			office + "spreadsheetml.sheet"},
		{"a.odt", zipOf(t, [2]string{"mimetype", odt}, [2]string{"content.xml", ""}), odt},
		{"a.jar", zipOf(t, [2]string{"META-INF/MANIFEST.MF", ""}), ""},
		{"cut.zip", zipOf(t, [2]string{"a", "b"})[:40], ""},
		{"a.vtt", "WEBVTT\n\n00:00.000 --> 00:01.000\nHello", "text/vtt"},
		{"mark.txt", "\uFEFFWEBVTT\n", "text/vtt"},
		{"no.txt", "WEBVTTX\n", "text/plain"},
		{"a.md", "# Title\n\nText – with a dash", "text/markdown"},
		{"a.TXT", "Text", "text/plain"},
		{"a.html", "<!DOCTYPE html><p>", ""},
		{"html.txt", " \n<html>", ""},
		{"svg.md", "\uFEFF<svg onload=alert(1)>", ""},
		{"a.js", "alert(1)", ""},
		{"script.txt", "#!/bin/sh\n", ""},
		{"a.exe", "MZ\x90\x00", ""},
		{"elf", "\x7fELF\x02", ""},
		{"zero.txt", "a\x00b", ""},
		{"latin1.txt", "gr\xfcn", ""},
		{"cut.txt", "gr\xc3", ""},
		{"empty.txt", "", ""},
	} {
		// The pieces in which a file arrives must not matter.
		for _, piece := range []int{1, 7, 64 << 10, 8 << 20} {
			var d filetype.Detector
			for rest := []byte(test.content); len(rest) > 0; rest = rest[min(piece, len(rest)):] {
				if _, err := d.Write(rest[:min(piece, len(rest))]); err != nil {
					t.Fatal(err)
				}
			}
			got, ok := d.Type(test.name)
			if got != test.want || ok != (test.want != "") {
				t.Errorf("%s in pieces of %d: %q, %v; want %q", test.name, piece, got, ok, test.want)
			}
			if len(test.content) > 1<<20 && piece == 1 {
				break
			}
		}
	}
}
