package contracttest

import "maps"

// roadmapAnswers are the answers that a case can make the AI give to a request for a roadmap, by
// name. Their figures of completed courses are invented.
var roadmapAnswers = map[string]string{
	"a short roadmap": `{"title":" Onward ","summary":"It\ngoes on.","stages":[{"id":" 1 ","label":" Now","status":"current","icon":"🧭","description":"Go. "}]}`,
	"a roadmap in a fence": "```json\n" +
		`{"title":"Fenced","summary":"In.","stages":[{"id":"1","label":"Now","status":"future","icon":"🧭","description":"Go."}]}` + "\n```",
	"a roadmap with empty lists": `{"title":"Bare","summary":"Nothing.","stages":[{"id":"1","label":"Now","status":"upcoming","icon":"🧭","description":"Go.",` +
		`"skills":[],"highlights":[],"courses":[],"recommendations":[],"paths":[],"timeEstimate":"","resources":[],"projects":[],"certifications":[]}]}`,
	"a roadmap with invented figures": `{"title":"Invented","summary":"Figures.","stages":[{"id":"1","label":"Now","status":"current","icon":"🧭","description":"Go.",` +
		`"courses":[{"title":"Go & friends","completion":99},{"title":"Never heard of","completion":100}]}]}`,
	"a roadmap with paths": `{"title":"Paths","summary":"Two.","stages":[{"id":"1","label":"Now","status":"future","icon":"🧭","description":"Go.",` +
		`"paths":[{"title":"Ready","readiness":100,"gap":[]},{"title":"Not yet","readiness":5,"gap":[" A boat ","A crew"]}]}]}`,
	"a roadmap with a gap in one text": `{"title":"Paths","summary":"One.","stages":[{"id":"1","label":"Now","status":"future","icon":"🧭","description":"Go.",` +
		`"paths":[{"title":"Not yet","readiness":5,"gap":"A boat"}]}]}`,
	"a roadmap with an id twice": `{"title":"Twice","summary":"Ids.","stages":[{"id":"1","label":"Now","status":"current","icon":"🧭","description":"Go."},` +
		`{"id":"1","label":"Then","status":"future","icon":"🧭","description":"Go on."}]}`,
}

func init() { maps.Copy(aiAnswers, roadmapAnswers) }
