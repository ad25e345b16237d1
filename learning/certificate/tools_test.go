package certificate_test

import (
	"bytes"
	"fmt"
	"image"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/testrun"
)

// hostFonts returns the folders in which Debian keeps the Noto fonts. They may be missing.
func hostFonts() []fs.FS {
	return []fs.FS{os.DirFS("/usr/share/fonts/truetype/noto"),
		os.DirFS("/usr/share/fonts/opentype/noto")}
}

// needFonts skips or fails a test on a machine without the Noto fonts.
func needFonts(tb testing.TB) {
	tb.Helper()
	var missing error
	for _, file := range []string{"truetype/noto/NotoSerifDevanagari-Regular.ttf",
		"opentype/noto/NotoSerifCJK-Regular.ttc"} {
		if _, err := os.Stat("/usr/share/fonts/" + file); err != nil {
			missing = err
		}
	}
	testrun.Need(tb, "noto", missing)
}

// run runs a program of a Debian package and returns its output.
func run(tb testing.TB, pkg, program string, args ...string) []byte {
	tb.Helper()
	path, err := exec.LookPath(program)
	testrun.Need(tb, pkg, err)
	var stderr bytes.Buffer
	command := exec.Command(path, args...)
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil || stderr.Len() > 0 {
		tb.Errorf("%s %s: %v\n%s", program, strings.Join(args, " "), err, &stderr)
	}
	return out
}

func onDisk(tb testing.TB, file []byte) string {
	tb.Helper()
	name := filepath.Join(tb.TempDir(), "certificate.pdf")
	if err := os.WriteFile(name, file, 0o600); err != nil {
		tb.Fatal(err)
	}
	return name
}

// linesOf returns the lines of text that poppler finds on a page.
func linesOf(tb testing.TB, file []byte) []string {
	tb.Helper()
	var lines []string
	for line := range strings.Lines(string(run(tb, "poppler", "pdftotext", onDisk(tb, file),
		"-"))) {
		if line = strings.Trim(line, "\n\f"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// picture returns a page in shades of grey, at the given dots an inch.
func picture(tb testing.TB, file []byte, dots int) *image.Gray {
	tb.Helper()
	pgm := run(tb, "poppler", "pdftoppm", "-r", fmt.Sprint(dots), "-gray", onDisk(tb, file))
	var width, height, most int
	if _, err := fmt.Sscanf(string(pgm[:min(len(pgm), 40)]), "P5\n%d %d\n%d\n", &width, &height,
		&most); err != nil {
		tb.Fatalf("read a picture: %v", err)
	}
	return &image.Gray{Pix: pgm[len(pgm)-width*height:], Stride: width,
		Rect: image.Rect(0, 0, width, height)}
}
