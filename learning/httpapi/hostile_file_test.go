package httpapi_test

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"sync"
)

// hostileFiles returns contents of files that a reader may do much for: packages, quizzes and files
// of lectures. They are made once.
var hostileFiles = sync.OnceValue(func() []hostileBody {
	const mib = 1 << 20
	page := func(begin, piece string, size int) string {
		return begin + strings.Repeat(piece, (size-len(begin))/len(piece))
	}
	open := ""
	for i := range 490 {
		open += fmt.Sprintf("<b id=%d>", i)
	}
	item := `<item ident="a"><presentation><material><mattext>Why?</mattext></material>` +
		`<response_str ident="r"><render_fib/></response_str></presentation></item>`
	quiz := func(inner string) string {
		return "<questestinterop><assessment><section>" + inner + "</section></assessment></questestinterop>"
	}
	html := func(text string) string {
		return quiz(`<item ident="a"><presentation><material><mattext texttype="text/html">` +
			strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(text) +
			`</mattext></material><response_str ident="r"><render_fib/></response_str></presentation></item>`)
	}
	list := []hostileBody{
		fileBody("course.json of objects", zipped("course.json", page("[", "{},", 6*mib))),
		fileBody("course.json of lectures", zipped("course.json", page(
			`{"format":"openlectern-course","version":1,"title":"A","chapters":[{"title":"B","lectures":[`,
			"{},", 6*mib)+"{}]}]}")),
		fileBody("course.json of nulls", zipped("course.json", page(
			`{"format":"openlectern-course","version":1,"title":"A","chapters":[`, "null,", 6*mib)+
			"null]}")),
		fileBody("open formats", zippedPage(page(open, "<p>x", 2*mib))),
		fileBody("nested quotes", zippedPage(page("", "<blockquote>", 42_000))),
		fileBody("nested lists", zippedPage(page("", "<ul><li>", 42_000))),
		fileBody("a wide table", zippedPage(page("<table><tr>", "<td>x", 500_000))),
		fileBody("many rows", zippedPage(page("<table>", "<tr><td>x<td>y", 2*mib))),
		fileBody("entities", zippedPage(page("", "&amp;&#x41;", 2*mib))),
		fileBody("attributes", zippedPage(page("<p ", "a=b ", 2*mib))),
		fileBody("quoted texts of a document type", zipped("imsmanifest.xml",
			page("<!DOCTYPE a<b>", `""y`, 8*mib))),
		fileBody("the manifest of elements", zipped("imsmanifest.xml",
			page("<manifest>", "<a/>", 8*mib))),
		fileBody("items on one page", zippedItems(2_000, page("", "<p>x", 95_000))),
		fileBody("a number of a list", zippedPage(`<ol start="100000000"><li>a</ol>`)),
		fileBody("code in a heading", zippedPage("<h1>a<pre> \n b</pre></h1>")),
		fileBody("addresses", zippedPage(page("<p>", "http://a/", 99_000)+"&amp;lt;x")),
		fileBody("lines of code in a heading", zippedPage(page("<h1><pre>", "a\n", 2*mib))),
		fileBody("rows below a cell", zippedPage(page("<table><tr><td rowspan=100 colspan=100>x",
			"<tr><td>", 2*mib))),
		fileBody("a long base", zipped("imsmanifest.xml", `<manifest xml:base="`+
			page("", "a/", 4*mib)+`"><organizations/><resources>`+page("", `<resource identifier="r" type="webcontent" `+
			`href="a.html"><file href="a.html"/></resource>`, 1*mib)+`</resources></manifest>`)),
		fileBody("colons", zippedAlike(300, "n%d.xml", strings.Repeat(":", 8_192))),
		fileBody("many entries", zippedMany(10_001)),
		fileBody("document of many entries", zippedMany(9_000, "[Content_Types].xml",
			"word/document.xml")),
		fileBody("zeros", zipped("a.bin", strings.Repeat("\x00", 50*mib))),
		textFile("quiz of elements", page("<questestinterop>", "<a/>", 8*mib)),
		textFile("quiz of items", quiz(page("", "<item/>", 7*mib))),
		textFile("quiz of questions", quiz(page("", item, 7*mib))),
		textFile("quiz of open formats", html(page(open, "<p>x", 1*mib))),
		textFile("quiz of nested quotes", html(page("", "<blockquote>", 42_000))),
		textFile("quiz of attributes", quiz(page("<item ", `a="b" `, 7*mib)+"/>")),
		textFile("quiz of lines of a link", html("<a href='http://x/"+page("", "A", 100_000)+"'>"+
			page("", "a<br>", 1*mib)+"</a>")),
		textFile("quiz of blanks", quiz(`<item ident="a"><presentation><material><mattext>`+
			page("", "[aaaaaaa ", 3*mib)+`</mattext></material>`+page("",
			`<response_str ident="a000001"><render_fib/></response_str>`, 3*mib)+
			`</presentation></item>`)),
		textFile("quiz of pairs", quiz(`<item ident="a"><itemmetadata><qtimetadata>`+
			`<qtimetadatafield><fieldlabel>question_type</fieldlabel><fieldentry>matching_question</fieldentry>`+
			`</qtimetadatafield></qtimetadata></itemmetadata><presentation><flow>`+page("",
			"<material><mattext>a</mattext></material>", 4*mib)+
			`<response_lid ident="r"/></flow></presentation></item>`)),
		textFile("captions", page("WEBVTT\n\n", "00:00.000 --> 00:01.000\nx\n\n", 8*mib)),
		textFile("text of one line", page("", "a", 8*mib)),
		textFile("names of entities", page("<questestinterop>", "&amp;", 7*mib)),
	}
	return list
})

// fileBody returns a file. Its texts are those of the file itself, or what a zip unpacks to.
func fileBody(name string, content []byte) hostileBody {
	b := hostileBody{name: name, content: content, text: len(content)}
	if r, err := zip.NewReader(bytes.NewReader(content), int64(len(content))); err == nil {
		b.text, b.name = 0, name+".zip"
		for _, f := range r.File {
			b.text += int(f.UncompressedSize64)
		}
	}
	return b
}

// textFile is file for a text.
func textFile(name, content string) hostileBody { return fileBody(name, []byte(content)) }

// zipped returns a zip of names and contents.
func zipped(entries ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for ; len(entries) > 1; entries = entries[2:] {
		to, _ := w.Create(entries[0]) // to a buffer, which never fails
		_, _ = to.Write([]byte(entries[1]))
	}
	_ = w.Close()
	return b.Bytes()
}

// zippedMany returns a zip of many empty entries, after those with the given names.
func zippedMany(n int, names ...string) []byte {
	for i := range n {
		names = append(names, fmt.Sprintf("a%d", i))
	}
	var entries []string
	for _, name := range names {
		entries = append(entries, name, "")
	}
	return zipped(entries...)
}

// zippedAlike returns a zip of files with one content, whose names a format makes of a number.
func zippedAlike(n int, format, content string) []byte {
	var entries []string
	for i := range n {
		entries = append(entries, fmt.Sprintf(format, i), content)
	}
	return zipped(entries...)
}

// zippedPage returns a cartridge of one page.
func zippedPage(page string) []byte { return zippedItems(1, page) }

// zippedItems returns a cartridge of many items that show the same page.
func zippedItems(n int, page string) []byte {
	var items strings.Builder
	for i := range n {
		fmt.Fprintf(&items, `<item identifier="i%d" identifierref="r"><title>A</title></item>`, i)
	}
	return zipped("imsmanifest.xml", `<manifest identifier="m" `+
		`xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"><metadata><schema>IMS Common Cartridge`+
		`</schema><schemaversion>1.1.0</schemaversion></metadata><organizations><organization `+
		`identifier="o" structure="rooted-hierarchy"><item identifier="root"><item identifier="c"><title>`+
		`One</title>`+items.String()+`</item></item></organization></organizations><resources><resource `+
		`identifier="r" type="webcontent" href="a.html"><file href="a.html"/></resource></resources>`+
		`</manifest>`, "a.html", page)
}

// hostileImages returns pictures that take long to decode, or much memory. They are made once.
var hostileImages = sync.OnceValue(func() []hostileBody {
	chunks := func(width, height uint32, more ...string) []byte {
		header := binary.BigEndian.AppendUint32(nil, width)
		header = append(binary.BigEndian.AppendUint32(header, height), 8, 2, 0, 0, 0)
		all := "\x89PNG\r\n\x1a\n" + chunk("IHDR", string(header))
		for _, c := range more {
			all += c
		}
		return []byte(all + chunk("IEND", ""))
	}
	scans := strings.Repeat("\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\x00", 300_000)
	frame := "\xff\xd8\xff\xc2\x00\x0b\x08\xff\xff\xff\xff\x01\x01\x11\x00"
	return []hostileBody{
		{name: "many pixels.png", content: chunks(60_000, 60_000, chunk("IDAT",
			deflated(strings.Repeat("\x00", 5_000_000))))},
		{name: "as many pixels as allowed.png", content: chunks(6_000, 4_000, chunk("IDAT",
			deflated(strings.Repeat("\x00", 4_000*(6_000*3+1)))))},
		{name: "text.png", content: chunks(10, 10, chunk("zTXt", "a\x00\x00"+
			deflated(strings.Repeat("a", 100_000_000))))},
		{name: "many chunks.png", content: chunks(10, 10, strings.Repeat(chunk("acTL", ""), 300_000))},
		{name: "a header that is not first.png", content: []byte("\x89PNG\r\n\x1a\n" +
			chunk("prVt", "\x00\x00\x00\x00\x08\x03\x00\x00\x00") +
			string(chunks(6_000, 6_000)[8:]))},
		{name: "many scans.jpg", content: []byte(frame + scans)},
		{name: "many segments.jpg", content: []byte("\xff\xd8" +
			strings.Repeat("\xff\xe1\x00\x08Exif\x00\x00", 400_000))},
		{name: "many pixels.webp", content: []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f" +
			"\xff\xff\xff\x0f" + strings.Repeat("\x00", 12))},
	}
})

// chunk returns a chunk of a PNG.
func chunk(kind, data string) string {
	all := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	all = append(append(all, kind...), data...)
	return string(binary.BigEndian.AppendUint32(all, crc32.ChecksumIEEE(all[4:])))
}

// deflated returns a text as zlib compresses it.
func deflated(text string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // to a buffer
	_ = w.Close()
	return b.String()
}
