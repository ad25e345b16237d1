package invariants

// Events contains, by name, the part of a query after "SELECT COUNT(*) FROM" that selects
// invalid deliveries of events: an event that is delivered, or was tried, although an earlier one
// of its subject is not delivered; a gap in the positions of a subject; and an event that is
// blocked although the one before it is delivered, so that it would wait for ever.
var Events = map[string]string{
	"order": `
		{event_deliveries} d
		WHERE (d.status = 'delivered' OR d.attempts > 0)
			AND EXISTS (SELECT 1 FROM {event_deliveries} e WHERE e.target = d.target
					AND e.subject = d.subject AND e.seq < d.seq AND e.status <> 'delivered')`,
	"gap": `
		{event_deliveries} d
		WHERE d.status <> 'delivered' AND d.seq > 1
			AND NOT EXISTS (SELECT 1 FROM {event_deliveries} e WHERE e.target = d.target
					AND e.subject = d.subject AND e.seq = d.seq - 1)
			AND EXISTS (SELECT 1 FROM {event_deliveries} e WHERE e.target = d.target
					AND e.subject = d.subject AND e.seq < d.seq)`,
	"blocked": `
		{event_deliveries} d
		WHERE d.status = 'blocked'
			AND NOT EXISTS (SELECT 1 FROM {event_deliveries} e WHERE e.target = d.target
					AND e.subject = d.subject AND e.seq = d.seq - 1 AND e.status <> 'delivered')`,
}
