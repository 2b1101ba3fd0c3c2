//! The country of a page, and the currency that an ambiguous sign stands for there.
use crate::things::money;
use maintext_facts::metadata::ranking::rank::FastMap;
use maintext_facts::metadata::sources::facts::Facts;
use maintext_page::lexicon::lexicon;
use std::sync::LazyLock;

/// Countries and their currencies. Countries of the euro zone are in [`EURO`].
const COUNTRIES: &str = "ae:AED al:ALL am:AMD ar:ARS au:AUD az:AZN ba:BAM bd:BDT bg:BGN bh:BHD bo:BOB br:BRL by:BYN ca:CAD ch:CHF cl:CLP \
    cn:CNY co:COP cr:CRC cz:CZK dk:DKK do:DOP dz:DZD eg:EGP gb:GBP ge:GEL gh:GHS gt:GTQ hk:HKD hn:HNL hu:HUF id:IDR il:ILS in:INR iq:IQD \
    ir:IRR is:ISK jm:JMD jo:JOD jp:JPY ke:KES kg:KGS kh:KHR kr:KRW kw:KWD kz:KZT lb:LBP li:CHF lk:LKR ma:MAD md:MDL mk:MKD mm:MMK mn:MNT \
    mo:MOP mu:MUR mv:MVR mx:MXN my:MYR ng:NGN ni:NIO no:NOK np:NPR nz:NZD om:OMR pa:USD pe:PEN ph:PHP pk:PKR pl:PLN py:PYG qa:QAR ro:RON \
    rs:RSD ru:RUB sa:SAR se:SEK sg:SGD sv:USD th:THB tj:TJS tn:TND tr:TRY tt:TTD tw:TWD tz:TZS ua:UAH ug:UGX uk:GBP us:USD uy:UYU uz:UZS \
    ve:VES vn:VND za:ZAR zm:ZMW";
/// Countries that pay in euros.
const EURO: &str = " at be cy de ee es fi fr gr hr ie it lt lu lv mc me mt nl pt si sk sm va ";
/// Domains that stand for no country.
const GENERIC: &str = " ai cc co fm gg io la ly me sh tv to ws ";
/// Languages of one country.
const LANGUAGES: &str = "bg:bg cs:cz da:dk et:ee fi:fi el:gr he:il hr:hr hu:hu id:id is:is ja:jp ko:kr lt:lt lv:lv nb:no no:no nn:no pl:pl \
    ro:ro sk:sk sl:si sr:rs sv:se th:th tr:tr uk:ua vi:vn hi:in ka:ge hy:am az:az kk:kz uz:uz bn:bd ur:pk";

/// Signs of several currencies, each with the currencies that it may stand for: the usual one first.
const AMBIGUOUS: &[&str] = lexicon!("currency-signs.txt");

/// Signs and names of one currency that [`money::currency`] does not know, since only prices hold them.
const MORE: &[&str] = lexicon!("currency-names-in-prices.txt");

/// Returns the currency of a country, by its code in lower case.
pub(super) fn currency_of(country: &str) -> Option<&'static str> {
    let country = country.to_ascii_lowercase();
    if country.len() == 2 && EURO.contains(&format!(" {country} ")) {
        return Some("EUR");
    }
    lookup(COUNTRIES, &country)
}

fn lookup(table: &'static str, key: &str) -> Option<&'static str> {
    table.split_ascii_whitespace().filter_map(|e| e.split_once(':')).find(|(k, _)| *k == key).map(|e| e.1)
}

/// The countries that a page names, the most telling first: domain, address, language with region, language of one country.
pub(super) fn countries(facts: &Facts<'_>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut add = |code: &str| {
        let code = code.to_ascii_lowercase();
        if currency_of(&code).is_some() && !out.contains(&code) {
            out.push(code);
        }
    };
    let tld = facts.host().and_then(|h| h.rsplit('.').next()).unwrap_or("");
    if !GENERIC.contains(&format!(" {tld} ")) {
        add(tld);
    }
    let language = facts.declared.replace('_', "-").to_ascii_lowercase();
    if let Some(url) = &facts.url {
        for part in url.path().split('/').skip(1).take(3).filter(|p| p.len() == 5 || p.len() == 2) {
            match part.split_once(['-', '_']) {
                Some((a, b)) if a.len() == 2 => {
                    add(if b.eq_ignore_ascii_case(&language[..language.len().min(2)]) { a } else { b });
                }
                // A language's code alone is not a country's: `de` in `/de/`.
                None if part.len() == 2 && !language.starts_with(part) => add(part),
                _ => {}
            }
        }
    }
    let host = facts.host().unwrap_or("");
    if let Some((_, region)) = host.split('.').next().and_then(|label| label.split_once('-')).filter(|p| p.1.len() == 2)
    {
        add(region);
    }
    for tag in facts.metas("og:locale").map(|l| l.replace('_', "-")).chain([language.clone()]) {
        if let Some((_, region)) = tag.split_once('-') {
            add(region.rsplit('-').next().unwrap_or(region));
        }
    }
    if let Some(country) = lookup(LANGUAGES, language.split('-').next().unwrap_or("")) {
        add(country);
    }
    out
}

/// Returns the currencies that a sign, name or code may stand for, the usual one first.
pub(in crate::things) fn meanings(sign: &str) -> &'static [&'static str] {
    let sign = sign.trim();
    let known = if sign.is_ascii() {
        let mut buffer = [0; MAX_SIGN];
        let Some(lower) = buffer.get_mut(..sign.len()) else { return &[] };
        lower.copy_from_slice(sign.as_bytes());
        lower.make_ascii_lowercase();
        str::from_utf8(lower).ok().and_then(|lower| SIGNS.get(lower))
    } else {
        SIGNS.get(&sign.to_lowercase())
    };
    known.map_or(&[], Vec::as_slice)
}

/// Maximum length of a sign in ASCII, in bytes.
const MAX_SIGN: usize = 16;

/// The signs and names of currencies in lower case, with the currencies that they may stand for; the first entry of a sign counts.
static SIGNS: LazyLock<FastMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let mut meanings = FastMap::default();
    let ambiguous = AMBIGUOUS.iter().filter_map(|line| line.split_once(' '));
    let ambiguous = ambiguous.map(|(sign, codes)| (sign, codes.split(' ').collect()));
    let clear = money::named(MORE).chain(money::currencies()).map(|(sign, code)| (sign, vec![code]));
    for (sign, codes) in ambiguous.chain(clear) {
        meanings.entry(sign.to_ascii_lowercase()).or_insert(codes);
    }
    meanings
});

/// Returns the currency that a sign stands for on a page of these countries.
pub(super) fn resolve(sign: &str, countries: &[String]) -> Option<&'static str> {
    let meanings = meanings(sign);
    if let [one] = meanings {
        return Some(one);
    }
    let by_country = countries.iter().filter_map(|c| currency_of(c)).find(|code| meanings.contains(code));
    by_country.or_else(|| meanings.first().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::things::layout_of;

    #[test]
    fn a_sign_means_the_currency_of_the_country() {
        let of = |sign: &str, country: &str| resolve(sign, &[country.to_owned()]);
        for (sign, country, code) in [
            ("$", "ca", "CAD"),
            ("$", "de", "USD"),
            ("Rs", "pk", "PKR"),
            ("Rs.", "in", "INR"),
            ("kr", "no", "NOK"),
            ("kr.", "fr", "DKK"),
            ("¥", "cn", "CNY"),
            ("£", "eg", "EGP"),
            ("руб.", "by", "BYN"),
            ("R$", "br", "BRL"),
            ("zł", "xx", "PLN"),
        ] {
            assert_eq!(of(sign, country), Some(code), "{sign} {country}");
        }
        assert_eq!(of("apples", "de"), None);
    }

    #[test]
    fn languages_with_a_region_name_the_country() {
        layout_of("<html lang=en-PK><p>Text", |facts| assert_eq!(countries(facts), ["pk"]));
        layout_of("<html lang=de-DE><meta property=og:locale content=de_AT><p>Text", |facts| {
            assert_eq!(countries(facts), ["at", "de"]);
        });
        layout_of("<html lang=ja><p>Text", |facts| assert_eq!(countries(facts), ["jp"]));
    }
}
