// Package core is what all rooms of the library speak: who calls ([Actor], [Role]), what is refused
// ([Error]), pages of lists ([Page]), money, time, events and totals as such, and the envelope of a
// transaction ([Base]).
//
// It knows no rule and no table of a noun: the rooms declare their failures, their events and the
// kinds of their totals. It refuses to import a room, net/http or database/sql. Begin reading at
// [Base], which shows what a transaction of the library is and how often it may run.
package core
