package httpapi

import "github.com/openlectern/openlectern/learning/papers"

// billingJSON is what the caller wants to stand on receipts (docs/api.md §6).
type billingJSON struct {
	_ struct{} `doc:"What stands on receipts of later purchases."`

	Name    string `json:"name" jsonschema:"minLength=1,maxLength=200" doc:"Of the person or the company."`
	Address string `json:"address" jsonschema:"minLength=1,maxLength=1000" doc:"The lines of the address, with line breaks between them."`
	Country string `json:"country" jsonschema:"minLength=2,maxLength=2" doc:"The code of ISO 3166-1, such as IN."`
	TaxID   string `json:"taxId,omitempty" jsonschema:"maxLength=50" doc:"The number for the tax. Left out if there is none."`
}

type billingAnswer struct {
	Billing *billingJSON `json:"billing" jsonschema:"nullable" doc:"Null if the caller has saved none."`
}

// billing answers the billing data of the caller.
func (a *api) billing(c *call, _ none) (billingAnswer, error) {
	b, isThere, err := a.platform.Papers.Billing(c.Context(), c.actor)
	if err != nil || !isThere {
		return billingAnswer{}, err
	}
	return billingAnswer{billingOf(b)}, nil
}

// setBilling stores the billing data of the caller.
func (a *api) setBilling(c *call, in billingJSON) (billingAnswer, error) {
	b, err := a.platform.Papers.SetBilling(c.Context(), c.actor, papers.Billing{Name: in.Name,
		Address: in.Address, Country: in.Country, TaxID: in.TaxID})
	return billingAnswer{billingOf(b)}, err
}

func billingOf(b papers.Billing) *billingJSON {
	return &billingJSON{Name: b.Name, Address: b.Address, Country: b.Country, TaxID: b.TaxID}
}
