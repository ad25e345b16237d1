// Package safezip reads zips that may have been made to do harm. It refuses what no zip of an
// ordinary program has, before anything is unpacked: names that lead out of a folder, links,
// encrypted and overlapping entries, headers that contradict the directory, and more content than
// its limits allow. It reads only what the directory names, and never unpacks a zip within a zip.
// What differs between ordinary programs is read: names in old code pages or with backslashes,
// sizes that follow the content, records of zip64 where they are not needed, and bytes after the
// end.
//
// It has a reader of the directory of its own, because that of archive/zip reads as many and as
// long entries as it finds, and does not look at the headers of the entries.
package safezip

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Limits are the limits of a zip.
type Limits struct {
	Entries int   // how many there may be
	Bytes   int64 // of all entries together, unpacked
	Ratio   int64 // how many times its own size a zip may have when it is unpacked
}

// maxName is the length of the longest name of an entry, in bytes.
const maxName = 1_000

// Error says why a zip was refused, and what to do. Its text is meant for people.
type Error struct{ Reason string }

// Error returns the reason.
func (e *Error) Error() string { return e.Reason }

func refuse(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Archive is a zip whose directory and headers were checked. It is safe for concurrent use if its
// reader is.
type Archive struct {
	files  []*File
	byName map[string]*File
}

// Files returns the files in the order of the directory, without folders.
func (a *Archive) Files() []*File { return a.files }

// File returns the file of a name, or nil.
func (a *Archive) File(name string) *File { return a.byName[name] }

// WithoutFolder returns the archive of the files in a folder, if that folder has a file of one of
// the names and all other files are in it too, or in folders in which systems keep what they know
// of files. Otherwise it returns a.
func (a *Archive) WithoutFolder(names ...string) *Archive {
	folder := ""
	for _, f := range a.files {
		if isOfSystem(f.Name) {
			continue
		}
		top, _, found := strings.Cut(f.Name, "/")
		if !found || folder != "" && top != folder {
			return a
		}
		folder = top
	}
	hasName := slices.ContainsFunc(names, func(name string) bool {
		return a.byName[folder+"/"+name] != nil
	})
	if folder == "" || !hasName {
		return a
	}
	inner := &Archive{byName: map[string]*File{}}
	for _, f := range a.files {
		if name, isInside := strings.CutPrefix(f.Name, folder+"/"); isInside {
			moved := *f
			moved.Name = name
			inner.files, inner.byName[name] = append(inner.files, &moved), &moved
		}
	}
	return inner
}

// isOfSystem reports whether a file is one that a system adds to each zip or folder.
func isOfSystem(name string) bool {
	switch path.Base(name) {
	case ".DS_Store", "Thumbs.db", "desktop.ini":
		return true
	}
	return strings.HasPrefix(name, "__MACOSX/")
}

// File is an entry that is no folder.
type File struct {
	Name string // relative, with slashes, and without . and ..
	Size int64  // unpacked, in bytes

	in     io.ReaderAt
	packed int64
	header int64 // offset of the header
	data   int64 // offset of the content
	method uint16
	crc    uint32
	flags  uint16
}

// The signatures of zip.
const (
	directoryHeader = 0x02014b50
	fileHeader      = 0x04034b50
	directoryEnd    = 0x06054b50
	directory64End  = 0x06064b50
	directory64At   = 0x07064b50
)

// The sizes of the fixed parts, in bytes.
const (
	directoryHeaderSize = 46
	fileHeaderSize      = 30
	directoryEndSize    = 22
	directory64EndSize  = 56
	directory64AtSize   = 20
)

const (
	store   = 0
	deflate = 8

	flagDescriptor = 1 << 3                     // sizes follow the content
	flagUTF8       = 1 << 11                    // the name is in UTF-8
	flagsRefused   = 1<<0 | 1<<5 | 1<<6 | 1<<13 // encrypted, or a patch of another file

	modeMask   = 0xf000 // the type in a Unix mode
	modeFolder = 0x4000
	modeFile   = 0x8000

	in64         = 0xffffffff // the value is in the zip64 field
	count64      = 0xffff     // the number of entries is in the zip64 end
	zip64Field   = 1
	unicodeField = 0x7075 // the name in UTF-8, of Info-ZIP

	// maxTrailing is how many bytes may follow the zip. Some programs fill up a block.
	maxTrailing = 64 << 10
	// endSearch is how far from the end of the file the end record of its zip can begin.
	endSearch = directoryEndSize + 0xffff + maxTrailing
)

var le = binary.LittleEndian

// errDamaged is the refusal of a zip that no program reads.
var errDamaged = &Error{"it is no whole zip: download or export it once more, and upload the " +
	"whole file"}

// Open checks a zip of a size. Its refusals are of type [*Error]; every other error is one of in.
func Open(in io.ReaderAt, size int64, limits Limits) (*Archive, error) {
	directory, offset, entries, err := readDirectory(in, size, limits)
	if err != nil {
		return nil, err
	}

	// Read the directory.
	a := &Archive{byName: map[string]*File{}}
	all := make([]*File, 0, entries) // also folders
	names := map[string]bool{}
	var total int64
	for range entries {
		var f *File
		if f, directory, err = parseEntry(directory); err != nil {
			return nil, err
		}
		f.in = in
		isFolder := f.Name == "" || strings.HasSuffix(f.Name, "/")
		if names[f.Name] && !isFolder {
			return nil, refuse("it has the entry %s twice: make it anew with another program",
				quoted(f.Name))
		}
		names[f.Name] = true
		if f.Size > limits.Bytes-total {
			return nil, refuse("it has more than %d bytes when it is unpacked: leave out large "+
				"files, or split the course", limits.Bytes)
		}
		total += f.Size
		all = append(all, f)
		if !isFolder {
			a.files, a.byName[f.Name] = append(a.files, f), f
		}
	}
	if len(directory) > 0 {
		return nil, errDamaged
	}
	if total > size*limits.Ratio {
		return nil, refuse("it unpacks to more than %d times its size: make it anew with less "+
			"compression", limits.Ratio)
	}

	// Read the headers, in the order of the file.
	slices.SortFunc(all, func(x, y *File) int { return cmp.Compare(x.header, y.header) })
	end := int64(0) // of the entry before
	for _, f := range all {
		if f.header < end {
			return nil, refuse("its entries overlap: make it anew with another program")
		}
		if err := f.readHeader(offset); err != nil {
			return nil, err
		}
		if end = f.data + f.packed; end < f.data || end > offset {
			return nil, errDamaged
		}
	}
	return a, nil
}

// readDirectory finds the directory of a zip, checks its limits, and reads it. offset is where it
// begins.
func readDirectory(
	in io.ReaderAt, size int64, limits Limits,
) (directory []byte, offset int64, entries int, err error) {
	tail, err := readAt(in, max(0, size-endSearch), min(size, endSearch))
	if err != nil {
		return nil, 0, 0, err
	}
	at := findEnd(tail)
	if at < 0 {
		return nil, 0, 0, refuse("it is no zip, or its end is missing: upload the whole file")
	}
	record := tail[at:]
	end := size - int64(len(tail)-at)
	disks := uint32(le.Uint16(record[4:])) | uint32(le.Uint16(record[6:]))
	count, length := uint64(le.Uint16(record[10:])), uint64(le.Uint32(record[12:]))
	begin := uint64(le.Uint32(record[16:]))
	onDisk := uint64(le.Uint16(record[8:]))

	// Large zips have the numbers in another record, and a third one that says where. Some programs
	// write these for small zips too.
	isNeeded := count == count64 || length == in64 || begin == in64
	has64 := at >= directory64AtSize && le.Uint32(tail[at-directory64AtSize:]) == directory64At
	if isNeeded && !has64 {
		return nil, 0, 0, errDamaged
	}
	if has64 {
		end = int64(le.Uint64(tail[at-directory64AtSize+8:]))
		if end < 0 || end > size-directory64EndSize-directory64AtSize-directoryEndSize {
			return nil, 0, 0, errDamaged
		}
		record, err := readAt(in, end, directory64EndSize)
		if err != nil {
			return nil, 0, 0, err
		}
		if le.Uint32(record) != directory64End {
			return nil, 0, 0, errDamaged
		}
		disks = le.Uint32(record[16:]) | le.Uint32(record[20:])
		onDisk, count = le.Uint64(record[24:]), le.Uint64(record[32:])
		length, begin = le.Uint64(record[40:]), le.Uint64(record[48:])
	}

	// Nothing is between the directory and its end, so that there is only one directory.
	switch {
	case disks != 0 || onDisk != count:
		return nil, 0, 0, refuse("it is spread over several files: make it as one file")
	case count > uint64(limits.Entries):
		return nil, 0, 0, refuse("it has %d entries, and at most %d are allowed: leave out files, "+
			"or split the course", count, limits.Entries)
	case length > uint64(limits.Entries)*(maxName+200), // longer than all of them can be
		begin > uint64(end), length != uint64(end)-begin:
		return nil, 0, 0, errDamaged
	}
	directory, err = readAt(in, int64(begin), int64(length))
	return directory, int64(begin), int(count), err
}

// findEnd returns where the end record of a zip is in its last bytes; -1 if it is not there. It is
// the last one whose comment ends with the file, or else the last one after which few bytes follow.
func findEnd(tail []byte) int {
	other := -1
	for at := len(tail) - directoryEndSize; at >= 0; at-- {
		if le.Uint32(tail[at:]) != directoryEnd {
			continue
		}
		after := len(tail) - at - directoryEndSize - int(le.Uint16(tail[at+20:]))
		if after == 0 {
			return at
		}
		if other < 0 && after > 0 && after <= maxTrailing {
			other = at
		}
	}
	return other
}

// readAt reads a part of a zip. A part that the zip does not have is a refusal.
func readAt(in io.ReaderAt, offset, length int64) ([]byte, error) {
	if offset < 0 {
		return nil, errDamaged
	}
	part := make([]byte, length)
	_, err := io.ReadFull(io.NewSectionReader(in, offset, length), part)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errDamaged
	}
	if err != nil {
		return nil, fmt.Errorf("read a zip: %w", err)
	}
	return part, nil
}

// parseEntry parses the first entry of a directory, and returns the rest of the directory.
func parseEntry(directory []byte) (f *File, rest []byte, err error) {
	if len(directory) < directoryHeaderSize || le.Uint32(directory) != directoryHeader {
		return nil, nil, errDamaged
	}
	h := directory[:directoryHeaderSize]
	nameSize, extraSize := int(le.Uint16(h[28:])), int(le.Uint16(h[30:]))
	rest = directory[directoryHeaderSize:]
	if len(rest) < nameSize+extraSize+int(le.Uint16(h[32:])) {
		return nil, nil, errDamaged
	}
	raw, extra := rest[:nameSize], rest[nameSize:nameSize+extraSize]
	name := decodeName(raw, extra, le.Uint16(h[8:]))
	rest = rest[nameSize+extraSize+int(le.Uint16(h[32:])):]

	// Sizes and offset that need eight bytes are in the zip64 field.
	numbers := [3]uint64{uint64(le.Uint32(h[24:])), uint64(le.Uint32(h[20:])),
		uint64(le.Uint32(h[42:]))} // unpacked, packed, offset
	if !expand64(numbers[:], extra) {
		return nil, nil, errDamaged
	}
	f = &File{
		Name:   name,
		Size:   int64(numbers[0]),
		packed: int64(numbers[1]),
		header: int64(numbers[2]),
		method: le.Uint16(h[10:]),
		crc:    le.Uint32(h[16:]),
		flags:  le.Uint16(h[8:]),
	}
	switch {
	case !isSafe(name) && string(raw) != "./":
		return nil, nil, refuse("it has an entry with the name %s, which is not allowed: names "+
			"must be relative, with / between folders, and without .. and control characters",
			quoted(name))
	case f.flags&flagsRefused != 0:
		return nil, nil, refuse("its entry %s is encrypted: make it without a password",
			quoted(name))
	case !isPlain(h[5], le.Uint32(h[38:])>>16):
		return nil, nil, refuse("its entry %s is a link or a device: make it with files only",
			quoted(name))
	case f.method != store && f.method != deflate:
		return nil, nil, refuse("its entry %s is packed in an unusual way: make it with the "+
			"method deflate", quoted(name))
	case f.Size < 0 || f.packed < 0 || f.header < 0,
		f.method == store && f.Size != f.packed,
		(name == "" || strings.HasSuffix(name, "/")) && f.Size != 0:
		return nil, nil, errDamaged
	}
	return f, rest, nil
}

// expand64 replaces the numbers that are in64 by those of the zip64 field in extra. It returns
// false if extra does not have them.
func expand64(numbers []uint64, extra []byte) bool {
	field := extraField(extra, zip64Field)
	for i, n := range numbers {
		if n != in64 {
			continue
		}
		if len(field) < 8 {
			return false
		}
		numbers[i], field = le.Uint64(field), field[8:]
	}
	return true
}

// extraField returns the first field of an id among those that an entry has beside its name; nil if
// it has none. What follows a field that is cut off is no field.
func extraField(extra []byte, id uint16) []byte {
	for len(extra) >= 4 {
		n := int(le.Uint16(extra[2:]))
		if len(extra) < 4+n {
			return nil
		}
		if le.Uint16(extra) == id {
			return extra[4 : 4+n]
		}
		extra = extra[4+n:]
	}
	return nil
}

// decodeName returns the name of an entry with slashes between folders. It is "" for the folder in
// which the others are.
//
//	flag of UTF-8   the bytes are     the name is
//	set             anything          the bytes
//	not set         anything          that of the field of Info-ZIP, if it is one of these bytes
//	not set         UTF-8             the bytes: some programs do not set the flag
//	not set         not UTF-8         in code page 437, which has the letters of most others
func decodeName(raw, extra []byte, flags uint16) string {
	name := string(raw)
	if flags&flagUTF8 == 0 {
		field := extraField(extra, unicodeField)
		isOfName := len(field) > 5 && field[0] == 1 && le.Uint32(field[1:]) == crc32.ChecksumIEEE(raw)
		if isOfName {
			name = string(field[5:])
		} else if !utf8.Valid(raw) {
			decoded, err := charmap.CodePage437.NewDecoder().Bytes(raw)
			if err == nil { // it has a character for each byte
				name = string(decoded)
			}
		}
	}
	name = strings.ReplaceAll(name, `\`, "/") // some programs of Windows write these
	return strings.TrimPrefix(name, "./")
}

// isSafe reports whether the name of an entry stays within the folder in which it is unpacked, on
// every system. That of a folder ends with a slash.
func isSafe(name string) bool {
	hasDrive := len(name) > 1 && name[1] == ':'
	clean := strings.TrimSuffix(name, "/")
	return len(name) <= maxName && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, unicode.IsControl) && !hasDrive &&
		clean != "" && path.Clean("/"+clean) == "/"+clean
}

// isPlain reports whether the mode of an entry is that of a file or folder. Only Unix and macOS
// have modes.
func isPlain(madeBy byte, mode uint32) bool {
	const unix, macOS = 3, 19
	kind := mode & modeMask
	return madeBy != unix && madeBy != macOS || kind == 0 || kind == modeFile || kind == modeFolder
}

// quoted returns a name for a message.
func quoted(name string) string {
	const longest = 100
	if len(name) > longest {
		name = name[:longest] + "…"
	}
	return fmt.Sprintf("%+q", name)
}

// readHeader reads the header of an entry, checks that it says what the directory says, and sets
// where the content begins. directory is where the directory begins.
func (f *File) readHeader(directory int64) error {
	if f.header > directory-fileHeaderSize {
		return errDamaged
	}
	h, err := readAt(f.in, f.header, fileHeaderSize)
	if err != nil {
		return err
	}
	nameSize, extraSize := int64(le.Uint16(h[26:])), int64(le.Uint16(h[28:]))
	f.data = f.header + fileHeaderSize + nameSize + extraSize
	if le.Uint32(h) != fileHeader || f.data > directory {
		return errDamaged
	}
	more, err := readAt(f.in, f.header+fileHeaderSize, nameSize+extraSize)
	if err != nil {
		return err
	}

	// If sizes and sum follow the content, each of them may be missing in the header: 0, or what
	// says that it is in a field of zip64. One that is there must be true.
	numbers := [2]uint64{uint64(le.Uint32(h[22:])), uint64(le.Uint32(h[18:]))}
	hasSizes := expand64(numbers[:], more[nameSize:])
	flags := le.Uint16(h[6:])
	isLater := (f.flags|flags)&flagDescriptor != 0
	isSize := func(n uint64, size int64) bool {
		return n == uint64(size) && (hasSizes || n != in64) || isLater && (n == 0 || n == in64)
	}
	crc := le.Uint32(h[14:])
	isTrue := isSize(numbers[0], f.Size) && isSize(numbers[1], f.packed) &&
		(crc == f.crc || isLater && crc == 0)
	if decodeName(more[:nameSize], more[nameSize:], flags) != f.Name ||
		le.Uint16(h[8:]) != f.method || (flags^f.flags)&flagsRefused != 0 || !isTrue {
		return refuse("the header of its entry %s contradicts the directory: make it anew with "+
			"another program", quoted(f.Name))
	}
	return nil
}
