package people

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openlectern/openlectern/learning/core"
)

func TestAccountTotals_Transitions(t *testing.T) {
	t.Parallel()
	in := func(known, deleted bool, role core.Role, status ApplicationStatus) Account {
		return Account{core.AccountState{Known: known, Deleted: deleted,
			RoleAssignment: core.RoleAssignment{Role: role}}, Application{Status: status}}
	}
	nobody := in(false, false, "", "")
	ada := in(true, false, core.Student, "")
	gone := in(true, true, "", "")
	total := func(kind core.TotalKind, number int) core.Total {
		return core.Total{Kind: kind,
			Number: number}
	}
	for name, tt := range map[string]struct {
		before, after Account
		want          []core.Total
	}{
		"created": {nobody, ada, []core.Total{total(TotalUsers, 1)}},
		"created as an educator": {nobody, in(true, false, core.Educator, ""),
			[]core.Total{total(TotalEducators, 1), total(TotalUsers, 1)}},
		"created after the approval": {in(false, false, "", ApplicationApproved),
			in(true, false, "", ApplicationApproved),
			[]core.Total{total(TotalEducators, 1), total(TotalUsers, 1)}},
		"deleted": {ada, gone, []core.Total{total(TotalUsers, -1)}},
		"deleted while applying": {in(true, false, core.Student, ApplicationPending), gone,
			[]core.Total{total(TotalApplications, -1), total(TotalUsers, -1)}},
		"an educator deleted": {in(true, false, core.Educator, ApplicationApproved), gone,
			[]core.Total{total(TotalEducators, -1), total(TotalUsers, -1)}},
		"deleted again":                 {gone, gone, nil},
		"deleted before it was created": {nobody, gone, nil},
		"restored":                      {gone, ada, []core.Total{total(TotalUsers, 1)}},
		"applied without a record": {nobody, in(false, false, "", ApplicationPending),
			[]core.Total{total(TotalApplications, 1)}},
		"approved": {in(true, false, core.Student, ApplicationPending),
			in(true, false, core.Educator, ApplicationApproved),
			[]core.Total{total(TotalApplications, -1), total(TotalEducators, 1)}},
		"approved without a record": {in(false, false, "", ApplicationPending),
			in(false, false, core.Educator, ApplicationApproved), []core.Total{total(TotalApplications,
				-1)}},
		"an admin approved": {in(true, false, core.Admin, ApplicationPending),
			in(true, false, core.Admin, ApplicationApproved),
			[]core.Total{total(TotalApplications, -1), total(TotalEducators, 1)}},
		"rejected": {in(true, false, core.Student, ApplicationPending),
			in(true, false, core.Student, ApplicationRejected), []core.Total{total(TotalApplications, -1)}},
		"demoted": {in(true, false, core.Educator, ""), ada,
			[]core.Total{total(TotalEducators, -1)}},
		"demoted after an approval": {in(true, false, core.Educator, ApplicationApproved),
			in(true, false, core.Student, ApplicationApproved), nil},
	} {
		if diff := cmp.Diff(tt.want,
			core.TotalsChange(accountTotals(tt.before), accountTotals(tt.after)),
			cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
