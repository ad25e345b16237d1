package filetype_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
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
		{"later.pdf", "\r\n%PDF-1.4\n", "application/pdf"},
		{"print.pdf", "\x1b%-12345X@PJL\r\n" + strings.Repeat("x", 1_000) + "%PDF-1.4\n", "application/pdf"},
		{"about.md", "# The beginning\n\n%PDF-1.4", "text/markdown"},
		{"too-late.pdf", strings.Repeat("x", 1_024) + "%PDF-1.4\x00", ""},
		{"page.pdf", "<html>%PDF-1.4\n", ""},
		{"program.pdf", "MZ\x00%PDF-1.4\n", ""},
		{"camera.mp4", "\x00\x00\x00\x1cftypXAVC\x01\x00\x1f\xffXAVCmp42iso2", "video/mp4"},
		{"a.MOV", "\x00\x00\x00\x14ftypqt  \x00\x00\x02\x00qt  \x00\x00\x00\x08wide", ""},
		{"a.avif", "\x00\x00\x00\x1cftypavif\x00\x00\x00\x00avifmif1iso8", ""},
		{"webm.mkv", "\x1aE\xdf\xa3\x9fB\x82\x88matroska made by a program for webm", ""},
		{"a.srt", "1\n00:00:01,000 --> 00:00:02,000\nHello\n", ""},
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

// A zip64 that says that it has many entries costs no memory for them.
func TestType_EntriesThatAreNotThere(t *testing.T) {
	const size = 64 << 20
	var d filetype.Detector
	piece := make([]byte, 1<<20)
	_, _ = d.Write([]byte("PK\x03\x04"))
	for range size / len(piece) {
		_, _ = d.Write(piece)
	}
	end := binary.LittleEndian.AppendUint64([]byte("PK\x06\x06"), 44)
	end = append(end, make([]byte, 12)...)
	for _, n := range []uint64{size / 31, size / 31, 0, 0} { // entries, and where these are
		end = binary.LittleEndian.AppendUint64(end, n)
	}
	end = append(append(end, "PK\x06\x07\x00\x00\x00\x00"...),
		binary.LittleEndian.AppendUint64(nil, size+4)...)
	end = append(append(end, 1, 0, 0, 0), "PK\x05\x06\x00\x00\x00\x00"...)
	end = append(append(end, "\xff\xff\xff\xff"+"\xff\xff\xff\xff"+"\xff\xff\xff\xff"...), 0, 0)
	_, _ = d.Write(end)

	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	got, ok := d.Type("a.zip")
	runtime.ReadMemStats(&is)
	if took := is.TotalAlloc - was.TotalAlloc; ok || took > 1<<20 {
		t.Errorf("%q, %d bytes of memory", got, took)
	}
}

// A refusal says what was found, and what to do.
func TestFound_NamesWhatIsNotTaken(t *testing.T) {
	for _, test := range []struct{ name, content, want string }{
		{"a.MOV", "\x00\x00\x00\x14ftypqt  \x00\x00\x02\x00qt  ", "a QuickTime film: convert it to MP4"},
		{"old.mov", "\x00\x00\x00\x08wide\x00", "QuickTime"},
		{"a.3gp", "\x00\x00\x00\x18ftyp3gp5\x00\x00", "3GP"},
		{"a.heic", "\x00\x00\x00\x20ftypheic\x00\x00", "a HEIC image: convert it to PNG, JPEG"},
		{"a.avif", "\x00\x00\x00\x20ftypavif\x00\x00", "AVIF"},
		{"a.mkv", "\x1aE\xdf\xa3\x9fB\x82\x88matroska", "MKV"},
		{"a.wmv", "\x30\x26\xb2\x75\x8e\x66\xcf\x11", "WMV"},
		{"a.avi", "RIFF\x10\x00\x00\x00AVI LIST", "AVI"},
		{"a.wav", "RIFF\x10\x00\x00\x00WAVEfmt ", "a WAV file: convert it to MP3"},
		{"a.flac", "fLaC\x00", "FLAC"},
		{"a.aac", "\xff\xf1\x50\x80", "AAC"},
		{"a.gif", "GIF89a\x00", "GIF"},
		{"a.doc", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Word document: save it as DOCX"},
		{"a.ppt", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "PPTX"},
		{"a.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "XLSX"},
		{"a.rtf", "{\\rtf1 a}", "RTF"},
		{"a.tgz", "\x1f\x8b\x08\x00", "gzip"},
		{"a.tar", "a.txt" + strings.Repeat("\x00", 252) + "ustar\x0000", "tar"},
		{"a.rar", "Rar!\x1a\x07\x01\x00", "RAR"},
		{"a.7z", "7z\xbc\xaf\x27\x1c\x00", "7z"},
		{"a.exe", "MZ\x90\x00", "a program: programs are not taken"},
		{"a.jar", zipOf(t, [2]string{"META-INF/MANIFEST.MF", ""}), "Java"},
		{"cut.zip", zipOf(t, [2]string{"a", "b"})[:40], "not whole"},
		{"a.srt", "1\r\n00:00:01,000 --> 00:00:02,000\r\nHello\r\n", "the form SRT: convert it to WebVTT"},
		{"latin1.srt", "1\n00:00:01,000 --> 00:00:02,000\ngr\xfcn\n", "SRT"},
		{"a.html", "<!DOCTYPE html><p>", "a web page (HTML)"},
		{"a.svg", "<svg onload=alert(1)>", "an SVG image"},
		{"b.svg", "<?xml version='1.0'?><!-- --><svg xmlns='x'>", "an SVG image"},
		{"a.xml", "<?xml version='1.0'?><a/>", "XML"},
		{"a.js", "alert(1)", "….js"},
		{"noname", "alert(1)", ".txt"},
		{"table.csv", "BMI,MZ\n1,2\n", "….csv"},
		{"latin1.txt", "gr\xfcn", "not in UTF-8"},
		{"utf16.txt", "\xff\xfea\x00", "not in UTF-8"},
		{"a.vtt", "1\n", "WEBVTT"},
		{"empty.txt", "", "empty"},
		{"a.bin", "\x00\x01\x02\x03\x04", ""},
	} {
		var d filetype.Detector
		if _, err := d.Write([]byte(test.content)); err != nil {
			t.Fatal(err)
		}
		if _, isTaken := d.Type(test.name); isTaken {
			t.Errorf("%s is taken", test.name)
		}
		if got := d.Found(test.name); !strings.Contains(got, test.want) || (test.want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
