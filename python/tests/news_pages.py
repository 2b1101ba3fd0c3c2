"""Invented pages for the tests of the replacements for newspaper4k and goose3."""

from __future__ import annotations

from typing import Any

LINES = [
    f"The alder number {name} stands on the bank of the river, where its roots hold the soil together, and where siskins look for seeds."
    for name in ("one", "two", "three", "four", "five", "six", "seven", "eight")
]
BODY = "".join(f"<p>{line}</p>" for line in LINES)

META = (
    '<html lang="en-GB"><head><meta charset="utf-8"><title>Alders on the bank - River Notes</title>'
    '<meta name="description" content="Where the trees stand"><meta name="keywords" content="alder, river, bank">'
    '<meta name="author" content="Ada Byron"><meta property="og:site_name" content="River Notes">'
    '<meta property="og:type" content="article"><meta property="og:title" content="Alders on the bank">'
    '<meta property="og:url" content="https://www.example.org/alders">'
    '<meta property="og:image" content="https://www.example.org/alder.jpg">'
    '<meta property="article:published_time" content="2024-05-17T10:00:00+02:00"><link rel="icon" href="/icon.png">'
    '<link rel="canonical" href="https://www.example.org/alders"></head><body><nav><a href="/">Home</a> <a href="/b">More</a></nav>'
    f'<article><h1>Alders on the bank</h1><p><img src="/alder.jpg" width="800" height="600"></p>{BODY}</article>'
    '<footer><a href="/i">Imprint</a></footer></body></html>'
)

JSON_LD = (
    '<html lang="en"><head><title>Siskins in the cones</title><script type="application/ld+json">{"@context": "https://schema.org", '
    '"@type": "NewsArticle", "headline": "Siskins in the cones",'
    '"datePublished": "2023-11-05T06:07:08Z", "author": [{"@type": "Person", "name":'
    ' "Ada Byron"}, {"@type": "Person", "name": "Grace Rivers"}], "publisher": {"@type": "Organization", "name": "River Notes"}}</script>'
    '<meta property="og:image" content="https://www.example.org/a.jpg"><meta property="og:image" content="https://www.example.org/b.jpg">'
    f"</head><body><article><h1>Siskins in the cones</h1>{BODY}"
    '<iframe width="560" height="315" src="https://www.youtube.com/embed/alder"></iframe>'
    '<blockquote class="twitter-tweet"><p>The siskins of the bank are back, and it is only the first week of the month.</p></blockquote>'
    f'<p>{LINES[0]} Also see <a href="https://www.example.org/roots">the roots</a> and <a href="/cones">the cones</a>.</p>'
    '<p class="tags"><a rel="tag" href="/tag/birds">Birds</a> <a rel="tag" href="/tag/trees">Trees</a></p></article></body></html>'
)

LIST = (
    "<html lang=de><head><title>Erlen am Ufer</title><meta name=author content='Paula Bach'>"
    "<meta itemprop=datePublished content=2022-03-04>"
    "</head><body><div class=menu><a href=/>Start</a></div><div class=content><h1>Erlen am Ufer</h1>"
    + "".join(
        f"<p>Die Erle Nummer {i} steht am Ufer des Flusses, wo ihre Wurzeln den Boden halten, und wo Zeisige Samen suchen.</p>"
        for i in range(6)
    )
    + "<h2>Was die Erle braucht und was sie nicht mag</h2><ul>"
    "<li>Sie braucht Wasser, das nicht steht, und einen Boden, der es auch hält.</li>"
    "<li>Sie mag den Schatten nicht, den die anderen Bäume auf sie werfen.</li></ul>"
    "<p>Das ist alles, was man über die Erle am Ufer wissen muss,"
    " und mehr wird hier auch nicht gesagt.</p></div></body></html>"
)

PLAIN = f"<html><head><title>Nothing but text</title></head><body><div>{BODY}</div></body></html>"

PAGES = {"meta": META, "json_ld": JSON_LD, "list": LIST, "plain": PLAIN}
URL = "https://www.example.org/alders"


def newspaper4k() -> Any:
    """Returns the original's module, or None if it is not installed, or if newspaper3k has replaced its files."""
    try:
        import newspaper
    except ImportError:
        return None
    return newspaper if hasattr(newspaper, "valid_languages") else None
