package outbox

import (
	"cmp"
	"slices"
	"time"
)

// The constants of the queue of due subjects. They bound its memory.
const (
	duePage     = 256  // due deliveries that are read at once
	loadedTurns = 16   // subjects whose events are read at once
	freshQueued = 128  // subjects that wait for a fresh slot before no more are looked for
	MostQueued  = 4096 // subjects that wait for a slot after a failed attempt

	lookShare = 10 // looks for due events take one of so many parts of the time
)

// dueSubject is a subject that has a due event.
type dueSubject struct {
	subject  string
	seq      int64 // the position of a due event, perhaps not of the first that is not delivered
	repeated bool  // whether the last attempt at the event failed
}

// subjectTurn is one turn of a subject: the delivery of some of its events.
type subjectTurn struct {
	dueSubject
	list  []Delivery    // its events from seq on that are not delivered, as far as they were read
	slot  chan struct{} // the slots of which it has one
	again bool          // when it has ended: whether the subject has more due events
	err   error         // when it has ended
}

// subjectLane is the subjects that wait for a slot of one kind, the longest due first.
type subjectLane struct {
	slots   chan struct{} // those that are taken
	waiting []dueSubject
	loaded  []subjectTurn // come before those that wait
}

// slotsIfWaiting returns the channel to which a value is sent to take a slot, or nil if no subject
// waits.
func (l *subjectLane) slotsIfWaiting() chan<- struct{} {
	if len(l.waiting)+len(l.loaded) == 0 {
		return nil
	}
	return l.slots
}

// subjectQueue finds the subjects of a shard that have due events, the longest due first,
// and contains those that wait for a slot.
//
// A look reads the due deliveries page by page, as far as subjects are needed. It begins
// again at the first page after a second, or if there may be new events. Deliveries that
// it has passed are then delivered, or their subjects are still known. So each delivery is
// read a few times only, however many there are. That holds for a subject with many events
// too, because its later events are blocked.
type subjectQueue struct {
	fresh, repeated subjectLane
	known           map[string]*knownSubject // wait or are delivered
	active          int                      // subjects that are delivered

	after   Delivery      // the last one that the look has read
	ended   bool          // whether the look has read all due deliveries
	found   int           // deliveries that it has read, plus subjects active when it began
	again   bool          // whether to begin another look; see wantsPage
	begun   time.Time     // when the look began
	reading time.Duration // how long the look has read
}

// knownSubject is a subject that waits or is delivered.
type knownSubject struct {
	isLoaded bool        // whether its events were read for its turn
	later    *dueSubject // as it was found again after that; nil if it was not
}

// newSubjectQueue returns an empty queue whose first look has not begun. The arguments are
// the slots of its lanes.
func newSubjectQueue(fresh, repeated chan struct{}) *subjectQueue {
	return &subjectQueue{
		fresh:    subjectLane{slots: fresh},
		repeated: subjectLane{slots: repeated},
		known:    map[string]*knownSubject{},
		ended:    true,
		again:    true,
	}
}

// lookAgain makes another look begin, because there may be new events.
func (q *subjectQueue) lookAgain() { q.again = true }

// wantsPage reports whether the next page of due deliveries is to be read. It begins a new
// look if q.again is set, by lookAgain or because subjects found no room, under these conditions:
//
//	subjects that wait or are delivered | a new look begins
//	some                                | if q.again is set; looks take a tenth of the time at most
//	none                                | if the last look has ended, and q.again is set or the
//	                                    | look was not empty
//
// So if there are none, and no page is wanted, then no delivery is due. No page is wanted either
// while many fresh subjects wait.
func (q *subjectQueue) wantsPage() bool {
	begin := q.again && time.Since(q.begun) >= lookShare*q.reading
	if len(q.known) == 0 {
		begin = q.ended && (q.again || q.found > 0)
	}
	if begin {
		q.after = Delivery{}
		q.ended = false
		q.again = false
		q.begun, q.reading = time.Now(), 0
		q.found = q.active // these subjects may have due events again when the look has ended
	}
	return !q.ended && len(q.fresh.waiting) < freshQueued
}

// readPage adds the subjects of the next page of due deliveries. read reads the page that follows
// the delivery after, or the first one if after is zero.
func (q *subjectQueue) readPage(read func(after Delivery) ([]Delivery, error)) error {
	start := time.Now()
	list, err := read(q.after)
	if err != nil {
		return err
	}
	q.reading += time.Since(start)
	q.found += len(list)
	q.ended = len(list) < duePage
	for _, e := range list {
		q.add(dueSubject{subject: e.Subject, seq: e.Seq, repeated: e.Attempts > 0})
		q.after = e
	}
	return nil
}

// add adds a subject to those that wait, unless it waits already. If the events of the subject were
// read for a turn, there may be newer ones, so that done adds it again. Of the subjects whose last
// attempt failed, those that find no room are found again by a later look.
func (q *subjectQueue) add(s dueSubject) {
	if k := q.known[s.subject]; k != nil {
		if k.isLoaded && k.later == nil {
			k.later = &s
		}
		return
	}
	lane := &q.fresh
	if s.repeated {
		lane = &q.repeated
	}
	if s.repeated && len(lane.waiting) >= MostQueued {
		q.again = true
		return
	}
	lane.waiting = append(lane.waiting, s)
	q.known[s.subject] = &knownSubject{}
}

// next removes the first subject of a lane, which must have one. It is active until done is
// called. If its events were not read yet, next reads them, and those of the following
// subjects with the same call of read.
func (q *subjectQueue) next(
	lane *subjectLane, read func([]Range) ([]Delivery, error),
) (subjectTurn, error) {
	if len(lane.loaded) == 0 {
		// Read the events of one turn, and one more. Also read the event before the one that was
		// found: if it is not delivered, deliverSubject must begin at an earlier event.
		n := min(len(lane.waiting), loadedTurns)
		ranges := make([]Range, n)
		for i, s := range lane.waiting[:n] {
			ranges[i] = Range{Subject: s.subject, From: s.seq - 1, To: s.seq + eventsAtOnce}
		}
		list, err := read(ranges)
		if err != nil {
			return subjectTurn{}, err
		}

		// Give each subject its own, in their order.
		slices.SortFunc(list, func(a, b Delivery) int { return cmp.Compare(a.Seq, b.Seq) })
		bySubject := map[string][]Delivery{}
		for _, e := range list {
			bySubject[e.Subject] = append(bySubject[e.Subject], e)
		}
		for _, s := range lane.waiting[:n] {
			lane.loaded = append(lane.loaded, subjectTurn{
				dueSubject: s,
				list:       bySubject[s.subject],
				slot:       lane.slots,
			})
			q.known[s.subject].isLoaded = true
		}
		lane.waiting = lane.waiting[n:]
	}
	t := lane.loaded[0]
	lane.loaded = lane.loaded[1:]
	q.active++
	return t, nil
}

// done ends the turn of a subject. If it has more due events, or if one was found meanwhile,
// the subject waits again, as the last one.
func (q *subjectQueue) done(t subjectTurn) {
	later := q.known[t.subject].later
	delete(q.known, t.subject)
	q.active--
	if t.again { // at the event where the turn ended, which is not after that of later
		q.add(t.dueSubject)
	} else if later != nil {
		q.add(*later)
	}
}
