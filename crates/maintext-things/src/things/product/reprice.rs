//! Prices that pages declare but do not ask: without tax, and before a reduction.
use maintext_facts::metadata::ranking::rank::{Pool, Source};
use maintext_page::hash::HashSet;

/// Taxes on sales, in tenths of a percent: the standard and reduced rates of the European Union's members, the United Kingdom, Switzerland,
/// Norway, Canada, Australia, India, Japan and Russia.
const TAX_RATES: [u32; 30] = [
    25, 26, 40, 50, 55, 60, 70, 80, 81, 90, 95, 100, 110, 120, 130, 135, 140, 150, 160, 170, 180, 190, 200, 210, 220,
    230, 240, 250, 255, 270,
];
/// Minimum price that is compared: the rounding of smaller ones hides the rate.
const MIN_PRICE: f64 = 5.0;

/// What the page prints of its prices, by their keys.
#[derive(Debug, Default)]
pub(super) struct PrintedPrices {
    /// Prices near the heading that are struck out, with a lower one next to them.
    pub beaten: HashSet<String>,
    /// Prices that are printed without being struck.
    pub open: HashSet<String>,
}

/// Resolves the prices that contradict the leading printed one. A price that the page does not print and that the tax raises to the leading
/// price supports that one. A price that the page prints only as struck, above the leading one, is a former price.
pub(super) fn resolve(pool: &mut Pool<()>, lead: Option<&str>, printed: &PrintedPrices) {
    let Some(lead) = lead else { return };
    let Ok(asked) = lead.parse::<f64>() else { return };
    if pool.position(lead).is_none() {
        return;
    }
    pool.groups.retain(|c| {
        let former = printed.beaten.contains(&c.key) && !printed.open.contains(&c.key);
        !(former && amount(&c.key) > asked)
    });
    while let Some(i) = pool
        .groups
        .iter()
        .position(|c| c.evidence.iter().all(|e| e.source != Source::Text) && is_untaxed(amount(&c.key), asked))
    {
        let net = pool.groups.remove(i);
        if let Some(gross) = pool.get_mut(lead) {
            gross.features.inherit(&net.features);
            gross.evidence.extend(net.evidence);
            gross.trust = gross.trust.max(net.trust);
        }
    }
}

fn amount(key: &str) -> f64 {
    key.parse::<f64>().unwrap_or(0.0)
}

/// Whether a tax raises one price to the other.
fn is_untaxed(net: f64, gross: f64) -> bool {
    net >= MIN_PRICE
        && gross > net
        && TAX_RATES.iter().any(|r| (net * (1.0 + f64::from(*r) / 1000.0) - gross).abs() < 0.0051)
}

#[cfg(test)]
mod tests {
    use super::*;
    use maintext_facts::metadata::ranking::rank::Evidence;

    fn pool(values: &[(&str, Source)]) -> Pool<()> {
        let mut pool = Pool::new(false);
        for (value, source) in values {
            let evidence = Evidence { source: *source, key: String::new(), block: None, span: None };
            pool.add((*value).to_owned(), (), value, 1, evidence);
        }
        pool
    }

    fn keys(pool: &Pool<()>) -> Vec<&str> {
        pool.groups.iter().map(|c| c.key.as_str()).collect()
    }

    #[test]
    fn a_net_price_supports_the_gross_one() {
        let mut p = pool(&[("100", Source::OpenGraph), ("119", Source::Text)]);
        resolve(&mut p, Some("119"), &PrintedPrices::default());
        assert_eq!((keys(&p), p.groups[0].evidence.len()), (vec!["119"], 2));
        // Printed net prices and other amounts stay.
        for (other, source) in [("100", Source::Text), ("103", Source::OpenGraph), ("130", Source::OpenGraph)] {
            let mut p = pool(&[(other, source), ("119", Source::Text)]);
            resolve(&mut p, Some("119"), &PrintedPrices::default());
            assert_eq!(keys(&p), [other, "119"]);
        }
    }

    #[test]
    fn a_price_that_is_only_struck_is_a_former_one() {
        let printed = PrintedPrices { beaten: HashSet::from_iter(["20".to_owned()]), open: HashSet::default() };
        let mut p = pool(&[("20", Source::JsonLd), ("10", Source::Text)]);
        resolve(&mut p, Some("10"), &printed);
        assert_eq!(keys(&p), ["10"]);
        let printed = PrintedPrices { open: HashSet::from_iter(["20".to_owned()]), ..printed };
        let mut p = pool(&[("20", Source::JsonLd), ("10", Source::Text)]);
        resolve(&mut p, Some("10"), &printed);
        assert_eq!(keys(&p), ["20", "10"]);
    }
}
