#!/usr/bin/env python3
"""Writes src/names/known_table.rs: every tag and attribute name of HTML, SVG and MathML as a small integer.

Run from the crate's folder: `python3 tools/gen_names.py > src/names/known_table.rs`, then `cargo fmt`.
The lists are the element and attribute indices of the HTML, SVG 2, SVG 1.1 and MathML Core / MathML 3 standards, with the
legacy names that the parsing chapter mentions.
"""
import re

HTML = """a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br
button canvas caption center cite code col colgroup content data datalist dd del details dfn dialog dir div dl dt em embed
fencedframe fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe
image img input ins isindex kbd keygen label legend li link listing main map mark marquee menu menuitem meta meter multicol
nav nextid nobr noembed noframes noscript object ol optgroup option output p param picture plaintext portal pre progress q rb
rbc rp rt rtc ruby s samp script search section select selectedcontent shadow slot small source spacer span strike strong
style sub summary sup table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp"""

SVG = """altGlyph altGlyphDef altGlyphItem animate animateColor animateMotion animateTransform circle clipPath color-profile
cursor defs desc discard ellipse feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting
feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge
feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence filter font-face
font-face-format font-face-name font-face-src font-face-uri foreignObject g glyph glyphRef hatch hatchpath hkern line
linearGradient marker mask mesh meshgradient meshpatch meshrow metadata missing-glyph mpath path pattern polygon polyline
radialGradient rect set solidcolor stop svg switch symbol text textPath tref tspan unknown use view vkern"""

MATHML = """annotation annotation-xml maction maligngroup malignmark math menclose merror mfenced mfrac mglyph mi
mlabeledtr mlongdiv mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mscarries mscarry msgroup msline
mspace msqrt msrow mstack mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics"""

HTML_ATTRS = """abbr about accept accept-charset accesskey action align alink allow allowfullscreen alpha alt amp archive as
async autocapitalize autocomplete autocorrect autofocus autoplay axis background behavior bgcolor blocking border
bordercolor bottommargin cellpadding cellspacing char charoff charset checked cite class classid clear closedby code codebase
codetype color colorspace cols colspan command commandfor compact content contenteditable contextmenu controls
controlslist coords crossorigin data datatype datetime declare decoding default defer dir direction dirname disabled
disablepictureinpicture disableremoteplayback download draggable enctype enterkeyhint event exportparts face
fetchpriority for form formaction formenctype formmethod formnovalidate formtarget frame frameborder headers height hidden
high href hreflang hspace http-equiv id imagesizes imagesrcset inert inputmode integrity is ismap itemid itemprop itemref
itemscope itemtype kind label lang language leftmargin link list loading longdesc loop low lowsrc manifest marginheight
marginwidth max maxlength media method min minlength multiple muted name nohref nomodule nonce noresize noshade novalidate
nowrap object onclick onload onerror onchange onsubmit onfocus onblur onkeydown onkeyup onkeypress onmousedown onmousemove
onmouseout onmouseover onmouseup onmouseenter onmouseleave ondblclick onresize onscroll oninput onselect onunload
onabort onbeforeunload ontouchstart ontouchend open optimum part pattern ping placeholder playsinline popover
popovertarget popovertargetaction poster prefix preload profile prompt property readonly referrerpolicy rel required
resource rev reversed rightmargin role rows rowspan rules sandbox scheme scope scrolling scrollamount selected
shadowrootclonable shadowrootdelegatesfocus shadowrootmode shadowrootserializable shape size sizes slot span spellcheck src
srcdoc srclang srcset standby start step style summary tabindex target text title topmargin translate type typeof usemap
valign value valuetype version vlink vocab vspace width wrap writingsuggestions xmlns
aria-activedescendant aria-atomic aria-autocomplete aria-busy aria-checked aria-colcount aria-colindex aria-colspan
aria-controls aria-current aria-describedby aria-description aria-details aria-disabled aria-dropeffect aria-errormessage
aria-expanded aria-flowto aria-grabbed aria-haspopup aria-hidden aria-invalid aria-keyshortcuts aria-label
aria-labelledby aria-level aria-live aria-modal aria-multiline aria-multiselectable aria-orientation aria-owns
aria-placeholder aria-posinset aria-pressed aria-readonly aria-relevant aria-required aria-roledescription aria-rowcount
aria-rowindex aria-rowspan aria-selected aria-setsize aria-sort aria-valuemax aria-valuemin aria-valuenow aria-valuetext
data-action data-href data-id data-index data-label data-lazy-src data-lazy-srcset data-name data-original data-sizes
data-src data-srcset data-target data-testid data-text data-title data-toggle data-type data-url data-value"""

SVG_CAMEL_ATTRS = """attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits diffuseConstant edgeMode
filterUnits glyphRef gradientTransform gradientUnits kernelMatrix kernelUnitLength keyPoints keySplines keyTimes
lengthAdjust limitingConeAngle markerHeight markerUnits markerWidth maskContentUnits maskUnits numOctaves pathLength
patternContentUnits patternTransform patternUnits pointsAtX pointsAtY pointsAtZ preserveAlpha preserveAspectRatio
primitiveUnits refX refY repeatCount repeatDur requiredExtensions requiredFeatures specularConstant specularExponent
spreadMethod startOffset stdDeviation stitchTiles surfaceScale systemLanguage tableValues targetX targetY textLength viewBox
viewTarget xChannelSelector yChannelSelector zoomAndPan"""

SVG_ATTRS = """accumulate additive alignment-baseline amplitude azimuth baseline-shift begin bias by clip-path clip-rule
color-interpolation color-interpolation-filters cursor cx cy d display divisor dominant-baseline dur dx dy elevation end
exponent fill fill-opacity fill-rule filter flood-color flood-opacity font-family font-size font-stretch font-style
font-variant font-weight fr from fx fy g1 g2 image-rendering in in2 intercept k k1 k2 k3 k4 keytimes letter-spacing
lighting-color marker-end marker-mid marker-start mask mode offset opacity operator order orient origin overflow
paint-order path pointer-events points preservealpha r radius restart result rotate rx ry scale seed shape-rendering slope
spacing stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin
stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration text-rendering to transform transform-origin
values vector-effect visibility word-spacing writing-mode x x1 x2 y y1 y2 z"""

MATHML_ATTRS = """accent accentunder actiontype alttext close columnalign columnlines columnspacing columnspan depth
definitionurl denomalign displaystyle encoding equalcolumns equalrows fence form framespacing groupalign largeop
linebreak linethickness lquote lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation
numalign rowalign rowlines rowspacing rquote rspace scriptlevel scriptminsize scriptsizemultiplier selection separator
separators stretchy subscriptshift superscriptshift symmetric voffset"""

# Names without a namespace, as the tokenizer sees them; the namespaced ones get a constant of their own.
FOREIGN_ATTRS = """xlink:actuate xlink:arcrole xlink:href xlink:role xlink:show xlink:title xlink:type xml:lang xml:space
xmlns:xlink"""

MASK = (1 << 64) - 1
K1 = 0x9E3779B97F4A7C15
K2 = 0xC2B2AE3D27D4EB4F


def slot(name, bits):
    data = name.encode().ljust(16, b"\0")
    lo, hi = int.from_bytes(data[:8], "little"), int.from_bytes(data[8:], "little")
    h = ((lo * K1) & MASK) ^ ((hi * K2) & MASK)
    return ((h * K1) & MASK) >> (64 - bits)


def const_name(name):
    camel = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name)
    return re.sub(r"[-:]", "_", camel).upper()


def table(names, bits):
    slots = [0] * (1 << bits)
    for i, name in enumerate(names):
        if len(name) > 16 or name != name.lower() or name.startswith("\0"):
            continue
        s = slot(name, bits)
        while slots[s]:
            s = (s + 1) % (1 << bits)
        slots[s] = i + 1
    return slots


def emit(kind, what, entries, bits):
    """entries: (constant, name, looked up by name) in id order."""
    n = len(entries)
    print(f"/// The number of {what} names known at compile time.")
    print(f"pub(crate) const KNOWN_{kind.upper()}S: usize = {n};")
    print(f"impl {kind} {{")
    for i, (const, name, doc, _) in enumerate(entries):
        print(f"    /// {doc}\n    pub const {const}: {kind} = {kind}({i});")
    print("}")
    print("#[rustfmt::skip]")
    print(f"pub(crate) static {kind.upper()}_NAMES: [&str; {n}] = [")
    for i in range(0, n, 8):
        print("    " + " ".join(f'"{e[1]}",' for e in entries[i:i + 8]))
    print("];")
    looked_up = [e[1] if e[3] else "\0" for e in entries]
    slots = table(looked_up, bits)
    print(f"/// log2 of the size of `{kind.upper()}_SLOTS`.")
    print(f"pub(crate) const {kind.upper()}_BITS: u32 = {bits};")
    print("/// Open addressing with linear probing: id + 1, or 0 for an empty slot; names of at most 16 bytes.")
    print("#[rustfmt::skip]")
    print(f"pub(crate) static {kind.upper()}_SLOTS: [u16; {len(slots)}] = [")
    for i in range(0, len(slots), 32):
        print("    " + " ".join(f"{s}," for s in slots[i:i + 32]))
    print("];")
    print(f"/// Packed name (little-endian, zero-padded) by id; zero where a name is longer or not looked up by name.")
    print("#[rustfmt::skip]")
    print(f"pub(crate) static {kind.upper()}_KEYS: [(u64, u64); {n}] = [")
    for name in looked_up:
        data = name.encode()
        if len(data) > 16 or name != name.lower() or name == "\0":
            print("    (0, 0),")
        else:
            data = data.ljust(16, b"\0")
            print(f"    ({int.from_bytes(data[:8], 'little'):#x}, {int.from_bytes(data[8:], 'little'):#x}),")
    print("];")
    long = sorted((name, i) for i, name in enumerate(looked_up) if len(name) > 16 and name == name.lower())
    print("/// Known names of more than 16 bytes with their ids, sorted.")
    print(f"pub(crate) static {kind.upper()}_LONG: [(&str, u16); {len(long)}] = [")
    for name, i in long:
        print(f'    ("{name}", {i}),')
    print("];")


def pairs(fn, kind, doc, mapping):
    print(f"/// {doc}")
    print(f"pub(crate) fn {fn}(name: {kind}) -> {kind} {{\n    match name {{")
    for a, b in mapping:
        print(f"        {kind}::{a} => {kind}::{b},")
    print("        other => other,\n    }\n}")


def main():
    print("//! Generated by tools/gen_names.py: edit that, not this.\n")
    print("use super::{Attr, Tag};\n")

    tags, svg_map = [], []
    seen = set()

    def add_tag(name, where):
        if name not in seen:
            seen.add(name)
            tags.append((const_name(name), name, f"`{name}` ({where}).", True))

    for name in HTML.split():
        add_tag(name, "HTML")
    for name in SVG.split():
        if name != name.lower():
            add_tag(name.lower(), "SVG, before its case is restored")
            add_tag(name, "SVG")
            svg_map.append((const_name(name.lower()), const_name(name)))
        else:
            add_tag(name, "SVG")
    for name in MATHML.split():
        add_tag(name, "MathML")
    emit("Tag", "tag", tags, 11)
    pairs("svg_tag", "Tag", "The case that the standard restores on SVG tag names.", svg_map)

    attrs, camel_map = [], []
    seen = set()

    def add_attr(name, where):
        if name not in seen:
            seen.add(name)
            attrs.append((const_name(name), name, f"`{name}` ({where}).", True))

    for name in HTML_ATTRS.split():
        add_attr(name, "HTML")
    for name in SVG_ATTRS.split():
        add_attr(name, "SVG")
    for name in MATHML_ATTRS.split():
        add_attr(name, "MathML")
    for name in SVG_CAMEL_ATTRS.split():
        add_attr(name.lower(), "SVG, before its case is restored")
        add_attr(name, "SVG")
        camel_map.append((const_name(name.lower()), const_name(name)))
    add_attr("definitionURL", "MathML")
    foreign_map = []
    for name in FOREIGN_ATTRS.split():
        plain = const_name(name) + "_PLAIN"
        attrs.append((plain, name, f"`{name}` without a namespace, as on HTML elements.", True))
        attrs.append((const_name(name), name, f"`{name}` in its namespace, on SVG and MathML elements.", False))
        foreign_map.append((plain, const_name(name)))
    attrs.append(("XMLNS_NS", "xmlns", "`xmlns` in the XMLNS namespace, on SVG and MathML elements.", False))
    foreign_map.append(("XMLNS", "XMLNS_NS"))
    emit("Attr", "attribute", attrs, 12)
    pairs("svg_attr", "Attr", "The case that the standard restores on SVG attribute names.", camel_map)
    pairs("foreign_attr", "Attr", "The namespace that the standard gives to attributes of SVG and MathML elements.",
          foreign_map)


main()
