-- pdf_unused is 1 when the PDF of a revoked certificate is in unused_files. So revoked certificates with 0 are those whose PDF
-- may still be in the media store, whichever version has revoked them.
ALTER TABLE certificates ADD COLUMN pdf_unused TINYINT NOT NULL DEFAULT 0;
ALTER TABLE certificates ADD KEY certificates_by_unused_pdf (is_revoked, pdf_unused, revoked_at, id);
