//! Element names as small integers.

/// The name of an element as a small integer, so that a comparison is one instruction.
///
/// Every element of the HTML standard (and the obsolete ones that pages still use) has a constant here.
/// All other names share [`Tag::OTHER`]; [`Dom::tag_name`](super::Dom::tag_name) returns the name itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Tag(pub u8);

macro_rules! tags {
    ($($konst:ident $name:literal)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u8)]
        enum Index { $($konst),* }
        impl Tag {
            $(#[doc = concat!("`<", $name, ">`")] pub const $konst: Tag = Tag(Index::$konst as u8);)*
            /// Returns the tag of an element name in lower case; [`Tag::OTHER`] if it has no constant.
            pub fn from_name(name: &str) -> Tag {
                match name { $($name => Tag::$konst,)* _ => Tag::OTHER }
            }
            /// Returns the element name, `""` for [`Tag::OTHER`].
            pub fn name(self) -> &'static str {
                Tag::NAMES[self.0 as usize]
            }
            const NAMES: &[&str] = &[$($name),*];
            /// Number of tags with a constant; each [`Tag::0`](Tag) is below it.
            pub const COUNT: usize = Tag::NAMES.len();
        }
    };
}

tags! {
    OTHER "" A "a" ABBR "abbr" ACRONYM "acronym" ADDRESS "address" AREA "area" ARTICLE "article" ASIDE "aside" AUDIO "audio"
    B "b" BASE "base" BDI "bdi" BDO "bdo" BIG "big" BLOCKQUOTE "blockquote" BODY "body" BR "br" BUTTON "button"
    CANVAS "canvas" CAPTION "caption" CENTER "center" CITE "cite" CODE "code" COL "col" COLGROUP "colgroup" DATA "data"
    DATALIST "datalist" DD "dd" DEL "del" DETAILS "details" DFN "dfn" DIALOG "dialog" DIR "dir" DIV "div" DL "dl" DT "dt"
    EM "em" EMBED "embed" FIELDSET "fieldset" FIGCAPTION "figcaption" FIGURE "figure" FONT "font" FOOTER "footer" FORM "form"
    FRAME "frame" FRAMESET "frameset" H1 "h1" H2 "h2" H3 "h3" H4 "h4" H5 "h5" H6 "h6" HEAD "head" HEADER "header"
    HGROUP "hgroup" HR "hr" HTML "html" I "i" IFRAME "iframe" IMG "img" INPUT "input" INS "ins" KBD "kbd" LABEL "label"
    LEGEND "legend" LI "li" LINK "link" MAIN "main" MAP "map" MARK "mark" MATH "math" MENU "menu" META "meta" METER "meter"
    NAV "nav" NOEMBED "noembed" NOFRAMES "noframes" NOSCRIPT "noscript" OBJECT "object" OL "ol" OPTGROUP "optgroup" OPTION "option"
    OUTPUT "output" P "p" PARAM "param" PICTURE "picture" PRE "pre" PROGRESS "progress" Q "q" RP "rp" RT "rt" RUBY "ruby" S "s"
    SAMP "samp" SCRIPT "script" SEARCH "search" SECTION "section" SELECT "select" SLOT "slot" SMALL "small" SOURCE "source"
    SPAN "span" STRIKE "strike" STRONG "strong" STYLE "style" SUB "sub" SUMMARY "summary" SUP "sup" SVG "svg" TABLE "table"
    TBODY "tbody" TD "td" TEMPLATE "template" TEXTAREA "textarea" TFOOT "tfoot" TH "th" THEAD "thead" TIME "time" TITLE "title"
    TR "tr" TRACK "track" TT "tt" U "u" UL "ul" VAR "var" VIDEO "video" WBR "wbr" XMP "xmp"
}

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident: $($tag:ident)*;)*) => {
        impl Tag {
            $($(#[$doc])* #[inline] pub fn $name(self) -> bool { matches!(self, $(Tag::$tag)|*) })*
        }
    };
}

classes! {
    /// Whether browsers lay the element out as a block (or a table part), so that it separates the text before and after it.
    /// `br` is not included: a single line break does not end a text block.
    is_block:
        ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY BUTTON CAPTION CENTER DD DETAILS DIALOG DIR DIV DL DT FIELDSET
        FIGCAPTION FIGURE FOOTER FORM FRAMESET H1 H2 H3 H4 H5 H6 HEADER HGROUP HR HTML LEGEND LI MAIN MENU NAV OL
        OPTGROUP OPTION P PRE SEARCH SECTION SELECT SUMMARY TABLE TBODY TD TEXTAREA TFOOT TH THEAD TR UL IFRAME
        NOSCRIPT XMP;
    /// Whether browsers keep the white space of its text.
    is_preformatted: PRE XMP;
    /// Whether the element's content is never text of the page: code, styles, drawings, form values, fallbacks.
    is_skipped:
        SCRIPT STYLE TEMPLATE SVG HEAD TITLE IFRAME OBJECT EMBED CANVAS AUDIO VIDEO SELECT TEXTAREA DATALIST NOEMBED
        NOFRAMES FRAMESET;
}

impl Tag {
    /// Converts the parser's tag.
    #[inline]
    pub(super) fn of(tag: maintext_html::Tag) -> Tag {
        static MAP: std::sync::LazyLock<Vec<Tag>> = std::sync::LazyLock::new(|| {
            let mut map = vec![Tag::OTHER; maintext_html::Tag::known_count()];
            for name in Tag::NAMES.iter().filter(|n| !n.is_empty()) {
                if let Some(t) = maintext_html::Tag::from_name(name)
                    && let Some(slot) = map.get_mut(t.index())
                {
                    *slot = Tag::from_name(name);
                }
            }
            // Pages of AMP write their pictures with elements of their own, which have the attributes of `img`.
            for picture in [maintext_html::Tag::AMP_ANIM, maintext_html::Tag::AMP_IMG] {
                map[picture.index()] = Tag::IMG;
            }
            map
        });
        MAP.get(tag.index()).copied().unwrap_or(Tag::OTHER)
    }

    /// Returns 1 to 6 for `h1` to `h6`.
    #[inline]
    pub fn heading_level(self) -> Option<u8> {
        (Tag::H1 <= self && self <= Tag::H6).then(|| self.0 - Tag::H1.0 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn names_round_trip() {
        for t in [Tag::A, Tag::H3, Tag::WBR, Tag::XMP] {
            assert_eq!(Tag::from_name(t.name()), t);
        }
        assert_eq!(Tag::from_name("my-widget"), Tag::OTHER);
        assert_eq!(Tag::H4.heading_level(), Some(4));
        assert_eq!(Tag::HR.heading_level(), None);
    }
}
