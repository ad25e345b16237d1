package certificate_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"

	"github.com/openlectern/openlectern/learning/certificate"
	"github.com/openlectern/openlectern/learning/certify"
)

// people are certificates in more than twelve scripts, some of them with several scripts.
var people = []certify.Certificate{
	of("Zoë Łukaszewicz-Ŵynne", "Systèmes répartis, ße œuvre", "Małgorzata Dąbrowska"),
	of("Nguyễn Thị Minh Khai", "Thiết kế hệ thống phân tán", "Đặng Văn Lâm"),
	of("Владимир Чайковский", "Основы распределённых систем", "Љубица Ђорђевић"),
	of("Ἀλέξανδρος Παπαδόπουλος", "Εισαγωγή στα συστήματα", "Ωραία Ρήγα"),
	of("कमला हर्षवर्धन क्षत्रिय", "वितरित प्रणालियों का परिचय", "श्रीमती ज्योत्स्ना"),
	of("محمد بن عبد الله الأندلسي", "مقدمة في الأنظمة الموزعة", "فاطمة الزهراء"),
	of("王小明", "分布式系统导论", "李教授"),
	of("田中 さくら", "分散システム入門：第一原理から", "渡辺 先生"),
	of("김민준", "분산 시스템 입문", "박 교수"),
	of("דוד בן־גוריון", "מבוא למערכות מבוזרות", "שרה לוי"),
	of("สมชาย ใจดี", "ระบบแบบกระจายเบื้องต้น", "กุลธิดา"),
	of("தமிழ்ச்செல்வி கௌசல்யா", "விநியோகிக்கப்பட்ட அமைப்புகள்", "நாகராஜன்"),
	of("রবীন্দ্রনাথ ঠাকুর", "বিতরণকৃত সিস্টেম পরিচিতি", "ಜ್ಞಾನೇಶ್ವರ ಶಾಸ್ತ್ರಿ"),
	of("গুরু नाम ગુરુ", "ລະບົບ ប្រព័ន្ធ စနစ်", "ქართული Հայերեն"),
	of("Anna محمد 田中 김 कमला Чайка", "λόγος 入門 and مقدمة too", "王 (Wang) Li"),
	of("نور Noor 2026", "مقدمة إلى Go 1.26", "س. ع. خان"),
}

func TestText_OfAnyScriptIsExtractedAsTyped(t *testing.T) {
	needFonts(t)
	r := newRenderer(t, certificate.WithFonts(hostFonts()...))
	for _, c := range people {
		t.Run(c.StudentName, func(t *testing.T) {
			lines := linesOf(t, render(t, r, c))
			for i, line := range lines {
				lines[i] = seen(line)
			}
			for _, want := range []string{
				"Riverside College", "Certificate of Completion", c.StudentName, c.CourseTitle,
				c.EducatorName,
				"20 November 2026", "Certificate " + c.ID, verifyURL,
			} {
				if !slices.Contains(lines, visual(want)) {
					t.Errorf("no line is %q (from left to right: %q):\n%s", want, visual(want),
						strings.Join(lines, "\n"))
				}
			}
		})
	}
}

// The expected lines are written out here, because the library that visual uses misplaces
// brackets.
func TestText_BracketsAndNumbersInBothDirections(t *testing.T) {
	needFonts(t)
	lines := linesOf(t, render(t, newRenderer(t, certificate.WithFonts(hostFonts()...)),
		of("نور (Noor) 2026", "Ada נ 12 b", "نور ١٢٣ (ب)")))
	for i, line := range lines {
		lines[i] = seen(line)
	}
	for _, want := range []string{"2026 (Noor) رون", "Ada 12 נ b", "(ب) ١٢٣ رون"} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line reads %q from left to right: %q", want, lines)
		}
	}
}

func TestText_DecomposedLettersAreComposed(t *testing.T) {
	name := "Zoë Ångström Nguyễn"
	lines := linesOf(t, render(t, newRenderer(t), of(norm.NFD.String(name), "Go", "")))
	if !slices.Contains(lines, name) {
		t.Errorf("no line is %q: %q", name, lines)
	}
}

// Control characters in a name must not change the order of letters in other texts, and must
// not break a line.
func TestText_ControlCharactersAreRemoved(t *testing.T) {
	lines := linesOf(t, render(t, newRenderer(t),
		of("\u202eAda\u0000 \u2066Love\tlace\n\x1b[31m", "Go\u2029Far\u202b", "\ufeff")))
	for _, want := range []string{"Ada Love lace [31m", "Go Far"} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line is %q: %q", want, lines)
		}
	}
	for _, line := range lines {
		if strings.ContainsAny(line, "\u202a\u202b\u202d\u202e\u2066\u2067\u2068") {
			t.Errorf("%q has a control character", line)
		}
	}
}

func TestScripts_OfEmbeddedAndHostFonts(t *testing.T) {
	if got, want := newRenderer(t).Scripts(),
		[]string{"Latin", "Greek", "Cyrillic", "Hebrew"}; !slices.Equal(got, want) {
		t.Errorf("without fonts of the host %q, want %q", got, want)
	}
	needFonts(t)
	got := newRenderer(t, certificate.WithFonts(hostFonts()...)).Scripts()
	for _, want := range []string{"Arabic", "Devanagari", "Chinese", "Japanese", "Korean", "Thai",
		"Tamil", "Bengali"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q with the Noto fonts, want also %q", got, want)
		}
	}
}

// seen returns a line of poppler's output as it looks on the page, from left to right.
// Poppler keeps the parts of a line in that order, but reverses each part that is read from
// right to left and puts it between two control characters.
func seen(line string) string {
	var b strings.Builder
	for i, piece := range strings.Split(line, "\u202b") {
		inner, rest, marked := strings.Cut(piece, "\u202c")
		if i == 0 || !marked {
			b.WriteString(piece)
			continue
		}
		b.WriteString(turned(inner) + rest)
	}
	return strings.TrimSpace(b.String())
}

// visual returns text as it looks on the page, from left to right. It uses another library
// for the bidirectional algorithm than the renderer does.
func visual(s string) string {
	var p bidi.Paragraph
	_, _ = p.SetString(s)
	order, err := p.Order()
	if err != nil {
		return s
	}
	var runs []string
	for i := range order.NumRuns() {
		run := order.Run(i)
		if run.Direction() == bidi.RightToLeft {
			runs = append(runs, bidi.ReverseString(run.String()))
		} else {
			runs = append(runs, run.String())
		}
	}
	if order.Direction() == bidi.RightToLeft {
		slices.Reverse(runs)
	}
	return strings.TrimSpace(strings.Join(runs, ""))
}

func turned(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}
