package learning_test

import (
	"reflect"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
)

// Each service of a platform is asked when a user or a course is deleted, what an export lists,
// when totals are compared, and when leftovers are removed.
func TestPlatform_AsksEachRoom(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	platform := reflect.ValueOf(w.Platform).Elem()
	services := map[reflect.Type]string{}
	for i := range platform.NumField() {
		f := platform.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		forRooms := platform.Field(i).MethodByName("ForRooms")
		if !forRooms.IsValid() {
			t.Fatalf("%s has no method ForRooms", f.Name)
		}
		services[forRooms.Type().Out(0)] = f.Name
	}
	for _, room := range learning.Rooms(w.Platform) {
		// A room of package core, for transactions of the store, is around that of the package.
		delete(services, reflect.ValueOf(room).FieldByName("Room").Elem().Type())
	}
	for _, name := range services {
		t.Errorf("rooms of Platform lacks %s: add it in platform_rooms.go, where the order of its "+
			"locks allows it", name)
	}
}
