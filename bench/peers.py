"""Runs a published extractor from PyPI: `peers.py SYSTEM`.

Reads one JSON object per line, {"html", "url"}, and answers each with {"text", "title", "author", "date", "cpu"}, or {"markdown", "cpu"}; `cpu` is
the processor time of the extraction in seconds. bench/peers-rs starts this program and kills it when a page takes too long.
"""

import json
import sys
import time


def trafilatura(**settings):
    """Returns the text and metadata of `extract(html, url=url)`, which gives both in its JSON output."""
    from trafilatura import extract

    def run(html, url):
        found = extract(html, url=url, output_format="json", with_metadata=True, **settings)
        if found is None:
            return {}
        found = json.loads(found)
        # `extract` returns requested comments separately from the text.
        text = "\n".join(part for part in (found.get("text"), found.get("comments")) if part)
        return {"text": text, "title": found.get("title"), "author": found.get("author"), "date": found.get("date")}

    return run


def trafilatura_markdown():
    from trafilatura import extract

    return lambda html, url: {"markdown": extract(html, url=url, output_format="markdown", include_links=True, include_formatting=True)}


def htmldate(extensive_search=True):
    """Returns the date alone."""
    from htmldate import find_date

    return lambda html, url: {"date": find_date(html, url=url, original_date=True, extensive_search=extensive_search)}


def resiliparse():
    """Uses the settings of its author's comparison of extractors (chatnoir-eu/web-content-extraction-benchmark)."""
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree

    def run(html, _url):
        tree = HTMLTree.parse(html)
        text = extract_plain_text(
            tree,
            preserve_formatting=True,
            main_content=True,
            list_bullets=False,
            comments=False,
            links=False,
            alt_texts=False,
        )
        return {"text": text, "title": tree.title}

    return run


def readability_lxml():
    """Returns the text of the summary with one line per block, so that words are not joined."""
    from readability import Document
    from resiliparse.extract.html2text import extract_plain_text

    def run(html, url):
        document = Document(html, url=url)
        summary = document.summary(html_partial=True)
        text = extract_plain_text(summary, preserve_formatting=True, list_bullets=False, alt_texts=False)
        return {"text": text, "title": document.short_title()}

    return run


def newspaper4k():
    """Uses the default settings, without fetching anything."""
    from newspaper import Article

    def run(html, url):
        article = Article(url or "", fetch_images=False)
        article.download(input_html=html)
        article.parse()
        date = article.publish_date
        return {
            "text": article.text,
            "title": article.title,
            "author": ", ".join(article.authors),
            "date": date.isoformat() if hasattr(date, "isoformat") else date,
        }

    return run


SYSTEMS = {
    "trafilatura": lambda: trafilatura(),
    "trafilatura-no-comments": lambda: trafilatura(include_comments=False),
    "trafilatura-recall": lambda: trafilatura(favor_recall=True),
    "trafilatura-markdown": trafilatura_markdown,
    "htmldate": htmldate,
    "htmldate-fast": lambda: htmldate(extensive_search=False),
    "resiliparse": resiliparse,
    "readability-lxml": readability_lxml,
    "newspaper4k": newspaper4k,
}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in SYSTEMS:
        sys.exit("usage: peers.py " + "|".join(SYSTEMS))
    run = SYSTEMS[sys.argv[1]]()
    # Only answers go to standard output; anything a library prints goes to standard error.
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        page = json.loads(line)
        start = time.process_time()
        try:
            answer = run(page["html"], page["url"])
        except Exception as error:  # any failure counts as an empty text
            answer = {"error": f"{type(error).__name__}: {error}"[:200]}
        answer["cpu"] = time.process_time() - start
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


main()
