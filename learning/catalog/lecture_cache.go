package catalog

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// maxCachedLectures is the maximum number of ids in a lectureCache. Each takes some 100 bytes.
const maxCachedLectures = 100_000

// CourseVersion is what changes with each edit of a course. A course that was deleted and added
// again with the same id begins with version 1 again, at another time.
type CourseVersion struct {
	Number    int64 // see [Course]
	UpdatedAt time.Time
}

// lectureCache keeps the ids of the lectures of courses, because reading them takes longer than
// all else that a position or a list of courses needs. The caller names the version of each course,
// which it has read from the store, so that no entry is used after an edit. The zero lectureCache
// is empty and ready for use.
type lectureCache struct {
	mu      sync.Mutex
	courses map[string]cachedLectures
	ids     int // in all courses
}

// cachedLectures are the ids of the lectures of one version of a course.
type cachedLectures struct {
	version CourseVersion
	ids     map[string]bool // must not be changed
}

// LectureIDs returns the ids of the lectures of courses, by the id of the course. It reads those
// that are not in the cache, in one query for many courses, from r, which may be a transaction. The
// result must not be changed.
func (s *ForRooms) LectureIDs(
	ctx context.Context, r LectureIDReader, versions map[string]CourseVersion,
) (map[string]map[string]bool, error) {
	found, missing := s.lectures.find(versions)
	if len(missing) == 0 {
		return found, nil
	}
	read, err := r.LectureIDsOf(ctx, missing)
	if err != nil {
		return nil, fmt.Errorf("read the lectures of courses: %w", err)
	}
	for courseID, list := range read {
		ids := make(map[string]bool, len(list))
		for _, id := range list {
			ids[id] = true
		}
		found[courseID] = ids
		s.lectures.keep(courseID, cachedLectures{versions[courseID], ids})
	}
	return found, nil
}

// find returns what the cache has of the versions of courses, and the ids of the other courses.
func (l *lectureCache) find(
	versions map[string]CourseVersion,
) (found map[string]map[string]bool, missing []string) {
	found = map[string]map[string]bool{}
	l.mu.Lock()
	defer l.mu.Unlock()
	for courseID, version := range versions {
		if c, ok := l.courses[courseID]; ok && c.version == version {
			found[courseID] = c.ids
			continue
		}
		missing = append(missing, courseID)
	}
	return found, missing
}

// keep adds the lectures of a course to the cache. A full cache is emptied first, which bounds its
// memory.
func (l *lectureCache) keep(courseID string, c cachedLectures) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.courses == nil || l.ids+len(c.ids) > maxCachedLectures {
		l.courses, l.ids = map[string]cachedLectures{}, 0
	}
	l.ids += len(c.ids) - len(l.courses[courseID].ids)
	l.courses[courseID] = c
}
