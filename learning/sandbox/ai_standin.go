package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// standIn returns a generated answer. The system messages and the schema decide which kind of
// answer it is; titles are taken from the data in the other messages. No other text of these
// messages is obeyed or repeated. c must have a message.
func standIn(c AICall) string {
	wanted, given := c.parts()
	titles := titlesIn(given)
	// The words are those of the platform's instructions and schemas.
	switch {
	case hasAll(wanted, "quiz", "correctindex"):
		return encode(map[string]any{"questions": standInQuestions(titles)})
	case hasAll(wanted, "roadmap", "stages"):
		return encode(standInRoadmap(titles))
	case hasAll(wanted, "quiz", "recommendations"):
		return standInRecommendations(titles)
	default:
		return standInReply(c.Messages[len(c.Messages)-1].Content) + standInTime(given)
	}
}

// standInTime returns a sentence that names the time of the first caption in the data, or "".
func standInTime(text string) (sentence string) {
	for _, found := range block.FindAllStringSubmatch(text, -1) {
		eachField(json.NewDecoder(strings.NewReader(found[1])), "", func(name, value string) {
			if time, _, _ := strings.Cut(value, " "); name == "captions" && sentence == "" {
				sentence = " The lecture begins at [" + time + "]."
			}
		})
	}
	return sentence
}

// parts returns the texts that say which answer is wanted, in lower case, and the texts with data.
func (c AICall) parts() (wanted, given string) {
	wanted = strings.ToLower(c.Schema)
	for _, m := range c.Messages {
		if m.Role == "system" {
			wanted += "\n" + strings.ToLower(m.Content)
		} else {
			given += m.Content + "\n"
		}
	}
	return wanted, given
}

// hasAll reports whether text contains all words.
func hasAll(text string, words ...string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// block matches data in a message: JSON between two marks.
var block = regexp.MustCompile(`(?s)<data>\s*(.*?)\s*</data>`)

// titlesIn returns the titles and topics in the data of a request in their order, without
// duplicates and shortened. If there are none it returns one text that stands for a title.
func titlesIn(text string) (titles []string) {
	seen := map[string]bool{}
	for _, found := range block.FindAllStringSubmatch(text, -1) {
		// A block may contain prose: stop at the first invalid JSON, and keep the titles before it.
		dec := json.NewDecoder(strings.NewReader(found[1]))
		eachField(dec, "", func(name, value string) {
			name, value = strings.ToLower(name), short(strings.Join(strings.Fields(value), " "))
			isTitle := strings.HasSuffix(name, "title") ||
				strings.HasSuffix(name, "titles") ||
				strings.HasSuffix(name, "topic")
			if isTitle && value != "" && !seen[value] {
				seen[value] = true
				titles = append(titles, value)
			}
		})
	}
	if len(titles) == 0 {
		titles = []string{"this course"}
	}
	return titles
}

// eachField calls fn with each string in the next JSON value of dec and the name of its field; name
// is that of the value itself. It stops at invalid JSON and returns false.
func eachField(dec *json.Decoder, name string, fn func(name, value string)) bool {
	tok, err := dec.Token()
	if err != nil {
		return false
	}
	switch tok := tok.(type) {
	case string:
		fn(name, tok)
	case json.Delim:
		for dec.More() {
			// In an object, a name is before each value. An element of a list has the name of the
			// list.
			field := name
			if tok == '{' {
				key, err := dec.Token()
				if err != nil {
					return false
				}
				field, _ = key.(string)
			}
			if !eachField(dec, field, fn) {
				return false
			}
		}
		// Read the end of the object or list.
		_, err := dec.Token()
		return err == nil
	}
	return true
}

// short returns a text of at most 80 characters.
func short(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most-1]) + "…"
	}
	return s
}

// standInQuestions returns ten questions with four options each, which the platform asks for, about
// the titles in turn.
func standInQuestions(titles []string) []any {
	const questions = 10
	var out []any
	for i := range questions {
		// The right option rotates over the four.
		title, right := titles[i%len(titles)], i%4
		options := make([]string, 4)
		for j := range options {
			options[j] = fmt.Sprintf("Something else (%c)", 'A'+j)
		}
		options[right] = "It is about " + title
		out = append(out, map[string]any{
			"question": fmt.Sprintf("[Sandbox %d of %d] What is “%s” about?", i+1, questions,
				title),
			"options":      options,
			"correctIndex": right,
			"explanation": fmt.Sprintf("A stand-in of the sandbox: the right answer names “%s”.",
				title),
		})
	}
	return out
}

// standInRoadmap returns a roadmap with one stage of each status. The second stage has every
// optional field.
func standInRoadmap(titles []string) map[string]any {
	var stages []map[string]any
	for i, status := range []string{"completed", "current", "upcoming", "future"} {
		title := titles[i%len(titles)]
		stages = append(stages, map[string]any{
			"id": fmt.Sprint("stage-", i+1), "label": fmt.Sprintf("Step %d", i+1), "status": status,
			"icon":        "📘",
			"description": "A stand-in of the sandbox for “" + title + "”.",
			"skills":      []string{"Skill of step " + fmt.Sprint(i+1)},
			"highlights":  []string{title},
		})
	}
	// Fill the optional fields of the second stage.
	title := titles[1%len(titles)]
	maps.Copy(stages[1], map[string]any{
		"courses": []any{map[string]any{"title": title, "completion": 5}},
		"recommendations": []any{map[string]any{"title": "Go on with “" + title + "”",
			"priority": "high", "reason": "A stand-in for a reason."}},
		"paths": []any{map[string]any{"title": "A stand-in for a path", "readiness": 25,
			"gap": []string{"A stand-in for what is missing."}}},
		"timeEstimate":   "2 weeks",
		"resources":      []string{"A stand-in for a resource"},
		"projects":       []string{"A stand-in for a project"},
		"certifications": []string{"A stand-in for a certification"},
	})
	return map[string]any{
		"title":   "[Sandbox] Roadmap: " + titles[0],
		"summary": "A stand-in of the sandbox, made from the titles in the request.",
		"stages":  stages,
	}
}

// standInRecommendations returns recommendations for at most five titles, one a line.
func standInRecommendations(titles []string) string {
	var b strings.Builder
	b.WriteString("• [Sandbox] This is a stand-in for recommendations.")
	for _, t := range titles[:min(len(titles), 5)] {
		fmt.Fprintf(&b, "\n• Look at “%s” once more.", t)
	}
	return b.String()
}

// prose is the answer of FaultProse: a text that is invalid as any structured answer.
const prose = "[Sandbox] Certainly! Here is what you asked for: {\"questions\": an even number " +
	"of them"

// standInReply returns the answer to a message of a chat. It does not repeat the message.
func standInReply(last string) string {
	return fmt.Sprintf(
		"[Sandbox] This is a stand-in for the tutor. Your message has %d characters. With an AI "+
			"provider configured, the answer would be here.",
		utf8.RuneCountInString(last))
}
