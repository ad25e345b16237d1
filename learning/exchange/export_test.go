package exchange

// The forms of a quiz, for tests outside of the package.
var (
	DescribeQuiz = describeQuiz
	ImportedQuiz = importedQuiz
)
