package roomtest

import (
	"reflect"

	"github.com/openlectern/openlectern/learning"
)

// Operations returns the operations of a platform: its methods by their names, and those of its
// rooms by the name of the field too, such as "People.Users". What a test says of each operation,
// it says so of an operation of every room.
func Operations(p *learning.Platform) map[string]reflect.Value {
	operations := map[string]reflect.Value{}
	add := func(prefix string, of reflect.Value) {
		for m, v := range of.Methods() {
			operations[prefix+m.Name] = v
		}
	}
	platform := reflect.ValueOf(p)
	add("", platform)
	for field, v := range platform.Elem().Fields() {
		if field.IsExported() {
			add(field.Name+".", v)
		}
	}
	return operations
}
