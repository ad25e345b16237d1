package learning

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// forgetUser deletes what belongs to a user alone, in all rooms. The private lists of the export
// come after them: see study.ForRooms.ForgetUser for the order of their locks.
func (p *Platform) forgetUser(
	ctx context.Context, tx Tx, changes *core.Changes, userID string, at time.Time,
) error {
	for _, room := range p.rooms {
		if err := room.ForgetUser(ctx, tx, changes, userID, at); err != nil {
			return err
		}
	}
	// The lists have chats before their messages, as DeleteChat does.
	for _, list := range p.exportLists {
		if !list.Private {
			continue
		}
		if err := tx.DeletePrivate(ctx, list, userID); err != nil {
			return err
		}
	}
	return nil
}
