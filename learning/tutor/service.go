package tutor

import (
	"context"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/aigate"
	"github.com/openlectern/openlectern/internal/singleflight"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/study"
)

// Service has the operations that the AI takes part in: the chats of users with the tutor,
// roadmaps, and the quizzes that it writes. It is safe for concurrent use.
type Service struct {
	base    core.Base[Tx]
	store   Reader
	files   *file.ForRooms
	catalog *catalog.ForRooms
	study   *study.ForRooms
	assess  *assess.ForRooms

	ai   AI // nil for none
	gate aigate.Gate

	// Calls of this process that are in flight.
	creations        singleflight.Group[string, struct{}]        // by the key of the record
	personalRoadmaps singleflight.Group[string, PersonalRoadmap] // by the id of the user
	customRoadmaps   singleflight.Group[userTopic, Roadmap]
}

// New returns the service. The settings must be those for which Check returns nil.
func New(
	base core.Base[Tx], store Reader, files *file.ForRooms, courses *catalog.ForRooms,
	students *study.ForRooms, quizzes *assess.ForRooms, settings Settings,
) *Service {
	s := &Service{
		base:    base,
		store:   store,
		files:   files,
		catalog: courses,
		study:   students,
		assess:  quizzes,
		ai:      settings.AI,
		gate: aigate.Gate{
			Store:          gateStore{store, base},
			Leases:         base.Leases,
			Timeout:        settings.Timeout,
			UserBudget:     settings.UserBudget,
			PlatformBudget: settings.PlatformBudget,
		},
	}
	s.creations.OnPanic = base.LogPanic // a panic of a shared call is logged once
	s.personalRoadmaps.OnPanic = base.LogPanic
	s.customRoadmaps.OnPanic = base.LogPanic
	return s
}

// Settings are the language model and the limits of the service.
type Settings struct {
	AI             AI            // nil for none
	Timeout        time.Duration // of one call, with all its requests
	UserBudget     int64         // tokens a day; 0 for no limit
	PlatformBudget int64         // of all users together; 0 for no limit
}

// Check returns an error if a limit is invalid.
func (c Settings) Check() error {
	if c.Timeout <= 0 {
		return fmt.Errorf("AI time-out %v: it must be longer than zero", c.Timeout)
	}
	if c.UserBudget < 0 || c.PlatformBudget < 0 {
		return fmt.Errorf("AI budgets %d and %d: they must not be negative",
			c.UserBudget, c.PlatformBudget)
	}
	return nil
}

// Reader is what the room reads, inside or outside a transaction. A method that reads a single
// row returns [core.ErrNoRecord] if the row does not exist.
type Reader interface {
	catalog.ContentReader
	study.AccessReader
	chatReader
	aigate.Reader
}

// Tx is a transaction of the room. A store implements it.
type Tx interface {
	core.Tx
	Reader
	chatWriter
	aigate.Writer
}

// gateStore is the store of the service for package aigate.
type gateStore struct {
	aigate.Reader
	base core.Base[Tx]
}

// InTx runs fn in a transaction of the room, which has the methods of an [aigate.Tx].
func (s gateStore) InTx(ctx context.Context, fn func(aigate.Tx) error) error {
	return s.base.InTx(ctx, func(tx Tx) error { return fn(tx) })
}

// ForRooms is what package learning asks of this room. It checks no permission unless it says
// so, so nothing that a user sends may reach it unchecked.
type ForRooms Service

// ForRooms returns what package learning asks of this room.
func (s *Service) ForRooms() *ForRooms { return (*ForRooms)(s) }

// bookExpiredCalls books as used what crashed calls to the AI have reserved.
func (s *ForRooms) bookExpiredCalls(ctx context.Context) error {
	return s.gate.BookExpired(ctx, s.base.Now().Add(-core.ExpiredLeaseTime))
}
