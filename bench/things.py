"""Scores things against labels, and compares it with extruct.

    cargo xtask train things --data DATA --predictions OURS.jsonl
    python bench/things.py products DATA OURS.jsonl
    cargo build --release -p maintext-core --example things
    python bench/things.py kinds DATA target/release/examples/things

`products` scores the fields of products on zyte-product. OURS holds `{"id", "things"}` by line, chosen by rankers that have not seen the page's site.
A page is *right* in a field if the system's value is one of the labelled values, *missing* if it states none, *wrong* if it states another one. Only
pages with a label count, since annotators noted what they saw; but a price is always noted, so one without a label is an invention and wrong.

- price: as decimal numbers. Some labels read a printed point before three digits as decimal: $3.340 in Chile became 3.34. If the page prints
  the label's number with three decimals, or the label has three itself, the number with thousands is right too.
- currency: labels are printed signs. A code is right if the sign can stand for it, a sign if it is the same.
- availability: sold out or not. brand, sku, mpn: letters and digits without case. gtin: digits without leading zeros.
- `sku or mpn`: right if one of them is right, wrong if one is stated and none is right.

`kinds` scores events, questions, FAQs, videos and episodes on the pages of bench/labels/things.jsonl.zst. A row has the type of the page's main
thing (null if the page has none of the types in `not_types`) and its values, read from the visible text before any output was looked at. An FAQ has
each question and the first words of its answer.

extruct (0.18.0) reads JSON-LD, microdata, RDFa and, for products, Open Graph. Of a type its first item counts, of a field the first value.
"""
import argparse
import collections
import datetime
import json
import re
import subprocess
from pathlib import Path

import shared

FIELDS = ["price", "currency", "availability", "brand", "sku", "mpn", "gtin"]
SIGNS = {
    "$": "USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU BRL", "€": "EUR", "£": "GBP", "zł": "PLN", "₽": "RUB", "원~": "KRW", "kn": "HRK",
    "lei": "RON", "rs": "INR PKR LKR NPR MUR", "ر.س": "SAR", "r$": "BRL", "¥": "JPY CNY",
}
KINDS = {"VideoObject": {"VideoObject"}, "PodcastEpisode": {"PodcastEpisode", "RadioEpisode", "AudioObject"}, "Event": {"Event", "SportsEvent", "MusicEvent"}}


def extracted(page, *syntaxes):
    import extruct

    try:
        return extruct.extract(page["html"], base_url=page.get("url") or "", syntaxes=list(syntaxes), uniform=True, errors="ignore")
    except Exception:  # a peer that fails states nothing
        return {}


def code(text):
    return "".join(c for c in str(text).casefold() if c.isalnum())


def number(text):
    try:
        return float(str(text).replace("\u00a0", "").strip())
    except ValueError:
        return None


def loose_number(text):
    """Reads a declared price such as `1,299.00 USD`."""
    plain = number(text)
    if plain is not None:
        return plain
    found = re.search(r"\d[\d.,\s]*", str(text))
    if not found:
        return None
    digits = re.sub(r"\s", "", found.group()).rstrip(".,")
    if re.search(r",\d{1,2}$", digits):
        digits = digits.replace(".", "").replace(",", ".")
    else:
        digits = digits.replace(",", "")
    return number(digits)


def is_right(field, labels, value, html=""):
    return any(agrees(field, label, value, html) for label in labels)


def agrees(field, label, value, html):
    if field == "price":
        a, b = number(label), loose_number(value)
        if a is None or b is None:
            return False
        printed = r"(?<![\d.,])" + re.escape(f"{a:.3f}") + r"(?![\d.,]*\d)"
        thousands = re.search(r"\.\d{3}$", str(label).strip()) or re.search(printed, html)
        return abs(a - b) < 0.005 or abs(a * 1000 - b) < 0.005 and bool(thousands)
    if field == "currency":
        label, value = label.strip().casefold(), str(value).strip().casefold()
        return label == value or value.upper() in SIGNS.get(label, "").split()
    if field == "availability":
        sold = [code(re.split(r"[/#]", str(v).rstrip("/"))[-1]) in ("outofstock", "soldout", "discontinued") for v in (label, value)]
        return sold[0] == sold[1]
    if field == "gtin":
        return code(label).lstrip("0") == code(value).lstrip("0")
    return code(label) == code(value) != ""


def first(value):
    """Returns the first text of a value of extruct: of a list its first element, of an object its name."""
    if isinstance(value, list):
        return next((v for v in map(first, value) if v), None)
    if isinstance(value, dict):
        return first(value.get("name") or value.get("@value") or value.get("@id"))
    return None if value is None or value == "" else str(value)


def objects(node, kinds):
    """Yields the objects of some types in a tree, in document order, without recursion."""
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(reversed(node))
        elif isinstance(node, dict):
            own = node.get("@type") or node.get("type") or []
            own = own if isinstance(own, list) else [own]
            if any(re.split(r"[/#:]", str(t))[-1] in kinds for t in own):
                yield node
            stack.extend(reversed([v for k, v in node.items() if isinstance(v, (dict, list))]))


def flat(node):
    """Returns an RDFa object of extruct with names instead of addresses."""
    return {re.split(r"[/#:]", k)[-1]: v for k, v in node.items()}


def extruct_values(page):
    data, out = extracted(page, "json-ld", "microdata", "rdfa", "opengraph"), {}

    def offer(product):
        offers = product.get("offers")
        while isinstance(offers, list):
            offers = offers[0] if offers else None
        return offers if isinstance(offers, dict) else {}

    for syntax in ("json-ld", "microdata", "rdfa"):
        for product in list(objects(data.get(syntax, []), {"Product"}))[:1]:
            product = flat(product) if syntax == "rdfa" else product
            o = offer(product)
            inner = o.get("priceSpecification")
            inner = inner[0] if isinstance(inner, list) and inner else inner
            inner = inner if isinstance(inner, dict) else {}
            found = {
                "price": first(o.get("price")) or first(o.get("lowPrice")) or first(inner.get("price")),
                "currency": first(o.get("priceCurrency")) or first(inner.get("priceCurrency")),
                "availability": first(o.get("availability")),
                "brand": first(product.get("brand")),
                "sku": first(product.get("sku")) or first(o.get("sku")),
                "mpn": first(product.get("mpn")),
                "gtin": next(filter(None, (first(product.get(k)) for k in ("gtin13", "gtin", "gtin12", "gtin14", "gtin8", "isbn"))), None),
            }
            for field, value in found.items():
                if value:
                    out.setdefault(field, value)
    metas = {
        "price": ("product:price:amount", "og:price:amount"),
        "currency": ("product:price:currency", "og:price:currency"),
        "availability": ("product:availability", "og:availability"),
        "brand": ("product:brand", "og:brand"),
        "sku": ("product:retailer_item_id",),
    }
    for graph in data.get("opengraph", [])[:1]:
        for field, names in metas.items():
            value = next(filter(None, (first(graph.get(n)) for n in names)), None)
            if value:
                out.setdefault(field, value)
    return out


def our_values(things):
    product = next((t for t in things if t["type"] == "Product"), None)
    if not product:
        return {}
    offers = product.get("offers") or [{}]
    out = {k: offers[0].get(k) for k in ("price", "currency", "availability")}
    out.update({k: product.get(k) for k in ("brand", "sku", "mpn", "gtin")})
    return {k: v for k, v in out.items() if v}


def verdict(field, labels, values, html):
    """Returns `right`, `wrong`, `missing`, `unlabelled` or `silent` for one page."""
    if field == "sku or mpn":
        both = [verdict(f, labels, values, html) for f in ("sku", "mpn")]
        if not labels.get("sku") and not labels.get("mpn"):
            return "unlabelled" if values.get("sku") or values.get("mpn") else "silent"
        if "right" in both:
            return "right"
        return "wrong" if "wrong" in both else "missing"
    own = labels.get(field)
    value = values.get(field)
    if not own:
        return "unlabelled" if value else "silent"
    if not value:
        return "missing"
    return "right" if is_right(field, own, value, html) else "wrong"


def products(data, ours):
    truth = list(shared.rows(data / "train/zyte-product.jsonl.zst"))
    systems = {"extruct": {p["id"]: extruct_values(p) for p in truth}}
    systems["maintext"] = {p["id"]: our_values(p["things"]) for p in shared.rows(Path(ours))}
    print("| field | labelled | system | right | share | wrong | missing |\n| --- | ---: | --- | ---: | ---: | ---: | ---: |")
    for field in FIELDS[:4] + ["sku or mpn"] + FIELDS[4:]:
        for name, values in systems.items():
            verdicts = [verdict(field, p["extra"], values.get(p["id"], {}), p["html"]) for p in truth]
            right, wrong, missing = (verdicts.count(v) for v in ("right", "wrong", "missing"))
            total = right + wrong + missing
            wrong += verdicts.count("unlabelled") if field == "price" else 0
            print(f"| {field} | {total} | {name} | {right} | {right / max(total, 1):.3f} | {wrong} | {missing} |")


def key(text):
    text = re.sub(r"^\s*(\d+[.)]|//|Q[:.])\s*", "", str(text))
    return " ".join(re.findall(r"\w+", text.lower()))


def labelled(data, labels):
    """Yields the labelled pages with their label."""
    wanted = {(x["set"], x["id"]): x for x in labels}
    for name in sorted({x["set"] for x in labels}):
        for page in shared.rows(data / "train" / f"{name}.jsonl.zst"):
            if label := wanted.get((name, str(page["id"]))):
                yield label, {"id": f"{name}/{page['id']}", "url": page.get("url"), "html": shared.html_of(page)}


def listed(value):
    return value if isinstance(value, list) else [] if value is None else [value]


def first_at(value, *path):
    """The first text at a path of keys."""
    for name in path:
        value = next((v for v in listed(value) if v not in (None, "")), None)
        value = value.get(name) if isinstance(value, dict) else None
    value = next((v for v in listed(value) if v not in (None, "")), None)
    if isinstance(value, dict):
        value = value.get("name") or value.get("@value") or value.get("text")
    return value if isinstance(value, (str, int, float)) else None


def from_ours(things, kind):
    thing = next((t for t in things if t["type"] == kind), None)
    if not thing:
        return None
    answers = listed(thing.get("answers")) + listed(thing.get("accepted_answer"))
    return {
        "name": thing.get("name"), "start": thing.get("start"), "end": thing.get("end"),
        "place": first_at(thing.get("place"), "name"), "address": first_at(thing.get("place"), "address", "street"),
        "author": thing.get("author") if isinstance(thing.get("author"), str) else None, "date": thing.get("date"),
        "duration": thing.get("duration"), "embed": thing.get("embed"), "media": thing.get("media"), "transcript": thing.get("transcript"),
        "answers": len(answers) if answers else thing.get("answer_count"),
        "accepted": bool(thing.get("accepted_answer")),
        "questions": [(q.get("name"), first_at(q.get("accepted_answer"), "text")) for q in listed(thing.get("questions"))],
    }


def from_extruct(data, kind):
    thing = next(objects(data, KINDS.get(kind, {kind})), None)
    if not thing:
        return None
    answers = [a for p in ("acceptedAnswer", "suggestedAnswer") for a in listed(thing.get(p)) if isinstance(a, dict)]
    address = thing.get("location")
    return {
        "name": first_at(thing, "name") or first_at(thing, "headline"), "start": first_at(thing, "startDate"), "end": first_at(thing, "endDate"),
        "place": first_at(address, "name") or first_at(address), "address": first_at(address, "address", "streetAddress") or first_at(address, "address"),
        "author": first_at(thing, "author"), "date": first_at(thing, "uploadDate") or first_at(thing, "datePublished") or first_at(thing, "dateCreated"),
        "duration": first_at(thing, "duration"), "embed": first_at(thing, "embedUrl"), "media": first_at(thing, "contentUrl"),
        "transcript": first_at(thing, "transcript"),
        "answers": len(answers) if answers else int(first_at(thing, "answerCount") or 0) if str(first_at(thing, "answerCount") or 0).isdigit() else None,
        "accepted": bool(thing.get("acceptedAnswer")),
        "questions": [(first_at(q, "name"), first_at(q, "acceptedAnswer", "text")) for q in listed(thing.get("mainEntity")) if isinstance(q, dict)],
    }


def seconds(text):
    m = re.fullmatch(r"P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?", str(text))
    return sum(int(v or 0) * u for v, u in zip(m.groups(), (86400, 3600, 60, 1))) if m else None


def is_same(field, found, label):
    if field in ("start", "end", "date"):
        # The labels hold local dates, the declarations often UTC.
        return str(found)[: len(label)].replace(" ", "T") == label or len(label) == 10 and abs(day(found) - day(label)) <= 1 and str(found).endswith(("Z", "00"))
    if field == "duration":
        return seconds(found) == seconds(label)
    if field in ("embed", "media"):
        return label in str(found)
    if field == "transcript":
        return key(found).startswith(key(label))
    if field in ("answers", "accepted"):
        return found == label
    return bool(key(found)) and (key(label) in key(found) or key(found) in key(label))


def day(text):
    try:
        return datetime.date.fromisoformat(str(text)[:10]).toordinal()
    except ValueError:
        return -10


def judge(found, label, score):
    """Counts right, wrong and missing values."""
    if label["type"] is None:
        return
    kind = label["type"]
    score[kind, "(found)"]["right" if found else "missing"] += 1
    if kind == "FAQPage":
        pairs = {key(q): key(re.sub(r"<[^>]+>", " ", str(a))) for q, a in (found or {}).get("questions", []) if q}
        for question, answer in label["questions"]:
            got = pairs.get(key(question))
            score[kind, "questions"]["missing" if got is None else "right"] += 1
            score[kind, "answers"]["missing" if got is None else "right" if got.startswith(key(answer)[:20]) else "wrong"] += 1
        score[kind, "questions"]["wrong"] += len(set(pairs) - {key(q) for q, _ in label["questions"]})
        return
    for field, value in label.items():
        if field in ("set", "id", "type") or value is None:
            continue
        got = (found or {}).get(field)
        state = "missing" if got in (None, "") else "right" if is_same(field, got, value) else "wrong"
        score[kind, field][state] += 1


def kinds(data, things):
    labels = shared.labels("things")
    found = list(labelled(data, labels))
    lines = "".join(json.dumps(page) + "\n" for _, page in found)
    run = subprocess.run([things], input=lines.encode(), capture_output=True, check=True)
    ours = [json.loads(line)["things"] for line in run.stdout.splitlines()]
    theirs = [extracted(page, "json-ld", "microdata", "rdfa") for _, page in found]
    table = {}
    for name, read, answers in (("maintext", from_ours, ours), ("extruct", from_extruct, theirs)):
        score, wrong = collections.defaultdict(collections.Counter), 0
        for (label, _), answer in zip(found, answers, strict=True):
            judge(read(answer, label["type"]), label, score)
            for kind in label.get("not_types", []):
                value = read(answer, kind)
                # A group without questions, or an event elsewhere, claims nothing about this page.
                if value and (kind != "FAQPage" or len(value["questions"]) > 1):
                    wrong += 1
        table[name] = score, wrong
    keys = list(dict.fromkeys(k for score, _ in table.values() for k in score))
    print(f"{'type':15} {'field':12} {'labels':>6}", *(f"{n:>22}" for n in table))
    for k in sorted(keys, key=lambda k: k[0]):
        total = max(c[k]["right"] + c[k]["missing"] + (c[k]["wrong"] if k != ("FAQPage", "questions") else 0) for c, _ in table.values())
        cells = (f"{c[k]['right']:>4} right {c[k]['wrong']:>3} wrong" for c, _ in table.values())
        print(f"{k[0]:15} {k[1]:12} {total:>6}", *(f"{cell:>22}" for cell in cells))
    claims = sum(len(x.get("not_types", [])) for x in labels)
    print(f"things that the page is not ({claims} claims):", ", ".join(f"{n} {w}" for n, (_, w) in table.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["products", "kinds"])
    parser.add_argument("data", type=Path)
    parser.add_argument("ours", help="the predictions for `products`, the program for `kinds`")
    args = parser.parse_args()
    (products if args.command == "products" else kinds)(args.data, args.ours)


if __name__ == "__main__":
    main()
