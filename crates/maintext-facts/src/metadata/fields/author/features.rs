//! What the ranker of authors sees of each candidate.
use super::{Authors, Builder, EAST_ASIAN};
use crate::metadata::ranking::rank::{Features, Source};
use crate::metadata::sources::facts::alike;
use crate::metadata::text::names::looks_like_name;
use crate::metadata::text::{holds, slug, tokens};
use url::Url;

/// Keys of authors who are not persons.
const GENERIC: &str = "admin administrator editor staff webmaster guest user author team root";

impl Builder<'_, '_> {
    pub(super) fn common_features(&mut self) {
        let page = self.page;
        let host = page.host().map(|h| slug(h.rsplit('.').nth(1).unwrap_or(""))).unwrap_or_default();
        let (site, title) = (self.site.clone(), self.title.clone());
        let site_slug = slug(&site);
        let root = page.is_root();
        let kind = page.declared_kind();
        let total = self.pool.groups.len();
        let all: Vec<String> = self.pool.groups.iter().map(|g| g.key.clone()).collect();
        let mut evidence = self.pool.groups.iter().flat_map(|g| &g.evidence);
        let any_stated = evidence.any(|e| e.source.is_declared() && e.key != "itemprop.name");
        let (_, last) = page.content;
        // The visible candidates in document order.
        let mut shown: Vec<u32> =
            self.pool.groups.iter().flat_map(|g| g.evidence.iter().filter_map(|e| e.block)).collect();
        shown.retain(|b| page.heading.is_none_or(|h| *b >= h));
        shown.sort_unstable();
        shown.dedup();
        let alike = alike(&self.seen_kinds);
        let best_families = self.pool.groups.iter().map(Authors::families).max().unwrap_or(0);
        let of_page = page.page_features();
        let editors = std::mem::take(&mut self.editors);
        let any_east = self.pool.groups.iter().flat_map(|g| &g.evidence).any(|e| e.key == EAST_ASIAN);
        for (i, g) in self.pool.groups.iter_mut().enumerate() {
            let families = Authors::families(g);
            let k = &all[i];
            let f = &mut g.features;
            let seen = g.evidence.iter().any(|e| matches!(e.source, Source::Markup | Source::Text | Source::Microdata));
            let machine =
                g.evidence.iter().any(|e| matches!(e.source, Source::JsonLd | Source::OpenGraph | Source::Meta));
            f.set(&["prior"], 1.0);
            f.inherit(&of_page);
            page.record_features(g.evidence.iter().filter_map(|e| e.block), f);
            if let Some(n) = alike.get(k) {
                f.bucket("alike", *n);
            }
            f.flag("seen.and.said", seen && machine);
            f.flag("only.said", machine && !seen);
            f.flag("only.seen", seen && !machine && any_stated);
            f.flag("only.seen.nothing.said", seen && !any_stated);
            let blocks = g.evidence.iter().filter_map(|e| e.block);
            let (highest, lowest) = (blocks.clone().min(), blocks.clone().max());
            let top = highest.is_some_and(|b| b + 8 <= last || page.heading.is_some_and(|h| b <= h + 6));
            f.flag("top.and.end", top && lowest.is_some_and(|b| b + 4 > last) && lowest > highest.map(|b| b + 4));
            if let Some(b) = blocks.filter(|b| page.heading.is_none_or(|h| *b >= h)).min() {
                f.bucket("shown.nth", shown.partition_point(|s| *s < b));
            }
            f.bucket("families", families);
            f.bucket("mentions", g.evidence.len());
            f.flag("families.best", families == best_families);
            f.bucket("names", g.value.len());
            f.bucket("candidates", total);
            f.set(&["page:", kind], 1.0);
            f.flag("root", root);
            crate::metadata::fields::person::features(&g.value, k, f);
            let is_east = g.evidence.iter().any(|e| e.key == EAST_ASIAN);
            f.flag("east.beside", any_east && !is_east);
            f.flag("east.beside.said", any_east && !is_east && machine);
            f.flag("in.site.part", k.chars().count() > 1 && self.site_parts.iter().any(|p| holds(p, k)));
            f.flag("is.editor", editors.iter().any(|e| k.ends_with(e.as_str())));
            let persons = g.value.iter().filter(|n| looks_like_name(n)).count();
            f.set(&["person"], persons as f32 / g.value.len().max(1) as f32);
            let own = slug(&g.text);
            f.flag("is.site", !site_slug.is_empty() && own == site_slug);
            f.flag("is.host", host.len() > 2 && own == host);
            f.flag(
                "like.site",
                own.len() > 3
                    && own != site_slug
                    && (site_slug.contains(&own) || (site_slug.len() > 3 && own.contains(&site_slug))),
            );
            f.flag("in.title", !k.is_empty() && title.contains(k.as_str()));
            f.flag("is.lower", g.text.chars().all(|c| !c.is_uppercase()) && g.text.is_ascii());
            f.flag("is.upper", g.text.chars().all(|c| !c.is_lowercase()) && g.text.is_ascii());
            f.flag("has.digit", g.text.chars().any(|c| c.is_ascii_digit()));
            f.flag("has.mail", g.text.contains('@'));
            f.bucket("words", g.value.first().map_or(0, |n| n.split(' ').count()));
            let longer = all.iter().enumerate().any(|(j, o)| j != i && o.len() > k.len() && o.starts_with(k.as_str()));
            f.flag("part.of.longer", longer);
            f.flag(
                "holds.shorter",
                all.iter().enumerate().any(|(j, o)| j != i && o.len() < k.len() && holds(k, o) && o.contains(' ')),
            );
            f.flag("generic", GENERIC.split(' ').any(|word| word == k));
        }
    }
}

/// Adds features of a link's address: the address of an author's page contains the author's name.
pub(super) fn address(href: &Url, name: &str, f: &mut Features) {
    f.flag("link", true);
    let path = href.path();
    let own = slug(name);
    let last = slug(path.rsplit('/').find(|s| !s.is_empty()).unwrap_or(""));
    f.flag("link.is.name", own.len() > 3 && last.contains(&own));
    let initials = name.split(' ').next_back().map(slug).unwrap_or_default();
    f.flag("link.has.surname", initials.len() > 3 && last.contains(&initials));
    f.flag("link.root", path.len() <= 1);
    for segment in path.split('/').filter(|s| !s.is_empty()).take(4) {
        if segment.len() < 24 && slug(segment) != own {
            tokens(segment, |t| f.set(&["u:", t], 1.0));
        }
    }
    f.flag("link.mail", href.scheme() == "mailto");
}
