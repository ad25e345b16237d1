package learning

import (
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/tutor"
)

// optionalProvider is a provider that a platform may lack.
type optionalProvider struct {
	isMissing bool
	failure   *core.Error // of the operations that need the provider
}

// optionalProviders returns the providers that a platform may lack: one for each option, each with
// an error of its own, so that the error says which option is missing.
func (p *Platform) optionalProviders() []optionalProvider {
	return []optionalProvider{
		{p.identity.Tokens == nil, people.ErrIdentityNotConfigured},                 // WithTokens
		{p.identity.Roles == nil, people.ErrRolesNotConfigured},                     // WithRoles
		{p.identity.Webhooks == nil, people.ErrIdentityWebhooksNotConfigured},       // WithWebhooks
		{len(p.saleSettings.Providers) == 0, payment.ErrNotConfigured},              // WithProvider
		{p.fileSettings.Media == nil, file.ErrMediaNotConfigured},                   // WithMedia
		{p.fileSettings.Files == nil, file.ErrFilesNotConfigured},                   // WithFiles
		{p.certifySettings.Renderer == nil, certify.ErrCertificatesNotConfigured},   // WithCertificates
		{p.certifySettings.Credentials == nil, certify.ErrCredentialsNotConfigured}, // WithCredentials
		{p.paperSettings.Renderer == nil, papers.ErrReceiptsNotConfigured},          // WithReceipts
		{p.tutorSettings.AI == nil, tutor.ErrAINotConfigured},                       // WithAI
	}
}

// NotConfigured returns the error of each option that is missing, which is that of the operations
// that need the option; none if all are set.
func (p *Platform) NotConfigured() []*core.Error {
	var missing []*core.Error
	for _, provider := range p.optionalProviders() {
		if provider.isMissing {
			missing = append(missing, provider.failure)
		}
	}
	return missing
}
