// Package faultbench runs reference servers as processes while faults are injected, and then checks
// the books: every captured payment must have enrolled its user once, every refund must be counted
// once, counters must equal rows, no answered vote may be lost, every event must be delivered in
// order, and nothing may be left over.
//
// Visitors browse, buy, study, post, vote, write quizzes and ask for certificates; admins refund
// purchases and grant enrolments; users apply and add courses. Everything that a server calls is
// reached through a [Proxy], which cuts, resets, delays, throttles, stalls or half-opens the
// connections. Servers are killed, stopped and frozen, database servers too; a PostgreSQL loses
// connections and single processes, and the pgbouncer before it is killed; clocks of servers are
// moved; their files stop growing, as on a full disk; webhooks are repeated, reordered, and late by
// a day.
//
// A [Schedule] is chosen from a seed: the same seed, time and engine give the same kinds of faults
// at the same offsets. What the visitors do at these moments depends on the machine, so that a
// repeated run is similar and not identical.
//
// The bench knows when each fault was active and which requests it can have harmed. A request that
// failed otherwise is a failure of the run.
package faultbench
