package certify

// PDFCallers returns how many callers wait for the PDF of a certificate.
func (s *ForRooms) PDFCallers(id string) int { return s.pdfCreations.Callers(id) }
