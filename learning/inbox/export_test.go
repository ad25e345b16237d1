package inbox

import "time"

// SetPollEvery sets the interval of the polls of a service for a test.
func (s *Service) SetPollEvery(d time.Duration) { s.pollEvery = d }
