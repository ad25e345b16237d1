package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/openlectern/openlectern/learning/catalog"
)

// Titles reads idBatchSize courses at a time, and holds one content at a time in memory.
func (r reader) Titles(
	ctx context.Context, courseIDs []string,
) (map[string]catalog.Titles, error) {
	byCourse := map[string]catalog.Titles{}
	var courseID, title string
	var content []byte
	for chunk := range slices.Chunk(courseIDs, idBatchSize) {
		err := r.q.Each(ctx, "read the titles of courses", []any{&courseID, &title, &content},
			func() (err error) {
				titles := catalog.Titles{Course: title}
				titles.Lectures, err = parseLectureTitles(content)
				byCourse[courseID] = titles
				return err
			}, `
			SELECT c.id, c.title, x.content
			FROM {courses} c JOIN {course_contents} x ON x.course_id = c.id
			WHERE c.id IN (`+placeholders(idBatchSize)+`)`,
			batchArgs(chunk)...)
		if err != nil {
			return nil, err
		}
	}
	return byCourse, nil
}

// parseLectureTitles returns the titles of the lectures of a content, by their ids.
func parseLectureTitles(content []byte) (map[string]catalog.LectureTitle, error) {
	var chapters []struct {
		Title    string `json:"title"`
		Lectures []struct {
			ID    string `json:"id"`
			Title string `json:"title"`
		} `json:"lectures"`
	}
	if err := json.Unmarshal(content, &chapters); err != nil {
		return nil, fmt.Errorf("parse the content of a course: %w", err)
	}
	titles := map[string]catalog.LectureTitle{}
	for _, chapter := range chapters {
		for _, lecture := range chapter.Lectures {
			titles[lecture.ID] = catalog.LectureTitle{Chapter: chapter.Title, Title: lecture.Title}
		}
	}
	return titles, nil
}
