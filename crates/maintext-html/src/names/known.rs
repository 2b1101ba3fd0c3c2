//! The names of HTML, SVG, MathML and the pictures of AMP HTML, known at compile time.
//!
//! The lists are the element and attribute indices of the HTML, SVG 2, SVG 1.1 and MathML Core / MathML 3 standards, with the legacy
//! names that the parsing chapter mentions.

use super::{Attr, Tag, mix};

/// Known names by id, in a hash table with open addressing and linear probing.
pub(super) struct KnownNames<const NAMES: usize, const SLOTS: usize> {
    pub names: [&'static str; NAMES],
    /// Packed names by id; zero if a name is longer than 16 bytes.
    packed: [(u64, u64); NAMES],
    /// Id + 1, or 0 for an empty slot.
    slots: [u16; SLOTS],
}

impl<const NAMES: usize, const SLOTS: usize> KnownNames<NAMES, SLOTS> {
    /// Builds the table. Of two equal names, lookups find the first.
    const fn new(names: [&'static str; NAMES]) -> Self {
        let mut table = KnownNames { names, packed: [(0, 0); NAMES], slots: [0; SLOTS] };
        let mut id = 0;
        while id < NAMES {
            let (lo, hi) = pack(names[id].as_bytes());
            if names[id].len() <= 16 {
                table.packed[id] = (lo, hi);
            }
            let mut slot = Self::slot(lo, hi);
            while table.slots[slot] != 0 {
                slot = (slot + 1) % SLOTS;
            }
            id += 1;
            table.slots[slot] = id as u16;
        }
        table
    }

    #[inline]
    const fn slot(lo: u64, hi: u64) -> usize {
        (mix(lo, hi) >> (64 - SLOTS.ilog2())) as usize
    }

    /// Returns the id of a packed name of at most 16 bytes.
    #[inline]
    pub(super) fn find_packed(&self, lo: u64, hi: u64) -> Option<u32> {
        self.probe(lo, hi, |id| self.packed[id] == (lo, hi))
    }

    /// Returns the id of a name of any length.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        let (lo, hi) = pack(name.as_bytes());
        self.probe(lo, hi, |id| self.names[id] == name)
    }

    #[inline(always)]
    fn probe(&self, lo: u64, hi: u64, is: impl Fn(usize) -> bool) -> Option<u32> {
        let mut slot = Self::slot(lo, hi);
        loop {
            let id = usize::from(self.slots[slot]).checked_sub(1)?;
            if is(id) {
                return Some(id as u32);
            }
            slot = (slot + 1) % SLOTS;
        }
    }
}

/// Packs the first 16 bytes of a name into two numbers, zero-padded.
const fn pack(name: &[u8]) -> (u64, u64) {
    let mut padded = [0u8; 16];
    let len = if name.len() < 16 { name.len() } else { 16 };
    padded.split_at_mut(len).0.copy_from_slice(name.split_at(len).0);
    let both = u128::from_le_bytes(padded);
    (both as u64, (both >> 64) as u64)
}

/// Defines a constant for each name, their number, and the table of a size given in slots.
macro_rules! known_names {
    ($kind:ident, $count:ident, $table:ident[$slots:literal]: $($standard:literal => $($id:ident $name:literal),+;)+) => {
        /// Number of names known at compile time.
        pub(crate) const $count: usize = [$($($name),+),+].len();
        pub(super) static $table: KnownNames<$count, $slots> = KnownNames::new([$($($name),+),+]);
        const _: () = {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Id { $($($id),+),+ }
            impl $kind {
                $($(
                    #[doc = concat!("`", $name, "` (", $standard, ").")]
                    pub const $id: $kind = $kind(Id::$id as u32);
                )+)+
            }
        };
    };
}

// A name in upper and lower case, whose case the standard restores in SVG, follows the same name in lower case.
known_names! {
    Tag, KNOWN_TAGS, TAGS[2048]:
    "HTML" =>
        A "a", ABBR "abbr", ACRONYM "acronym", ADDRESS "address", APPLET "applet", AREA "area", ARTICLE "article",
        ASIDE "aside", AUDIO "audio", B "b", BASE "base", BASEFONT "basefont", BDI "bdi", BDO "bdo", BGSOUND "bgsound",
        BIG "big", BLINK "blink", BLOCKQUOTE "blockquote", BODY "body", BR "br", BUTTON "button", CANVAS "canvas",
        CAPTION "caption", CENTER "center", CITE "cite", CODE "code", COL "col", COLGROUP "colgroup", CONTENT "content",
        DATA "data", DATALIST "datalist", DD "dd", DEL "del", DETAILS "details", DFN "dfn", DIALOG "dialog", DIR "dir",
        DIV "div", DL "dl", DT "dt", EM "em", EMBED "embed", FENCEDFRAME "fencedframe", FIELDSET "fieldset",
        FIGCAPTION "figcaption", FIGURE "figure", FONT "font", FOOTER "footer", FORM "form", FRAME "frame",
        FRAMESET "frameset", H1 "h1", H2 "h2", H3 "h3", H4 "h4", H5 "h5", H6 "h6", HEAD "head", HEADER "header",
        HGROUP "hgroup", HR "hr", HTML "html", I "i", IFRAME "iframe", IMAGE "image", IMG "img", INPUT "input",
        INS "ins", ISINDEX "isindex", KBD "kbd", KEYGEN "keygen", LABEL "label", LEGEND "legend", LI "li", LINK "link",
        LISTING "listing", MAIN "main", MAP "map", MARK "mark", MARQUEE "marquee", MENU "menu", MENUITEM "menuitem",
        META "meta", METER "meter", MULTICOL "multicol", NAV "nav", NEXTID "nextid", NOBR "nobr", NOEMBED "noembed",
        NOFRAMES "noframes", NOSCRIPT "noscript", OBJECT "object", OL "ol", OPTGROUP "optgroup", OPTION "option",
        OUTPUT "output", P "p", PARAM "param", PICTURE "picture", PLAINTEXT "plaintext", PORTAL "portal", PRE "pre",
        PROGRESS "progress", Q "q", RB "rb", RBC "rbc", RP "rp", RT "rt", RTC "rtc", RUBY "ruby", S "s", SAMP "samp",
        SCRIPT "script", SEARCH "search", SECTION "section", SELECT "select", SELECTEDCONTENT "selectedcontent",
        SHADOW "shadow", SLOT "slot", SMALL "small", SOURCE "source", SPACER "spacer", SPAN "span", STRIKE "strike",
        STRONG "strong", STYLE "style", SUB "sub", SUMMARY "summary", SUP "sup", TABLE "table", TBODY "tbody", TD "td",
        TEMPLATE "template", TEXTAREA "textarea", TFOOT "tfoot", TH "th", THEAD "thead", TIME "time", TITLE "title",
        TR "tr", TRACK "track", TT "tt", U "u", UL "ul", VAR "var", VIDEO "video", WBR "wbr", XMP "xmp";
    "SVG" =>
        ALTGLYPH "altglyph", ALT_GLYPH "altGlyph", ALTGLYPHDEF "altglyphdef", ALT_GLYPH_DEF "altGlyphDef",
        ALTGLYPHITEM "altglyphitem", ALT_GLYPH_ITEM "altGlyphItem", ANIMATE "animate", ANIMATECOLOR "animatecolor",
        ANIMATE_COLOR "animateColor", ANIMATEMOTION "animatemotion", ANIMATE_MOTION "animateMotion",
        ANIMATETRANSFORM "animatetransform", ANIMATE_TRANSFORM "animateTransform", CIRCLE "circle", CLIPPATH "clippath",
        CLIP_PATH "clipPath", COLOR_PROFILE "color-profile", CURSOR "cursor", DEFS "defs", DESC "desc",
        DISCARD "discard", ELLIPSE "ellipse", FEBLEND "feblend", FE_BLEND "feBlend", FECOLORMATRIX "fecolormatrix",
        FE_COLOR_MATRIX "feColorMatrix", FECOMPONENTTRANSFER "fecomponenttransfer",
        FE_COMPONENT_TRANSFER "feComponentTransfer", FECOMPOSITE "fecomposite", FE_COMPOSITE "feComposite",
        FECONVOLVEMATRIX "feconvolvematrix", FE_CONVOLVE_MATRIX "feConvolveMatrix",
        FEDIFFUSELIGHTING "fediffuselighting", FE_DIFFUSE_LIGHTING "feDiffuseLighting",
        FEDISPLACEMENTMAP "fedisplacementmap", FE_DISPLACEMENT_MAP "feDisplacementMap", FEDISTANTLIGHT "fedistantlight",
        FE_DISTANT_LIGHT "feDistantLight", FEDROPSHADOW "fedropshadow", FE_DROP_SHADOW "feDropShadow",
        FEFLOOD "feflood", FE_FLOOD "feFlood", FEFUNCA "fefunca", FE_FUNC_A "feFuncA", FEFUNCB "fefuncb",
        FE_FUNC_B "feFuncB", FEFUNCG "fefuncg", FE_FUNC_G "feFuncG", FEFUNCR "fefuncr", FE_FUNC_R "feFuncR",
        FEGAUSSIANBLUR "fegaussianblur", FE_GAUSSIAN_BLUR "feGaussianBlur", FEIMAGE "feimage", FE_IMAGE "feImage",
        FEMERGE "femerge", FE_MERGE "feMerge", FEMERGENODE "femergenode", FE_MERGE_NODE "feMergeNode",
        FEMORPHOLOGY "femorphology", FE_MORPHOLOGY "feMorphology", FEOFFSET "feoffset", FE_OFFSET "feOffset",
        FEPOINTLIGHT "fepointlight", FE_POINT_LIGHT "fePointLight", FESPECULARLIGHTING "fespecularlighting",
        FE_SPECULAR_LIGHTING "feSpecularLighting", FESPOTLIGHT "fespotlight", FE_SPOT_LIGHT "feSpotLight",
        FETILE "fetile", FE_TILE "feTile", FETURBULENCE "feturbulence", FE_TURBULENCE "feTurbulence", FILTER "filter",
        FONT_FACE "font-face", FONT_FACE_FORMAT "font-face-format", FONT_FACE_NAME "font-face-name",
        FONT_FACE_SRC "font-face-src", FONT_FACE_URI "font-face-uri", FOREIGNOBJECT "foreignobject",
        FOREIGN_OBJECT "foreignObject", G "g", GLYPH "glyph", GLYPHREF "glyphref", GLYPH_REF "glyphRef", HATCH "hatch",
        HATCHPATH "hatchpath", HKERN "hkern", LINE "line", LINEARGRADIENT "lineargradient",
        LINEAR_GRADIENT "linearGradient", MARKER "marker", MASK "mask", MESH "mesh", MESHGRADIENT "meshgradient",
        MESHPATCH "meshpatch", MESHROW "meshrow", METADATA "metadata", MISSING_GLYPH "missing-glyph", MPATH "mpath",
        PATH "path", PATTERN "pattern", POLYGON "polygon", POLYLINE "polyline", RADIALGRADIENT "radialgradient",
        RADIAL_GRADIENT "radialGradient", RECT "rect", SET "set", SOLIDCOLOR "solidcolor", STOP "stop", SVG "svg",
        SWITCH "switch", SYMBOL "symbol", TEXT "text", TEXTPATH "textpath", TEXT_PATH "textPath", TREF "tref",
        TSPAN "tspan", UNKNOWN "unknown", USE "use", VIEW "view", VKERN "vkern";
    "MathML" =>
        ANNOTATION "annotation", ANNOTATION_XML "annotation-xml", MACTION "maction", MALIGNGROUP "maligngroup",
        MALIGNMARK "malignmark", MATH "math", MENCLOSE "menclose", MERROR "merror", MFENCED "mfenced", MFRAC "mfrac",
        MGLYPH "mglyph", MI "mi", MLABELEDTR "mlabeledtr", MLONGDIV "mlongdiv", MMULTISCRIPTS "mmultiscripts", MN "mn",
        MO "mo", MOVER "mover", MPADDED "mpadded", MPHANTOM "mphantom", MPRESCRIPTS "mprescripts", MROOT "mroot",
        MROW "mrow", MS "ms", MSCARRIES "mscarries", MSCARRY "mscarry", MSGROUP "msgroup", MSLINE "msline",
        MSPACE "mspace", MSQRT "msqrt", MSROW "msrow", MSTACK "mstack", MSTYLE "mstyle", MSUB "msub", MSUBSUP "msubsup",
        MSUP "msup", MTABLE "mtable", MTD "mtd", MTEXT "mtext", MTR "mtr", MUNDER "munder", MUNDEROVER "munderover",
        NONE "none", SEMANTICS "semantics";
    "AMP HTML" =>
        AMP_ANIM "amp-anim", AMP_IMG "amp-img";
}

// Moreover, a name in a namespace follows the same name without one.
known_names! {
    Attr, KNOWN_ATTRS, ATTRS[4096]:
    "HTML" =>
        ABBR "abbr", ABOUT "about", ACCEPT "accept", ACCEPT_CHARSET "accept-charset", ACCESSKEY "accesskey",
        ACTION "action", ALIGN "align", ALINK "alink", ALLOW "allow", ALLOWFULLSCREEN "allowfullscreen", ALPHA "alpha",
        ALT "alt", AMP "amp", ARCHIVE "archive", AS "as", ASYNC "async", AUTOCAPITALIZE "autocapitalize",
        AUTOCOMPLETE "autocomplete", AUTOCORRECT "autocorrect", AUTOFOCUS "autofocus", AUTOPLAY "autoplay", AXIS "axis",
        BACKGROUND "background", BEHAVIOR "behavior", BGCOLOR "bgcolor", BLOCKING "blocking", BORDER "border",
        BORDERCOLOR "bordercolor", BOTTOMMARGIN "bottommargin", CELLPADDING "cellpadding", CELLSPACING "cellspacing",
        CHAR "char", CHAROFF "charoff", CHARSET "charset", CHECKED "checked", CITE "cite", CLASS "class",
        CLASSID "classid", CLEAR "clear", CLOSEDBY "closedby", CODE "code", CODEBASE "codebase", CODETYPE "codetype",
        COLOR "color", COLORSPACE "colorspace", COLS "cols", COLSPAN "colspan", COMMAND "command",
        COMMANDFOR "commandfor", COMPACT "compact", CONTENT "content", CONTENTEDITABLE "contenteditable",
        CONTEXTMENU "contextmenu", CONTROLS "controls", CONTROLSLIST "controlslist", COORDS "coords",
        CROSSORIGIN "crossorigin", DATA "data", DATATYPE "datatype", DATETIME "datetime", DECLARE "declare",
        DECODING "decoding", DEFAULT "default", DEFER "defer", DIR "dir", DIRECTION "direction", DIRNAME "dirname",
        DISABLED "disabled", DISABLEPICTUREINPICTURE "disablepictureinpicture",
        DISABLEREMOTEPLAYBACK "disableremoteplayback", DOWNLOAD "download", DRAGGABLE "draggable", ENCTYPE "enctype",
        ENTERKEYHINT "enterkeyhint", EVENT "event", EXPORTPARTS "exportparts", FACE "face",
        FETCHPRIORITY "fetchpriority", FOR "for", FORM "form", FORMACTION "formaction", FORMENCTYPE "formenctype",
        FORMMETHOD "formmethod", FORMNOVALIDATE "formnovalidate", FORMTARGET "formtarget", FRAME "frame",
        FRAMEBORDER "frameborder", HEADERS "headers", HEIGHT "height", HIDDEN "hidden", HIGH "high", HREF "href",
        HREFLANG "hreflang", HSPACE "hspace", HTTP_EQUIV "http-equiv", ID "id", IMAGESIZES "imagesizes",
        IMAGESRCSET "imagesrcset", INERT "inert", INPUTMODE "inputmode", INTEGRITY "integrity", IS "is", ISMAP "ismap",
        ITEMID "itemid", ITEMPROP "itemprop", ITEMREF "itemref", ITEMSCOPE "itemscope", ITEMTYPE "itemtype",
        KIND "kind", LABEL "label", LANG "lang", LANGUAGE "language", LEFTMARGIN "leftmargin", LINK "link", LIST "list",
        LOADING "loading", LONGDESC "longdesc", LOOP "loop", LOW "low", LOWSRC "lowsrc", MANIFEST "manifest",
        MARGINHEIGHT "marginheight", MARGINWIDTH "marginwidth", MAX "max", MAXLENGTH "maxlength", MEDIA "media",
        METHOD "method", MIN "min", MINLENGTH "minlength", MULTIPLE "multiple", MUTED "muted", NAME "name",
        NOHREF "nohref", NOMODULE "nomodule", NONCE "nonce", NORESIZE "noresize", NOSHADE "noshade",
        NOVALIDATE "novalidate", NOWRAP "nowrap", OBJECT "object", ONCLICK "onclick", ONLOAD "onload",
        ONERROR "onerror", ONCHANGE "onchange", ONSUBMIT "onsubmit", ONFOCUS "onfocus", ONBLUR "onblur",
        ONKEYDOWN "onkeydown", ONKEYUP "onkeyup", ONKEYPRESS "onkeypress", ONMOUSEDOWN "onmousedown",
        ONMOUSEMOVE "onmousemove", ONMOUSEOUT "onmouseout", ONMOUSEOVER "onmouseover", ONMOUSEUP "onmouseup",
        ONMOUSEENTER "onmouseenter", ONMOUSELEAVE "onmouseleave", ONDBLCLICK "ondblclick", ONRESIZE "onresize",
        ONSCROLL "onscroll", ONINPUT "oninput", ONSELECT "onselect", ONUNLOAD "onunload", ONABORT "onabort",
        ONBEFOREUNLOAD "onbeforeunload", ONTOUCHSTART "ontouchstart", ONTOUCHEND "ontouchend", OPEN "open",
        OPTIMUM "optimum", PART "part", PATTERN "pattern", PING "ping", PLACEHOLDER "placeholder",
        PLAYSINLINE "playsinline", POPOVER "popover", POPOVERTARGET "popovertarget",
        POPOVERTARGETACTION "popovertargetaction", POSTER "poster", PREFIX "prefix", PRELOAD "preload",
        PROFILE "profile", PROMPT "prompt", PROPERTY "property", READONLY "readonly", REFERRERPOLICY "referrerpolicy",
        REL "rel", REQUIRED "required", RESOURCE "resource", REV "rev", REVERSED "reversed", RIGHTMARGIN "rightmargin",
        ROLE "role", ROWS "rows", ROWSPAN "rowspan", RULES "rules", SANDBOX "sandbox", SCHEME "scheme", SCOPE "scope",
        SCROLLING "scrolling", SCROLLAMOUNT "scrollamount", SELECTED "selected",
        SHADOWROOTCLONABLE "shadowrootclonable", SHADOWROOTDELEGATESFOCUS "shadowrootdelegatesfocus",
        SHADOWROOTMODE "shadowrootmode", SHADOWROOTSERIALIZABLE "shadowrootserializable", SHAPE "shape", SIZE "size",
        SIZES "sizes", SLOT "slot", SPAN "span", SPELLCHECK "spellcheck", SRC "src", SRCDOC "srcdoc", SRCLANG "srclang",
        SRCSET "srcset", STANDBY "standby", START "start", STEP "step", STYLE "style", SUMMARY "summary",
        TABINDEX "tabindex", TARGET "target", TEXT "text", TITLE "title", TOPMARGIN "topmargin", TRANSLATE "translate",
        TYPE "type", TYPEOF "typeof", USEMAP "usemap", VALIGN "valign", VALUE "value", VALUETYPE "valuetype",
        VERSION "version", VLINK "vlink", VOCAB "vocab", VSPACE "vspace", WIDTH "width", WRAP "wrap",
        WRITINGSUGGESTIONS "writingsuggestions", ARIA_ACTIVEDESCENDANT "aria-activedescendant",
        ARIA_ATOMIC "aria-atomic", ARIA_AUTOCOMPLETE "aria-autocomplete", ARIA_BUSY "aria-busy",
        ARIA_CHECKED "aria-checked", ARIA_COLCOUNT "aria-colcount", ARIA_COLINDEX "aria-colindex",
        ARIA_COLSPAN "aria-colspan", ARIA_CONTROLS "aria-controls", ARIA_CURRENT "aria-current",
        ARIA_DESCRIBEDBY "aria-describedby", ARIA_DESCRIPTION "aria-description", ARIA_DETAILS "aria-details",
        ARIA_DISABLED "aria-disabled", ARIA_DROPEFFECT "aria-dropeffect", ARIA_ERRORMESSAGE "aria-errormessage",
        ARIA_EXPANDED "aria-expanded", ARIA_FLOWTO "aria-flowto", ARIA_GRABBED "aria-grabbed",
        ARIA_HASPOPUP "aria-haspopup", ARIA_HIDDEN "aria-hidden", ARIA_INVALID "aria-invalid",
        ARIA_KEYSHORTCUTS "aria-keyshortcuts", ARIA_LABEL "aria-label", ARIA_LABELLEDBY "aria-labelledby",
        ARIA_LEVEL "aria-level", ARIA_LIVE "aria-live", ARIA_MODAL "aria-modal", ARIA_MULTILINE "aria-multiline",
        ARIA_MULTISELECTABLE "aria-multiselectable", ARIA_ORIENTATION "aria-orientation", ARIA_OWNS "aria-owns",
        ARIA_PLACEHOLDER "aria-placeholder", ARIA_POSINSET "aria-posinset", ARIA_PRESSED "aria-pressed",
        ARIA_READONLY "aria-readonly", ARIA_RELEVANT "aria-relevant", ARIA_REQUIRED "aria-required",
        ARIA_ROLEDESCRIPTION "aria-roledescription", ARIA_ROWCOUNT "aria-rowcount", ARIA_ROWINDEX "aria-rowindex",
        ARIA_ROWSPAN "aria-rowspan", ARIA_SELECTED "aria-selected", ARIA_SETSIZE "aria-setsize", ARIA_SORT "aria-sort",
        ARIA_VALUEMAX "aria-valuemax", ARIA_VALUEMIN "aria-valuemin", ARIA_VALUENOW "aria-valuenow",
        ARIA_VALUETEXT "aria-valuetext", DATA_ACTION "data-action", DATA_HREF "data-href", DATA_ID "data-id",
        DATA_INDEX "data-index", DATA_LABEL "data-label", DATA_LAZY_SRC "data-lazy-src",
        DATA_LAZY_SRCSET "data-lazy-srcset", DATA_NAME "data-name", DATA_ORIGINAL "data-original",
        DATA_SIZES "data-sizes", DATA_SRC "data-src", DATA_SRCSET "data-srcset", DATA_TARGET "data-target",
        DATA_TESTID "data-testid", DATA_TEXT "data-text", DATA_TITLE "data-title", DATA_TOGGLE "data-toggle",
        DATA_TYPE "data-type", DATA_URL "data-url", DATA_VALUE "data-value";
    "SVG" =>
        ACCUMULATE "accumulate", ADDITIVE "additive", ALIGNMENT_BASELINE "alignment-baseline", AMPLITUDE "amplitude",
        AZIMUTH "azimuth", BASELINE_SHIFT "baseline-shift", BEGIN "begin", BIAS "bias", BY "by", CLIP_PATH "clip-path",
        CLIP_RULE "clip-rule", COLOR_INTERPOLATION "color-interpolation",
        COLOR_INTERPOLATION_FILTERS "color-interpolation-filters", CURSOR "cursor", CX "cx", CY "cy", D "d",
        DISPLAY "display", DIVISOR "divisor", DOMINANT_BASELINE "dominant-baseline", DUR "dur", DX "dx", DY "dy",
        ELEVATION "elevation", END "end", EXPONENT "exponent", FILL "fill", FILL_OPACITY "fill-opacity",
        FILL_RULE "fill-rule", FILTER "filter", FLOOD_COLOR "flood-color", FLOOD_OPACITY "flood-opacity",
        FONT_FAMILY "font-family", FONT_SIZE "font-size", FONT_STRETCH "font-stretch", FONT_STYLE "font-style",
        FONT_VARIANT "font-variant", FONT_WEIGHT "font-weight", FR "fr", FROM "from", FX "fx", FY "fy", G1 "g1",
        G2 "g2", IMAGE_RENDERING "image-rendering", IN "in", IN2 "in2", INTERCEPT "intercept", K "k", K1 "k1", K2 "k2",
        K3 "k3", K4 "k4", LETTER_SPACING "letter-spacing", LIGHTING_COLOR "lighting-color", MARKER_END "marker-end",
        MARKER_MID "marker-mid", MARKER_START "marker-start", MASK "mask", MODE "mode", OFFSET "offset",
        OPACITY "opacity", OPERATOR "operator", ORDER "order", ORIENT "orient", ORIGIN "origin", OVERFLOW "overflow",
        PAINT_ORDER "paint-order", PATH "path", POINTER_EVENTS "pointer-events", POINTS "points", R "r",
        RADIUS "radius", RESTART "restart", RESULT "result", ROTATE "rotate", RX "rx", RY "ry", SCALE "scale",
        SEED "seed", SHAPE_RENDERING "shape-rendering", SLOPE "slope", SPACING "spacing", STOP_COLOR "stop-color",
        STOP_OPACITY "stop-opacity", STROKE "stroke", STROKE_DASHARRAY "stroke-dasharray",
        STROKE_DASHOFFSET "stroke-dashoffset", STROKE_LINECAP "stroke-linecap", STROKE_LINEJOIN "stroke-linejoin",
        STROKE_MITERLIMIT "stroke-miterlimit", STROKE_OPACITY "stroke-opacity", STROKE_WIDTH "stroke-width",
        TEXT_ANCHOR "text-anchor", TEXT_DECORATION "text-decoration", TEXT_RENDERING "text-rendering", TO "to",
        TRANSFORM "transform", TRANSFORM_ORIGIN "transform-origin", VALUES "values", VECTOR_EFFECT "vector-effect",
        VISIBILITY "visibility", WORD_SPACING "word-spacing", WRITING_MODE "writing-mode", X "x", X1 "x1", X2 "x2",
        Y "y", Y1 "y1", Y2 "y2", Z "z", ATTRIBUTENAME "attributename", ATTRIBUTE_NAME "attributeName",
        ATTRIBUTETYPE "attributetype", ATTRIBUTE_TYPE "attributeType", BASEFREQUENCY "basefrequency",
        BASE_FREQUENCY "baseFrequency", BASEPROFILE "baseprofile", BASE_PROFILE "baseProfile", CALCMODE "calcmode",
        CALC_MODE "calcMode", CLIPPATHUNITS "clippathunits", CLIP_PATH_UNITS "clipPathUnits",
        DIFFUSECONSTANT "diffuseconstant", DIFFUSE_CONSTANT "diffuseConstant", EDGEMODE "edgemode",
        EDGE_MODE "edgeMode", FILTERUNITS "filterunits", FILTER_UNITS "filterUnits", GLYPHREF "glyphref",
        GLYPH_REF "glyphRef", GRADIENTTRANSFORM "gradienttransform", GRADIENT_TRANSFORM "gradientTransform",
        GRADIENTUNITS "gradientunits", GRADIENT_UNITS "gradientUnits", KERNELMATRIX "kernelmatrix",
        KERNEL_MATRIX "kernelMatrix", KERNELUNITLENGTH "kernelunitlength", KERNEL_UNIT_LENGTH "kernelUnitLength",
        KEYPOINTS "keypoints", KEY_POINTS "keyPoints", KEYSPLINES "keysplines", KEY_SPLINES "keySplines",
        KEYTIMES "keytimes", KEY_TIMES "keyTimes", LENGTHADJUST "lengthadjust", LENGTH_ADJUST "lengthAdjust",
        LIMITINGCONEANGLE "limitingconeangle", LIMITING_CONE_ANGLE "limitingConeAngle", MARKERHEIGHT "markerheight",
        MARKER_HEIGHT "markerHeight", MARKERUNITS "markerunits", MARKER_UNITS "markerUnits", MARKERWIDTH "markerwidth",
        MARKER_WIDTH "markerWidth", MASKCONTENTUNITS "maskcontentunits", MASK_CONTENT_UNITS "maskContentUnits",
        MASKUNITS "maskunits", MASK_UNITS "maskUnits", NUMOCTAVES "numoctaves", NUM_OCTAVES "numOctaves",
        PATHLENGTH "pathlength", PATH_LENGTH "pathLength", PATTERNCONTENTUNITS "patterncontentunits",
        PATTERN_CONTENT_UNITS "patternContentUnits", PATTERNTRANSFORM "patterntransform",
        PATTERN_TRANSFORM "patternTransform", PATTERNUNITS "patternunits", PATTERN_UNITS "patternUnits",
        POINTSATX "pointsatx", POINTS_AT_X "pointsAtX", POINTSATY "pointsaty", POINTS_AT_Y "pointsAtY",
        POINTSATZ "pointsatz", POINTS_AT_Z "pointsAtZ", PRESERVEALPHA "preservealpha", PRESERVE_ALPHA "preserveAlpha",
        PRESERVEASPECTRATIO "preserveaspectratio", PRESERVE_ASPECT_RATIO "preserveAspectRatio",
        PRIMITIVEUNITS "primitiveunits", PRIMITIVE_UNITS "primitiveUnits", REFX "refx", REF_X "refX", REFY "refy",
        REF_Y "refY", REPEATCOUNT "repeatcount", REPEAT_COUNT "repeatCount", REPEATDUR "repeatdur",
        REPEAT_DUR "repeatDur", REQUIREDEXTENSIONS "requiredextensions", REQUIRED_EXTENSIONS "requiredExtensions",
        REQUIREDFEATURES "requiredfeatures", REQUIRED_FEATURES "requiredFeatures", SPECULARCONSTANT "specularconstant",
        SPECULAR_CONSTANT "specularConstant", SPECULAREXPONENT "specularexponent", SPECULAR_EXPONENT "specularExponent",
        SPREADMETHOD "spreadmethod", SPREAD_METHOD "spreadMethod", STARTOFFSET "startoffset",
        START_OFFSET "startOffset", STDDEVIATION "stddeviation", STD_DEVIATION "stdDeviation",
        STITCHTILES "stitchtiles", STITCH_TILES "stitchTiles", SURFACESCALE "surfacescale",
        SURFACE_SCALE "surfaceScale", SYSTEMLANGUAGE "systemlanguage", SYSTEM_LANGUAGE "systemLanguage",
        TABLEVALUES "tablevalues", TABLE_VALUES "tableValues", TARGETX "targetx", TARGET_X "targetX", TARGETY "targety",
        TARGET_Y "targetY", TEXTLENGTH "textlength", TEXT_LENGTH "textLength", VIEWBOX "viewbox", VIEW_BOX "viewBox",
        VIEWTARGET "viewtarget", VIEW_TARGET "viewTarget", XCHANNELSELECTOR "xchannelselector",
        X_CHANNEL_SELECTOR "xChannelSelector", YCHANNELSELECTOR "ychannelselector",
        Y_CHANNEL_SELECTOR "yChannelSelector", ZOOMANDPAN "zoomandpan", ZOOM_AND_PAN "zoomAndPan";
    "MathML" =>
        ACCENT "accent", ACCENTUNDER "accentunder", ACTIONTYPE "actiontype", ALTTEXT "alttext", CLOSE "close",
        COLUMNALIGN "columnalign", COLUMNLINES "columnlines", COLUMNSPACING "columnspacing", COLUMNSPAN "columnspan",
        DEPTH "depth", DEFINITIONURL "definitionurl", DENOMALIGN "denomalign", DISPLAYSTYLE "displaystyle",
        ENCODING "encoding", EQUALCOLUMNS "equalcolumns", EQUALROWS "equalrows", FENCE "fence",
        FRAMESPACING "framespacing", GROUPALIGN "groupalign", LARGEOP "largeop", LINEBREAK "linebreak",
        LINETHICKNESS "linethickness", LQUOTE "lquote", LSPACE "lspace", MATHBACKGROUND "mathbackground",
        MATHCOLOR "mathcolor", MATHSIZE "mathsize", MATHVARIANT "mathvariant", MAXSIZE "maxsize", MINSIZE "minsize",
        MOVABLELIMITS "movablelimits", NOTATION "notation", NUMALIGN "numalign", ROWALIGN "rowalign",
        ROWLINES "rowlines", ROWSPACING "rowspacing", RQUOTE "rquote", RSPACE "rspace", SCRIPTLEVEL "scriptlevel",
        SCRIPTMINSIZE "scriptminsize", SCRIPTSIZEMULTIPLIER "scriptsizemultiplier", SELECTION "selection",
        SEPARATOR "separator", SEPARATORS "separators", STRETCHY "stretchy", SUBSCRIPTSHIFT "subscriptshift",
        SUPERSCRIPTSHIFT "superscriptshift", SYMMETRIC "symmetric", VOFFSET "voffset", DEFINITION_URL "definitionURL";
    "SVG and MathML, each without a namespace, as on HTML elements, and with it" =>
        XLINK_ACTUATE_PLAIN "xlink:actuate", XLINK_ACTUATE "xlink:actuate", XLINK_ARCROLE_PLAIN "xlink:arcrole",
        XLINK_ARCROLE "xlink:arcrole", XLINK_HREF_PLAIN "xlink:href", XLINK_HREF "xlink:href",
        XLINK_ROLE_PLAIN "xlink:role", XLINK_ROLE "xlink:role", XLINK_SHOW_PLAIN "xlink:show", XLINK_SHOW "xlink:show",
        XLINK_TITLE_PLAIN "xlink:title", XLINK_TITLE "xlink:title", XLINK_TYPE_PLAIN "xlink:type",
        XLINK_TYPE "xlink:type", XML_LANG_PLAIN "xml:lang", XML_LANG "xml:lang", XML_SPACE_PLAIN "xml:space",
        XML_SPACE "xml:space", XMLNS_XLINK_PLAIN "xmlns:xlink", XMLNS_XLINK "xmlns:xlink", XMLNS "xmlns",
        XMLNS_NS "xmlns";
}
