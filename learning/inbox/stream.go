package inbox

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// ErrTooManyStreams is the failure of a stream above [MaxStreams].
var ErrTooManyStreams = &core.Error{Kind: core.RateLimited, Code: "too_many_streams",
	Message: "Too many requests at once. Please try again later."}

const (
	// MaxStreams is how many streams a user has open in one instance.
	MaxStreams = 4
	// MaxPolled is how many users one statement of a poll asks for.
	MaxPolled = 512
	// pollEvery is the interval of the polls of an instance with open streams.
	pollEvery = 2 * time.Second
)

// Stream tells how many notifications a user has not read, whenever that changes. It must be
// closed.
type Stream struct {
	service *Service
	userID  string
	unread  chan int      // has the last number that was not received
	ended   chan struct{} // is closed when the platform or the user ends the stream
	last    int
}

// Unread receives the numbers, at first the present one. A number that was not received is replaced
// by the next one.
func (s *Stream) Unread() <-chan int { return s.unread }

// Ended is closed when the user was deleted or the platform stops. The stream has no more numbers
// then, except for one that was not received.
func (s *Stream) Ended() <-chan struct{} { return s.ended }

// Close ends the stream. It may be called once.
func (s *Stream) Close() { s.service.streams.remove(s) }

// OpenStream opens a stream for the actor. Errors: [core.ErrUnauthenticated], [ErrTooManyStreams].
//
// An instance asks the database for all its streams together, every two seconds, as long as any is
// open.
func (s *Service) OpenStream(ctx context.Context, actor core.Actor) (*Stream, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	stream := &Stream{service: s, userID: actor.UserID, unread: make(chan int, 1),
		ended: make(chan struct{})}
	if !s.streams.add(stream, s.poll) {
		return nil, ErrTooManyStreams
	}
	unread, err := s.Unread(ctx, actor)
	if err != nil {
		stream.Close()
		return nil, err
	}
	s.streams.tell(map[string]int{actor.UserID: unread}, []string{actor.UserID})
	return stream, nil
}

// streams are the open streams of an instance. The zero value is ready for use.
type streams struct {
	mu       sync.Mutex
	byUser   map[string][]*Stream
	isPolled bool // a goroutine polls
	isEnded  bool // the platform stops
}

// add adds a stream, unless the user has MaxStreams, and reports whether it did. It starts poll if
// no stream was open. While the platform stops, the stream is ended at once.
func (s *streams) add(stream *Stream, poll func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.byUser[stream.userID]) == MaxStreams {
		return false
	}
	if s.byUser == nil {
		s.byUser = map[string][]*Stream{}
	}
	stream.last = -1 // no number was told
	s.byUser[stream.userID] = append(s.byUser[stream.userID], stream)
	if s.isEnded {
		close(stream.ended)
	} else if !s.isPolled {
		s.isPolled = true
		go poll()
	}
	return true
}

// remove removes a stream.
func (s *streams) remove(stream *Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := slices.DeleteFunc(s.byUser[stream.userID],
		func(other *Stream) bool { return other == stream })
	if s.byUser[stream.userID] = left; len(left) == 0 {
		delete(s.byUser, stream.userID)
	}
}

// users returns the users with open streams. If there are none, the caller, which polls, must end.
func (s *streams) users() (userIDs []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for userID := range s.byUser {
		userIDs = append(userIDs, userID)
	}
	s.isPolled = len(userIDs) > 0 && !s.isEnded
	if !s.isPolled {
		return nil
	}
	return userIDs
}

// tell tells the streams of users how many notifications are not read, 0 for a user that unread
// does not have.
func (s *streams) tell(unread map[string]int, userIDs []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, userID := range userIDs {
		for _, stream := range s.byUser[userID] {
			if stream.last == unread[userID] {
				continue
			}
			stream.last = unread[userID]
			select {
			case <-stream.unread: // a number that was not received
			default:
			}
			stream.unread <- stream.last
		}
	}
}

// end ends the streams of users, or all for nil.
func (s *streams) end(userIDs []string) {
	for userID, list := range s.byUser {
		if userIDs != nil && !slices.Contains(userIDs, userID) {
			continue
		}
		for _, stream := range list {
			select {
			case <-stream.ended: // it is closed already
			default:
				close(stream.ended)
			}
		}
	}
}

// EndStreams ends all streams, and those that are opened later, until BeginStreams is called.
func (s *ForRooms) EndStreams() {
	s.streams.mu.Lock()
	defer s.streams.mu.Unlock()
	s.streams.isEnded = true
	s.streams.end(nil)
}

// BeginStreams lets streams be opened after EndStreams.
func (s *ForRooms) BeginStreams() {
	s.streams.mu.Lock()
	defer s.streams.mu.Unlock()
	s.streams.isEnded = false
}

// poll asks the database for all streams, again and again until none is open.
func (s *Service) poll() {
	for {
		time.Sleep(s.pollEvery)
		userIDs := s.streams.users()
		if len(userIDs) == 0 {
			return
		}
		for chunk := range slices.Chunk(userIDs, MaxPolled) {
			s.pollFor(context.Background(), chunk)
		}
	}
}

// pollFor tells the streams of users how many notifications are not read, and ends those of deleted
// users. If the database fails, the next poll tries again.
func (s *Service) pollFor(ctx context.Context, userIDs []string) {
	unread, err := s.store.UnreadOf(ctx, userIDs)
	if err == nil {
		s.streams.tell(unread, userIDs)
		var deleted []string
		if deleted, err = s.store.DeletedOf(ctx, userIDs); err == nil && len(deleted) > 0 {
			s.streams.mu.Lock()
			s.streams.end(deleted)
			s.streams.mu.Unlock()
		}
	}
	if err != nil {
		s.base.Log.WarnContext(ctx, "streams of notifications are late", "error", err)
	}
}

// streamReader reads what streams tell.
type streamReader interface {
	// UnreadOf counts the notifications of users that are not read, each up to MaxUnread. Users
	// without one are left out. There must be 1 to MaxPolled users.
	UnreadOf(ctx context.Context, userIDs []string) (map[string]int, error)
	// DeletedOf returns those of 1 to MaxPolled users who were deleted.
	DeletedOf(ctx context.Context, userIDs []string) ([]string, error)
}
