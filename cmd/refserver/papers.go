package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	// Time zones of sellers are known in an image without the files of the system too.
	_ "time/tzdata"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/papers"
)

// SellerSettings say who sells. Without a name there are no receipts.
type SellerSettings struct {
	Name     string `help:"Name of the seller on receipts; without it there are none."`
	Address  string `help:"Its address; \\n separates lines."`
	TaxID    string `name:"tax-id" help:"Its number for the tax."`
	Timezone string `default:"UTC" help:"Time zone by whose days and years receipts are numbered, such as Europe/Berlin."`
}

// TaxSettings are the tax that is contained in every price.
type TaxSettings struct {
	Rate string `default:"0" help:"Percentage that is contained in every price, such as 19."`
	Name string `help:"Name of the tax on receipts, such as VAT."`
}

// seller returns the seller of the settings. \n in the address is a line break, because a file of
// variables has one line for each.
func (s *Settings) seller() (papers.Seller, error) {
	zone, err := time.LoadLocation(cmp.Or(s.Seller.Timezone, "UTC")) // exec has no default
	if err != nil {
		return papers.Seller{}, fmt.Errorf("%s: %w", variable("seller-timezone"), err)
	}
	return papers.Seller{
		Name:     s.Seller.Name,
		Address:  strings.ReplaceAll(s.Seller.Address, `\n`, "\n"),
		TaxID:    s.Seller.TaxID,
		TimeZone: zone,
	}, nil
}

// fixedTax returns the tax of the settings.
func (s *Settings) fixedTax() (papers.FixedTax, error) {
	rate, err := papers.ParseRate(cmp.Or(s.Tax.Rate, "0")) // exec has no default
	if err != nil {
		return papers.FixedTax{}, fmt.Errorf("%s: %w", variable("tax-rate"), err)
	}
	return papers.FixedTax{Rate: rate, Name: s.Tax.Name}, nil
}

// paperOptions returns the options of the platform for receipts and credit notes. Every command has
// them, because one that completes a purchase makes its receipt.
func (s *Settings) paperOptions() ([]learning.Option, error) {
	seller, err := s.seller()
	if err != nil {
		return nil, err
	}
	tax, err := s.fixedTax()
	if err != nil {
		return nil, err
	}
	years := cmp.Or(s.PapersYears, papers.DefaultYears) // exec has no default
	return []learning.Option{learning.WithSeller(seller), learning.WithTax(tax),
		learning.WithPapersYears(years)}, nil
}

// checkPapers applies the rules of package papers.
func (s *Settings) checkPapers(p *problems) {
	seller, err := s.seller()
	if err != nil {
		p.add("seller-timezone", "is %q: it must be a name such as Europe/Berlin",
			s.Seller.Timezone)
	}
	tax, err := s.fixedTax()
	if err != nil {
		p.add("tax-rate", "is %q: it must be a percentage from 0 to 100 with at most four "+
			"decimals, such as 19", s.Tax.Rate)
	}
	settings := papers.DefaultSettings()
	settings.Seller = seller
	if err := settings.Check(); err != nil {
		p.add("seller-name", "or the rest of the seller cannot be used: %v", err)
	}
	settings.Seller, settings.Tax = papers.Seller{}, tax
	if err := settings.Check(); err != nil {
		p.add("tax-name", "is %q, which cannot be used: %v", s.Tax.Name, err)
	}
	settings.Tax, settings.Years = papers.FixedTax{}, cmp.Or(s.PapersYears, papers.DefaultYears)
	if err := settings.Check(); err != nil {
		p.add("papers-years", "is %d: it must be from 1 to 100", s.PapersYears)
	}
}
