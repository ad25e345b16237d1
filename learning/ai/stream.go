package ai

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tmaxmax/go-sse"

	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning/tutor"
)

// afterEnd is how long a stream may stay open after the answer is finished. The provider
// sends the usage in this time, but the answer is complete without it.
const afterEnd = 2 * time.Second

// chunk is the data of one event of a stream.
type chunk struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage          `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// stream requests an answer, without retries, and calls write with its parts as they arrive. The
// reply has the usage also if there is an error.
func (c *Client) stream(ctx context.Context, r tutor.AIRequest,
	write func(string) error) (tutor.AIReply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// A timer ends a stream that does not begin within c.begin, or pauses for longer than c.idle.
	silence := time.AfterFunc(c.begin, func() { cancel(errSilent) })
	defer silence.Stop()
	const asStream = true
	res, err := c.open(ctx, r, asStream)
	if err != nil {
		return replyOfFailedCall(r, err), causeOf(ctx, err)
	}
	defer res.Body.Close()
	l := listener{client: c, write: write, silence: silence, idle: c.idle}
	// A failure counts the maximum, unless the stream has brought a count.
	if err := l.listen(res); err != nil {
		return tutor.AIReply{Usage: l.usage.usageOrMaximum(r)}, l.failure(ctx, err)
	}
	text := l.text.String()
	return tutor.AIReply{Text: text, Usage: l.usage.usageOrEstimate(r, text)}, nil
}

// listener reads one stream.
type listener struct {
	client  *Client
	write   func(string) error
	silence *time.Timer // ends the stream; it runs while Read waits for the provider
	idle    time.Duration
	endsAt  time.Time // when the stream ends at the latest; zero until the answer is complete

	body     io.Reader
	text     strings.Builder // of the answer so far
	usage    *usage          // nil until the provider has sent one
	finished bool            // the answer is complete: only the usage may follow
}

// Read reads the stream and bounds the pauses of the provider, and what it sends after the answer.
// The time in which the caller passes the answer on does not count.
func (l *listener) Read(p []byte) (int, error) {
	wait := l.idle
	if l.finished {
		wait = time.Until(l.endsAt)
	}
	l.silence.Reset(wait)
	defer l.silence.Stop()
	return l.body.Read(p)
}

// failure returns the error of a stream that failed with err. It is final, so that it is not
// retried, if a part of the answer was passed on.
func (l *listener) failure(ctx context.Context, err error) error {
	if !errors.As(err, new(final)) { // a final error is that of l.write, with its own cause
		err = causeOf(ctx, err)
	}
	if l.text.Len() > 0 {
		return final{err}
	}
	return err
}

// listen reads the events of a stream until its end. It returns nil if the answer is complete, and
// errEmpty if it is complete without text.
func (l *listener) listen(res *http.Response) error {
	// An answer without a type may be a stream: its events decide.
	if kind := res.Header.Get("Content-Type"); kind != "" {
		if got, _, err := mime.ParseMediaType(kind); err != nil || got != "text/event-stream" {
			return errInvalidAnswer
		}
	}
	l.body = res.Body
	for ev, err := range sse.Read(l, &sse.ReadConfig{MaxEventSize: int(l.client.longestJSON())}) {
		switch {
		// The end, or a failure after the answer is complete: only the usage is missing.
		case strings.TrimSpace(ev.Data) == "[DONE]", err != nil && l.finished:
			return l.end()
		case errors.Is(err, sse.ErrUnexpectedEOF):
			return errBroken
		case errors.Is(err, bufio.ErrTooLong):
			return errTooLong
		case err != nil:
			return provider.Cause(err) // without the URL; it decides about another attempt
		case ev.Data == "": // an event with a name or an id only
			continue
		}
		if err := l.take(ev); err != nil {
			return err
		}
	}
	if l.finished { // not every provider sends [DONE]
		return l.end()
	}
	return errBroken
}

// take decodes one event, keeps its usage, and passes on its part of the answer.
func (l *listener) take(ev sse.Event) error {
	var got chunk
	switch {
	case ev.Type == "error":
		return errRefused
	case !utf8.ValidString(ev.Data) || json.Unmarshal([]byte(ev.Data), &got) != nil:
		return errInvalidAnswer
	case isError(got.Error):
		return errRefused
	}
	// The usage may come with any event, also with one that has no part of the answer.
	if got.Usage != nil {
		l.usage = got.Usage
	}
	if len(got.Choices) == 0 || l.finished {
		return nil
	}
	choice := got.Choices[0]
	// The answer ends with this event; only the usage may follow.
	if choice.FinishReason != "" {
		l.finished, l.endsAt = true, time.Now().Add(afterEnd)
	}
	if choice.FinishReason == withheld {
		return errWithheld
	}
	return l.handOn(choice.Delta.Content)
}

// handOn keeps a part of the answer and passes it to the caller by write. An error of write is
// final.
func (l *listener) handOn(delta string) error {
	if delta == "" {
		return nil
	}
	if l.text.Len()+len(delta) > l.client.longest {
		return errTooLong
	}
	l.text.WriteString(delta)
	if err := l.write(delta); err != nil {
		return final{err}
	}
	return nil
}

// end is called at the end of a complete answer. It returns errEmpty if that has no text.
func (l *listener) end() error {
	if l.text.Len() == 0 {
		return errEmpty
	}
	return nil
}
