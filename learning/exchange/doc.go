// Package exchange is the room of what comes from other platforms and goes to them: courses as
// packages, Common Cartridges, and quizzes in QTI (docs/packages.md), whole catalogues of a host,
// and people with their history (docs/people.md).
//
// It may use all other rooms, and has no table of its own: an import adds a course and its quizzes
// in one transaction, after its files are stored, and an export reads them until all parts are of
// one version. People are stored in batches by functions of the rooms whose rows they are. It
// refuses a package that is too large, damaged or of a kind that it cannot read, and says why and
// what to do. An import of a course that fails leaves nothing. What a cartridge or a quiz has that
// the platform cannot have is left out and named. The forms themselves are read by internal
// packages (coursepackage, cartridge, qti), which know no rule of a course.
//
// Begin reading at [Service], at course_package_export.go for what a package has, and at
// course_package_import.go, catalogue_import.go or people_import.go for an import.
package exchange
