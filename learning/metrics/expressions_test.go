package metrics

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
)

const root = "../../"

// exposed returns the labels of each metric by its name, those of histograms by each of their
// three names.
func exposed(t *testing.T) map[string][]string {
	t.Helper()
	families, err := registryOf(used()).Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, f := range families {
		labels := []string{"job", "instance"} // which Prometheus adds
		for _, l := range f.Metric[0].Label {
			labels = append(labels, l.GetName())
		}
		name := f.GetName()
		if f.GetType() != dto.MetricType_HISTOGRAM {
			all[name] = labels
			continue
		}
		all[name+"_sum"] = labels
		all[name+"_count"] = labels
		all[name+"_bucket"] = append(labels, "le")
	}
	return all
}

// The table of the page and the metrics are the same.
func TestOperationsPage_NamesEveryMetric(t *testing.T) {
	var documented []string
	for _, found := range regexp.MustCompile("(?m)^\\| `(lectern_[a-z_]+)`").FindAllStringSubmatch(
		read(t, "docs/operations.md"), -1) {
		documented = append(documented, found[1])
	}
	have := map[string]bool{}
	for name := range exposed(t) {
		if strings.HasPrefix(name, namespace+"_") {
			base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"),
				"_sum"), "_count")
			have[base] = true
		}
	}
	for _, name := range documented {
		if !have[name] {
			t.Errorf("docs/operations.md has %s, which the server does not expose", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if !slices.Contains(documented, name) {
			t.Errorf("the table of docs/operations.md does not have %s", name)
		}
	}
}

func TestDashboard_UsesMetricsThatExist(t *testing.T) {
	var dashboard any
	if err := json.Unmarshal([]byte(read(t, "examples/deploy/grafana/lectern.json")),
		&dashboard); err != nil {
		t.Fatal(err)
	}
	expressions := expressionsOf(dashboard)
	if len(expressions) < 20 {
		t.Errorf("%d expressions", len(expressions))
	}
	checkExpressions(t, expressions)
}

func TestAlerts_UseMetricsThatExist(t *testing.T) {
	var expressions []string
	for _, found := range regexp.MustCompile(`(?m)^ +expr: (.+)$`).FindAllStringSubmatch(read(t,
		"examples/deploy/prometheus/lectern.rules.yaml"), -1) {
		expressions = append(expressions, found[1])
	}
	if len(expressions) < 10 {
		t.Errorf("%d expressions", len(expressions))
	}
	checkExpressions(t, expressions)
}

// expressionsOf returns the values of the keys "expr" and "query" in a JSON value.
func expressionsOf(v any) (all []string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			all = append(all, expressionsOf(item)...)
		}
	case map[string]any:
		for key, item := range v {
			if text, ok := item.(string); ok && (key == "expr" || key == "query") &&
				text != "prometheus" {
				all = append(all, text)
			} else {
				all = append(all, expressionsOf(item)...)
			}
		}
	}
	return all
}

var (
	metricName = regexp.MustCompile(`\b(?:lectern|go|process)_[a-z0-9_]+(?:\{[^}]*\})?`)
	matcher    = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)`)
	grouping   = regexp.MustCompile(`\b(?:by|without|on)\s*\(([^)]*)\)`)
)

// checkExpressions fails for metrics that do not exist, and for labels that they do not have.
func checkExpressions(t *testing.T, expressions []string) {
	t.Helper()
	all := exposed(t)
	for _, expr := range expressions {
		names, labels := metricName.FindAllString(expr, -1), []string{}
		if len(names) == 0 {
			t.Errorf("%s: it names no metric", expr)
		}
		for _, found := range names {
			name, matchers, _ := strings.Cut(found, "{")
			have, exists := all[name]
			if !exists {
				t.Errorf("%s: there is no metric %s", expr, name)
			}
			for _, label := range matcher.FindAllStringSubmatch(matchers, -1) {
				if !slices.Contains(have, label[1]) {
					t.Errorf("%s: %s has no label %s", expr, name, label[1])
				}
			}
			labels = append(labels, have...)
		}
		for _, group := range grouping.FindAllStringSubmatch(expr, -1) {
			for label := range strings.SplitSeq(group[1], ",") {
				if label = strings.TrimSpace(label); label != "" &&
					!slices.Contains(labels, label) {
					t.Errorf("%s: none of its metrics has the label %s", expr, label)
				}
			}
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(root + path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
