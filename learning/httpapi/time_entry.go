package httpapi

import (
	"github.com/openlectern/openlectern/learning/study"
)

type trackTimeRequest struct {
	Page     string  `json:"page" jsonschema:"minLength=1,maxLength=100" doc:"The name of the page. 'Home', 'Browse Courses', 'Course Details', 'Analytics' and 'Other' count in no total."`
	Path     string  `json:"path" jsonschema:"minLength=1,maxLength=500" doc:"The path of the page. '/player/<course id>' is learning time, '/quiz/<course id>/<chapter id>' quiz time."`
	Duration float64 `json:"duration" jsonschema:"exclusiveMinimum=0,maximum=86400" doc:"The length of the visit in seconds. It may have a fraction."`
}

// trackTime stores how long the caller has visited a page. The answer has no fields.
func (a *api) trackTime(c *call, in trackTimeRequest) (struct{}, error) {
	return struct{}{}, a.platform.Study.TrackTime(c.Context(), c.actor,
		study.NewTimeEntry{Page: in.Page, Path: in.Path, Seconds: in.Duration})
}
