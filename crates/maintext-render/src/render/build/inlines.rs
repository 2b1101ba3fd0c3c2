//! Opens inline markup, and decides which links are written.
use super::super::footnote;
use super::super::tree::InlineMark;
use super::{Gap, RenderTreeBuilder};
use maintext_html::Attr;
use maintext_page::budget::CopyMeter;
use maintext_page::dom::{NodeId, Tag};

impl RenderTreeBuilder<'_> {
    pub(super) fn enter_inline(&mut self, n: NodeId, tag: Tag) {
        if !self.below[n.index()] {
            return;
        }
        let mark = match InlineMark::of(tag) {
            Some(mark) => mark,
            None if tag == Tag::SPAN && self.dom.attrs(n).any(|(name, _)| matches!(name, "lang" | "dir")) => {
                InlineMark::Other(tag)
            }
            None => return,
        };
        let mut href = 0..0;
        if mark == InlineMark::Link {
            let content = self.tree.content;
            let address = if content.options.links { self.dom.attr(n, "href") } else { None };
            // A bare fragment is what a script makes of a link.
            let leads = |address: &&str| address.trim() != "#" && !self.is_own_address(n, address);
            let Some(address) = address.filter(leads) else { return };
            let Some(mut resolved) = maintext_page::address::resolve(self.dom, address, content.base) else { return };
            if resolved.len() > CopyMeter::FREE_BYTES
                && !self.dom.copies().allows(resolved.len(), self.dom.descendants(n).count())
            {
                // It would be written at each block and image below the link.
                return;
            }
            // The mark that the script of embedded posts adds to their links.
            if let Some(end) = resolved.find("?ref_src=twsrc") {
                resolved.truncate(end);
            }
            let refers = || {
                footnote::is_label(self.dom, n)
                    && maintext_page::address::fragment(self.dom, address, content.base).is_some()
            };
            if content.options.external_links
                && !maintext_page::address::is_external(&resolved, content.base)
                && !refers()
            {
                return;
            }
            self.expect_note(n, address);
            href = self.push_str(&resolved);
        }
        if let Some(inline) = self.tree.push_inline(self.inline, mark, (n, href), self.gap == Gap::None) {
            self.inlines.push((n, self.inline));
            self.inline = inline;
            self.open_sign(n, tag);
        }
    }

    /// Whether a link only gives the address of what it is in: of a heading, or of a term.
    fn is_own_address(&self, link: NodeId, href: &str) -> bool {
        /// Maximum number of nodes between a link and the heading that it holds.
        const MAX_NODES_TO_HEADING: usize = 6;
        /// Maximum number of elements between a link and the part whose id is its target.
        const MAX_LEVELS_TO_PART: usize = 2;
        if self.headings.is_empty() {
            let Some(target) = href.strip_prefix('#') else { return false };
            let is_in_target = self
                .dom
                .ancestors(link)
                .take(MAX_LEVELS_TO_PART)
                .any(|n| self.dom.attribute(n, Attr::ID) == Some(target));
            return is_in_target
                || self
                    .dom
                    .descendants(link)
                    .take(MAX_NODES_TO_HEADING)
                    .any(|n| self.dom.tag(n).heading_level().is_some());
        }
        maintext_page::address::leads_here(self.dom, href, self.tree.content.base)
    }
}
