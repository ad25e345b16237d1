package httpapi_test

import (
	"bytes"
	"cmp"
	"context"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// hostileBody is a body that was made to cost much.
type hostileBody struct {
	name    string
	kind    string // its Content-Type
	content []byte
	text    int // how many bytes of texts it has when it is unpacked
	headers []string
}

// cost is what a request has cost.
type cost struct {
	heap      uint64 // by how many bytes the heap has grown at most
	processor time.Duration
	status    int
	answer    string
}

// What a request with a body may cost at most: bytes of memory and of processor time, beside those
// for each byte of its texts (docs/api.md §18).
const (
	heapOfRequest      = 64 << 20
	heapOfByte         = 20
	processorOfRequest = time.Second
	processorOfByte    = 2 * time.Microsecond
)

// isWithin reports whether a cost is within the bounds for a number of bytes, slack times.
func (c cost) isWithin(text int, slack float64) bool {
	heap := float64(heapOfRequest + heapOfByte*text)
	processor := float64(processorOfRequest + processorOfByte*time.Duration(text))
	return float64(c.heap) <= slack*heap && float64(c.processor) <= slack*processor
}

// processorTime returns the processor time of the process.
func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // which cannot fail
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// send sends a hostile body to a route, and returns what that has cost.
func (s *site) sendHostile(
	ctx context.Context, row httpapi.Row, path string, body hostileBody,
) cost {
	user := "student"
	switch row.Role {
	case core.Educator, "":
		user = "educator"
	case core.Admin:
		user = "admin"
	}
	r := httptest.NewRequestWithContext(ctx, row.Method, path, bytes.NewReader(body.content))
	headers := append([]string{"Content-Type", body.kind}, body.headers...)
	if row.Private {
		headers = append(headers, s.as(user)...)
	}
	for ; len(headers) > 1; headers = headers[2:] {
		r.Header.Set(headers[0], headers[1])
	}

	// Look at the heap while the request is served. Garbage is collected often meanwhile, so that
	// it counts little.
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, m.HeapAlloc
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for {
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
	}()
	begun := processorTime()
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	took := processorTime() - begun
	close(done)
	<-watched
	runtime.ReadMemStats(&m)
	most = max(most, m.HeapAlloc)
	return cost{heap: most - before, processor: took, status: w.Code, answer: w.Body.String()}
}

// hostileKinds are the bodies of each kind. A route takes one of the kinds.
func hostileKinds(row httpapi.Row) []hostileBody {
	switch {
	case row.JSON:
		return hostileJSON(row)
	case row.Signed:
		return hostileJSON(row)
	case row.TakesFile:
		return []hostileBody{{name: "a part of an upload", kind: "application/offset+octet-stream",
			content: []byte("# Notes"), headers: []string{"Tus-Resumable", "1.0.0", "Upload-Length",
				"7", "Upload-Offset", "0", "Upload-Metadata",
				strings.TrimSuffix(strings.Repeat("a YQ==,", 1_000), ",")}}}
	case row.Form == "newCourse" || row.Form == "imageForm":
		if isEveryday() {
			return hostileForms("image", nil)
		}
		return append(hostileForms("image", hostileImages()), hostileCourses(row)...)
	case row.Form == "fileForm":
		if isEveryday() {
			return hostileForms("file", nil)
		}
		return hostileForms("file", hostileFiles())
	}
	return nil
}

// isEveryday reports whether this is the everyday run, which sends few bodies and no hostile files.
// .ci/verify sets LEARNING_TEST_HOSTILE.
func isEveryday() bool { return os.Getenv("LEARNING_TEST_HOSTILE") == "" }

// hostileJSON returns JSON of the size that a route takes, of which a reader may build much.
func hostileJSON(row httpapi.Row) (list []hostileBody) {
	size := 100_000
	if row.Large || row.Signed {
		size = 1_000_000
	}
	for name, text := range jsonOf(size, row.Lists) {
		list = append(list, hostileBody{name: name, kind: "application/json", content: text,
			text: len(text), headers: []string{"X-Gateway-Signature", "none", "Svix-Signature", "none",
				"Webhook-Signature", "none"}})
	}
	return list
}

// jsonOf returns JSON of a size, with the lists of a request.
func jsonOf(size int, lists [][]string) map[string][]byte {
	fill := func(begin, piece, end string) []byte {
		n := (size - len(begin) - len(end)) / len(piece)
		text := strings.Repeat(piece, n)
		return []byte(begin + strings.TrimSuffix(text, ",") + end)
	}
	all := map[string][]byte{
		"objects":  fill("[", "{},", "]"),
		"depth":    bytes.Repeat([]byte("["), size),
		"nested":   append(bytes.Repeat([]byte("["), size/2), bytes.Repeat([]byte("]"), size/2)...),
		"members":  fill(`{`, `"`+strings.Repeat("a", 3)+`":0,`, "}"),
		"escapes":  fill(`{"a":"`, `\u00e9`, `"}`),
		"numbers":  fill(`{"a":[`, "1e999,", "]}"),
		"a number": fill(`{"a":`, "9", "}"),
	}
	for _, path := range lists {
		begin, end := "", ""
		for _, name := range path {
			begin, end = begin+`{"`+name+`":[`, "]}"+end
		}
		for name, piece := range map[string]string{"nulls": "null,", "objects": "{},", "texts": `"",`} {
			all[name+" in "+strings.Join(path, ".")] = fill(begin, piece, end)
		}
	}
	return all
}

// hostileForms returns forms with a content in a part.
func hostileForms(part string, contents []hostileBody) (list []hostileBody) {
	for _, c := range contents {
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		if part == "image" {
			_ = form.WriteField("courseData", string(course)) // to a buffer, as below
		}
		to, _ := form.CreateFormFile(part, c.name)
		_, _ = to.Write(c.content)
		_ = form.Close()
		list = append(list, hostileBody{name: c.name, kind: form.FormDataContentType(),
			content: b.Bytes(), text: c.text})
	}
	header := strings.Repeat("X-A: b\r\n", 50_000)
	for name, begin := range map[string]string{
		"many parts":   strings.Repeat("--x\r\n\r\n\r\n", 500_000),
		"many headers": "--x\r\n" + header,
		"a header":     "--x\r\nX-A: " + strings.Repeat("a", 5_000_000) + "\r\n\r\n",
	} {
		list = append(list, hostileBody{name: name, kind: "multipart/form-data; boundary=x",
			content: []byte(begin), text: len(begin)})
	}
	boundary := strings.Repeat("x", 60)
	text := strings.Repeat("\r\n--"+boundary[1:], 80_000)
	return append(list, hostileBody{name: "beginnings of a boundary", text: len(text),
		kind:    "multipart/form-data; boundary=" + boundary,
		content: []byte("--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + part + "\"\r\n\r\n" + text)})
}

// hostileCourses returns forms with a hostile courseData.
func hostileCourses(row httpapi.Row) (list []hostileBody) {
	for name, text := range jsonOf(1_000_000, row.Lists) {
		var b bytes.Buffer
		form := multipart.NewWriter(&b)
		_ = form.WriteField("courseData", string(text)) // to a buffer
		_ = form.Close()
		list = append(list, hostileBody{name: name, kind: form.FormDataContentType(),
			content: b.Bytes(), text: len(text)})
	}
	return list
}

// course is a valid courseData.
var course = []byte(longCourse(func(map[string]any, map[string]any, map[string]any) {}))

// pathsOf returns the paths of the cases success, by route.
func pathsOf(tb testing.TB) map[string]string {
	paths := map[string]string{}
	for id, c := range successCases(tb) {
		line, _, _ := strings.Cut(c.Request, "\n")
		_, paths[id], _ = strings.Cut(line, " ")
	}
	return paths
}

// hostileSite returns a site without rate limits that stores the files of lectures in memory.
func hostileSite(tb testing.TB) *site {
	kit := learningtest.New(tb, learningtest.WithPlatform(
		learning.WithFiles(sizedFiles{sizes: &sync.Map{}, heap: &atomic.Uint64{}})))
	return fixtureSiteOf(tb, kit, httpapi.WithLimiters(unlimited))
}

// isSent reports whether this run sends a body. For small bodies the kind of the route hardly
// matters, and the forms are read by the same code.
func isSent(row httpapi.Row, body hostileBody) bool {
	switch {
	case !isEveryday():
		return true
	case row.JSON || row.Signed:
		return row.Large && (strings.HasPrefix(body.name, "nulls") || body.name == "objects")
	case row.Form == "fileForm":
		return row.ID == "package.import" || row.ID == "quiz.import"
	}
	return row.ID != "course.thumbnail" && row.ID != "bundle.thumbnail"
}

// Each route that takes a body, of whatever kind, bounds what the body may cost. The test is not
// parallel, because it looks at the heap and the processor time of the process.
func TestHostileBodies_CostIsBounded(t *testing.T) {
	s, paths := hostileSite(t), pathsOf(t)
	for _, row := range httpapi.Table() {
		if !row.HasBody {
			continue
		}
		bodies := hostileKinds(row)
		if len(bodies) == 0 {
			t.Errorf("%s takes a body, and no hostile body is of its kind: add one to hostileKinds",
				row.ID)
		}
		for _, body := range bodies {
			if !isSent(row, body) {
				continue
			}
			got := s.sendHostile(t.Context(), row, paths[row.ID], body)
			if !got.isWithin(body.text, 1.5) {
				t.Errorf("%s, %s of %d bytes (%d bytes of text): %d MB, %v", row.ID, body.name,
					len(body.content), body.text, got.heap>>20, got.processor)
			}
			if got.status >= http.StatusInternalServerError && !row.Signed {
				t.Errorf("%s, %s: %d %s", row.ID, body.name, got.status, got.answer)
			}
		}
	}
}

// The work for a body ends soon after its caller has left.
func TestHostileBodies_EndWithTheCaller(t *testing.T) {
	s, paths := hostileSite(t), pathsOf(t)
	for _, row := range httpapi.Table() {
		if !row.HasBody || row.JSON || row.Signed {
			continue // bodies of 1 MiB cost less than the second that the work may go on
		}
		for _, body := range hostileKinds(row) {
			if !isSent(row, body) {
				continue
			}
			ctx, leave := context.WithCancel(t.Context())
			leave()
			if got := s.sendHostile(ctx, row, paths[row.ID], body); got.processor > 2*time.Second {
				t.Errorf("%s, %s: the work goes on for %v", row.ID, body.name, got.processor)
			}
		}
	}
}

// BenchmarkUploads measures each route that takes a file or a form with each hostile body: what the
// worst of them costs, how long the work goes on when the caller leaves, and how long others wait
// for the page of a course meanwhile.
func BenchmarkUploads(b *testing.B) {
	s, paths := hostileSite(b), pathsOf(b)
	const perMB = 1_000_000
	for _, row := range httpapi.Table() {
		if !row.HasBody {
			continue
		}
		type measured struct {
			hostileBody
			cost
		}
		var all []measured
		for _, body := range hostileKinds(row) {
			all = append(all, measured{body, s.sendHostile(b.Context(), row, paths[row.ID], body)})
		}
		share := func(m measured) float64 { // of what it may cost
			return max(float64(m.heap)/float64(heapOfRequest+heapOfByte*m.text),
				float64(m.processor)/float64(processorOfRequest+processorOfByte*time.Duration(m.text)))
		}
		worst := slices.MaxFunc(all, func(a, b measured) int { return cmp.Compare(share(a), share(b)) })
		stop := s.timeToStop(b, row, paths[row.ID], worst.hostileBody)
		p99 := s.bystander(b, row, paths[row.ID], worst.hostileBody)
		b.Run(row.ID+"/"+strings.ReplaceAll(worst.name, "/", " "), func(b *testing.B) {
			for b.Loop() {
			}
			megabytes := float64(max(worst.text, 1)) / perMB
			b.ReportMetric(megabytes, "text-MB")
			b.ReportMetric(float64(worst.heap)/perMB, "heap-MB")
			b.ReportMetric(worst.processor.Seconds(), "cpu-s")
			b.ReportMetric(share(worst), "of-bound")
			b.ReportMetric(float64(stop.Microseconds())/1000, "stop-ms")
			b.ReportMetric(float64(p99.Microseconds())/1000, "p99-ms")
		})
	}
}

// timeToStop returns how long a request goes on after its caller has left in its middle.
func (s *site) timeToStop(
	tb testing.TB, row httpapi.Row, path string, body hostileBody,
) time.Duration {
	begun := time.Now()
	s.sendHostile(tb.Context(), row, path, body)
	ctx, leave := context.WithCancel(tb.Context())
	var left time.Time
	timer := time.AfterFunc(time.Since(begun)/2, func() { left = time.Now(); leave() })
	defer timer.Stop()
	s.sendHostile(ctx, row, path, body)
	if left.IsZero() {
		return 0
	}
	return time.Since(left)
}

// bystander returns the 99th percentile of the times of a page while four such bodies are sent all
// the time.
func (s *site) bystander(
	tb testing.TB, row httpapi.Row, path string, body hostileBody,
) time.Duration {
	ctx, stop := context.WithCancel(tb.Context())
	var senders sync.WaitGroup
	for range 4 {
		senders.Go(func() {
			for ctx.Err() == nil {
				s.sendHostile(ctx, row, path, body)
			}
		})
	}
	var took []time.Duration
	for range 200 {
		begun := time.Now()
		s.get("/api/course/course_go")
		took = append(took, time.Since(begun))
	}
	stop()
	senders.Wait()
	slices.Sort(took)
	return took[len(took)*99/100]
}
