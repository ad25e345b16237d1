package file

import "github.com/openlectern/openlectern/internal/thumbnail"

// SetImagesBusy makes the service refuse images, as if others used the memory.
func (s *Service) SetImagesBusy() { s.images = thumbnail.New(0) }
