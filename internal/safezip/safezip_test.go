package safezip

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"strings"
	"testing"
)

var testLimits = Limits{Entries: 100, Bytes: 1 << 20, Ratio: 100}

// entry is an entry of a zip of a test. change changes its header.
type entry struct {
	name, content string
	change        func(h *zip.FileHeader)
}

// build returns a zip of entries that are not compressed.
func build(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, CRC32: crc32.ChecksumIEEE([]byte(e.content)),
			UncompressedSize64: uint64(len(e.content)), CompressedSize64: uint64(len(e.content))}
		if e.change != nil {
			e.change(h)
		}
		out, err := w.CreateRaw(h)
		if err == nil {
			_, err = io.WriteString(out, e.content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read opens a zip and reads all that it has.
func read(data []byte, limits Limits) (contents map[string]string, err error) {
	a, err := Open(bytes.NewReader(data), int64(len(data)), limits)
	if err != nil {
		return nil, err
	}
	contents = map[string]string{}
	for _, f := range a.Files() {
		content, err := f.ReadAll(limits.Bytes)
		if err != nil {
			return nil, err
		}
		contents[f.Name] = string(content)
	}
	return contents, nil
}

// deflated returns a zip of one compressed entry.
func deflated(t testing.TB, name string, content io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	out, err := w.Create(name)
	if err == nil {
		_, err = io.Copy(out, content)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// put replaces the bytes at an offset from where a signature is found last.
func put(data []byte, signature uint32, offset int, with ...byte) []byte {
	data = bytes.Clone(data)
	at := bytes.LastIndex(data, binary.LittleEndian.AppendUint32(nil, signature))
	copy(data[at+offset:], with)
	return data
}

// Each of these attacks is refused, by a reason that names what to do.
func TestOpen_Refuses(t *testing.T) {
	one := build(t, entry{name: "a", content: "content"})
	two := build(t, entry{name: "a", content: "first"}, entry{name: "b", content: "second"})
	named := func(name string) []byte { return build(t, entry{name: name, content: "x"}) }
	changed := func(change func(h *zip.FileHeader)) []byte {
		return build(t, entry{name: "a", content: "content", change: change})
	}
	mode := func(m fs.FileMode) []byte {
		return changed(func(h *zip.FileHeader) { h.SetMode(m) })
	}
	var many []entry
	for i := range 101 {
		many = append(many, entry{name: fmt.Sprint(i)})
	}
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"empty":                     {nil, "no zip"},
		"no zip":                    {[]byte(strings.Repeat("text ", 100)), "no zip"},
		"cut off":                   {one[:len(one)-10], "no zip"},
		"something before it":       {append([]byte("#!/bin/sh\n"), one...), "whole zip"},
		"bomb by ratio":             {deflated(t, "a", strings.NewReader(strings.Repeat("0", 900_000))), "100 times"},
		"bomb by size":              {deflated(t, "a", strings.NewReader(strings.Repeat("0", 1<<20+1))), "unpacked"},
		"too many entries":          {build(t, many...), "101 entries"},
		"more entries than it says": {put(two, directoryEnd, 8, 1, 0, 1, 0), "whole zip"},
		"directory elsewhere":       {put(two, directoryEnd, 16, 1), "whole zip"},
		"several disks":             {put(two, directoryEnd, 4, 1), "several files"},
		"parent":                    {named("../a"), "not allowed"},
		"parent inside":             {named("a/../../b"), "not allowed"},
		"this folder inside":        {named("a/./b"), "not allowed"},
		"absolute":                  {named("/etc/passwd"), "not allowed"},
		"backslashes":               {named(`..\a`), "not allowed"},
		"drive":                     {named("C:a"), "not allowed"},
		"zero byte":                 {named("a\x00.txt"), "not allowed"},
		"not the UTF-8 of its flag": {changed(func(h *zip.FileHeader) { h.Name, h.Flags = "a\xff", flagUTF8 }), "not allowed"},
		"no name":                   {named(""), "not allowed"},
		"long name":                 {named(strings.Repeat("a", 1_001)), "not allowed"},
		"duplicate":                 {build(t, entry{name: "a"}, entry{name: "a"}), "twice"},
		"link":                      {mode(fs.ModeSymlink | 0o777), "link"},
		"device":                    {mode(fs.ModeDevice), "link"},
		"encrypted":                 {changed(func(h *zip.FileHeader) { h.Flags |= 1 }), "encrypted"},
		"strongly encrypted":        {changed(func(h *zip.FileHeader) { h.Flags |= 1 << 6 }), "encrypted"},
		"another method": {changed(func(h *zip.FileHeader) { h.Method = 12 }),
			"unusual"},
		"sizes that differ": {changed(func(h *zip.FileHeader) { h.CompressedSize64-- }), "whole zip"},
		"beyond the end":    {changed(func(h *zip.FileHeader) { h.CompressedSize64 += 99; h.UncompressedSize64 += 99 }), "whole zip"},
		"negative size":     {changed(func(h *zip.FileHeader) { h.UncompressedSize64 = 1 << 63; h.CompressedSize64 = 1 << 63 }), "whole zip"},
		"folder with content": {put(put(named("ab"), fileHeader, fileHeaderSize+1, '/'), directoryHeader,
			directoryHeaderSize+1, '/'), "whole zip"},
		"wrong sum":             {changed(func(h *zip.FileHeader) { h.CRC32++ }), "whole zip"},
		"other sum in the file": {put(one, fileHeader, 14, 1, 2, 3, 4), "contradicts"},
		"no sum in the file":    {put(one, fileHeader, 14, 0, 0, 0, 0), "contradicts"},
		"no size in the file":   {put(one, fileHeader, 22, 0), "contradicts"},
		"wrong sum, later":      {put(put(one, fileHeader, 6, 8), fileHeader, 14, 1), "contradicts"},
		"wrong packed, later":   {put(put(one, fileHeader, 6, 8), fileHeader, 18, 6), "contradicts"},
		"wrong size, later":     {put(put(one, fileHeader, 6, 8), fileHeader, 22, 6), "contradicts"},
		"much after it":         {append(bytes.Clone(one), make([]byte, 64<<10+1)...), "no zip"},
		"other name":            {put(one, fileHeader, fileHeaderSize, 'b'), "contradicts"},
		"other method":          {put(one, fileHeader, 8, 8), "contradicts"},
		"encrypted by the file": {put(one, fileHeader, 6, 1), "contradicts"},
		"same content twice": {put(put(two, directoryHeader, 42, 0, 0, 0, 0), directoryHeader,
			directoryHeaderSize, 'b'), "overlap"},
		"no header there": {put(one, directoryHeader, 42, 4), "whole zip"},
	} {
		_, err := read(test.data, testLimits)
		refused, isRefused := errors.AsType[*Error](err)
		if !isRefused || !strings.Contains(refused.Reason, test.want) {
			t.Errorf("%s: %v, want a refusal with %q", name, err, test.want)
		}
	}
}

// A compressed entry that has more or less content than the directory says is refused while it is
// read, before more than its size was passed on.
func TestFile_SizeThatLies(t *testing.T) {
	honest := deflated(t, "a", strings.NewReader("content of the file"))
	for _, size := range []byte{3, 30} {
		// The sizes follow the content, so the header of the file does not contradict this.
		lying := put(honest, directoryHeader, 24, size)
		a, err := Open(bytes.NewReader(lying), int64(len(lying)), testLimits)
		if err != nil {
			t.Fatal(err)
		}
		content, err := a.File("a").ReadAll(100)
		if _, isRefused := errors.AsType[*Error](err); !isRefused || len(content) > int(size) {
			t.Errorf("of size %d: %q, %v", size, content, err)
		}
	}
}

// What ordinary programs write is read, with and without compression, zip64 and folders.
func TestOpen_ReadsOrdinaryZips(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, method := range map[string]uint16{"a.txt": zip.Deflate, "f/ü.txt": zip.Store} {
		out, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			_, err = io.WriteString(out, "content of "+name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Create("f/"); err != nil {
		t.Fatal(err)
	}
	_ = w.SetComment("PK\x05\x06 is in the comment, with what follows it, and more of it")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	contents, err := read(b.Bytes(), testLimits)
	if err != nil || len(contents) != 2 || contents["a.txt"] != "content of a.txt" ||
		contents["f/ü.txt"] != "content of f/ü.txt" {
		t.Errorf("%q, %v", contents, err)
	}
	if contents, err := read(build(t), testLimits); err != nil || len(contents) != 0 {
		t.Errorf("without entries: %q, %v", contents, err)
	}
}

// With bit 3, each of sum, packed and unpacked size is 0 or true in the header of an entry, as
// programs write it that pack what they do not have whole.
func TestOpen_SizesThatFollowTheContent(t *testing.T) {
	for _, method := range []uint16{store, deflate} {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		out, err := w.CreateHeader(&zip.FileHeader{Name: "a", Method: method}) // with bit 3
		if err == nil {
			_, err = io.WriteString(out, "content content content")
		}
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		at := bytes.LastIndex(b.Bytes(), le.AppendUint32(nil, directoryHeader))
		known := b.Bytes()[at+16 : at+28] // sum, packed and unpacked size
		for mask := range 1 << 3 {
			data := bytes.Clone(b.Bytes())
			for i := range 3 {
				if clear(data[14+4*i : 18+4*i]); mask&(1<<i) != 0 {
					copy(data[14+4*i:], known[4*i:4*i+4])
				}
			}
			for _, inDirectory := range []byte{0, 8} { // some programs forget the bit there
				data[at+8] = inDirectory
				if got, err := read(data, testLimits); err != nil || len(got["a"]) != 23 {
					t.Errorf("method %d, %03b: %q, %v", method, mask, got, err)
				}
			}
		}
	}
}

// Names, records and bytes that differ between programs are read.
func TestOpen_WhatProgramsDoDifferently(t *testing.T) {
	one := build(t, entry{name: "a", content: "content"})
	named := func(name string, change func(h *zip.FileHeader)) []byte {
		return build(t, entry{name: name, content: "content", change: change})
	}
	field := le.AppendUint32([]byte{0x75, 0x70, 9, 0, 1}, crc32.ChecksumIEEE([]byte("?.c")))
	field = append(field, "ü.c"...)
	field[2] = byte(len(field) - 4)
	wrong := bytes.Clone(field)
	wrong[5]++ // the sum of another name
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"backslashes":        {named(`f\g\a.txt`, nil), "f/g/a.txt"},
		"this folder":        {named("./f/a", nil), "f/a"},
		"folder of itself":   {build(t, entry{name: "./"}, entry{name: "./a", content: "content"}), "a"},
		"a folder twice":     {build(t, entry{name: "f/"}, entry{name: "f/"}, entry{name: "f/a", content: "content"}), "f/a"},
		"a folder of DOS":    {build(t, entry{name: `f\`}, entry{name: `f\a`, content: "content"}), "f/a"},
		"code page 437":      {named("\x81.txt", func(h *zip.FileHeader) { h.NonUTF8 = true }), "ü.txt"},
		"UTF-8 and no flag":  {named("ü.txt", func(h *zip.FileHeader) { h.NonUTF8 = true }), "ü.txt"},
		"field of Info-ZIP":  {named("?.c", func(h *zip.FileHeader) { h.Extra = field }), "ü.c"},
		"field of another":   {named("?.c", func(h *zip.FileHeader) { h.Extra = wrong }), "?.c"},
		"fields":             {named("a", func(h *zip.FileHeader) { h.Extra = []byte{9, 9, 2, 0, 1, 1, 0} }), "a"},
		"field cut off":      {named("a", func(h *zip.FileHeader) { h.Extra = []byte{9, 9, 99, 0, 1, 1} }), "a"},
		"bytes after it":     {append(bytes.Clone(one), "\r\n\x00 and more"...), "a"},
		"zeros after it":     {append(bytes.Clone(one), make([]byte, 64<<10)...), "a"},
		"zip64 without need": {with64(one), "a"},
	} {
		got, err := read(test.data, testLimits)
		if err != nil || len(got) != 1 || got[test.want] != "content" {
			t.Errorf("%s: %q, %v, want %q", name, got, err, test.want)
		}
	}
}

// with64 returns a zip with the records of zip64 at its end too.
func with64(data []byte) []byte {
	at := bytes.LastIndex(data, le.AppendUint32(nil, directoryEnd))
	end := data[at:]
	count, length := uint64(le.Uint16(end[10:])), uint64(le.Uint32(end[12:]))
	begin := uint64(le.Uint32(end[16:]))
	out := le.AppendUint32(bytes.Clone(data[:at]), directory64End)
	out = le.AppendUint64(out, directory64EndSize-12)
	out = append(out, 45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	for _, n := range []uint64{count, count, length, begin} {
		out = le.AppendUint64(out, n)
	}
	out = le.AppendUint32(le.AppendUint32(out, directory64At), 0)
	out = le.AppendUint32(le.AppendUint64(out, uint64(at)), 1)
	return append(out, end...)
}

// Sizes and offsets of more than four bytes are read from the fields of zip64.
func TestExpand64(t *testing.T) {
	field := binary.LittleEndian.AppendUint64([]byte{9, 0, 1, 0, 7, 1, 0, 16, 0}, 5<<32)
	field = binary.LittleEndian.AppendUint64(field, 6<<32)
	numbers := []uint64{in64, 7, in64}
	if !expand64(numbers, field) || numbers[0] != 5<<32 || numbers[1] != 7 || numbers[2] != 6<<32 {
		t.Errorf("%x", numbers)
	}
	if expand64([]uint64{in64, in64, in64}, field) || expand64([]uint64{in64}, field[:12]) {
		t.Error("a number that is missing was found")
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(build(f, entry{name: "a", content: "content"}, entry{name: "f/b"}))
	f.Add(deflated(f, "a", strings.NewReader("content")))
	f.Fuzz(func(t *testing.T, data []byte) {
		contents, err := read(data, testLimits)
		if _, isRefused := errors.AsType[*Error](err); err != nil && !isRefused {
			t.Fatal(err)
		}
		total := 0
		for _, content := range contents {
			total += len(content)
		}
		if total > int(testLimits.Bytes) {
			t.Fatalf("%d bytes", total)
		}
	})
}

// shifted is a file that begins with a hole.
type shifted struct {
	hole int64
	data []byte
}

func (s shifted) ReadAt(p []byte, offset int64) (int, error) {
	n := int(min(int64(len(p)), max(0, s.hole-offset))) // of the hole
	clear(p[:n])
	read, err := bytes.NewReader(s.data).ReadAt(p[n:], max(0, offset-s.hole))
	return n + read, err
}

// A zip of more than 4 GB has its offsets in the records of zip64.
func TestOpen_LargeZip(t *testing.T) {
	const hole = 5 << 30
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.SetOffset(hole)
	out, err := w.Create("a")
	if err == nil {
		_, err = io.WriteString(out, "content")
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	a, err := Open(shifted{hole, b.Bytes()}, hole+int64(b.Len()), testLimits)
	if err != nil {
		t.Fatal(err)
	}
	if content, err := a.File("a").ReadAll(10); err != nil || string(content) != "content" {
		t.Errorf("%q, %v", content, err)
	}
}
