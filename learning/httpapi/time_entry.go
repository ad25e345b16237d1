package httpapi

import "github.com/openlectern/openlectern/learning"

type trackTimeRequest struct {
	Page     string  `json:"page" jsonschema:"minLength=1,maxLength=100"`
	Path     string  `json:"path" jsonschema:"minLength=1,maxLength=500"`
	Duration float64 `json:"duration" jsonschema:"exclusiveMinimum=0,maximum=86400"`
}

func (a *api) trackTime(c *call, in trackTimeRequest) (struct{}, error) {
	return struct{}{}, a.platform.TrackTime(c.Context(), c.actor, learning.NewTimeEntry{Page: in.Page, Path: in.Path, Seconds: in.Duration})
}
