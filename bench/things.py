"""Scores the fields of products against the labels of zyte-product, beside extruct.

    cargo xtask train things --data DATA --predictions OURS.jsonl
    python3 bench/things.py DATA/train/zyte-product.jsonl.zst maintext=OURS.jsonl [NAME=OTHER.jsonl ...] [--pages FIELD]

OURS holds `{"id", "things"}` by line: the things that rankers choose which have not seen the page's site (shops under several domains are
one site). OTHER is any file of that form, such as the output of the example `things` of maintext-core.

extruct (`pip install extruct==0.18.0`) reads JSON-LD, microdata, RDFa and Open Graph. Its value of a field is the first one of the first
product in that order of syntaxes, as a careful user of it would write.

A page is *right* in a field if the system's value is one of the labelled values, *missing* if it states none, *wrong* if it states another
one. Pages without a label for a field do not count there, since annotators noted only what they saw on the page; the column *unlabelled*
counts the values stated on such pages. For prices, which annotators always noted, these are inventions and count as wrong too, in the
column *wrong+*. Values are compared as follows:

- price: as decimal numbers. Some labels read a printed point before three digits as decimal: $3.340 in Chile became 3.34. If the page prints
  the label's number with three decimals, or the label has three itself, the number with thousands is right too.
- currency: labels are printed signs. A code is right if the sign can stand for it (`$`: USD, CAD, ARS, ...), a sign if it is the same.
- availability: sold out or not. OutOfStock, SoldOut and Discontinued are sold out; InStock, LimitedAvailability, PreOrder and all others are
  not.
- brand, sku, mpn: letters and digits without case. gtin: digits without leading zeros.
- `sku or mpn`: right if the sku or the mpn is right, wrong if one is stated and none is right.
"""
import json
import re
import subprocess
import sys

FIELDS = ["price", "currency", "availability", "brand", "sku", "mpn", "gtin"]
SIGNS = {
    "$": "USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP UYU BRL", "€": "EUR", "£": "GBP", "zł": "PLN", "₽": "RUB", "원~": "KRW", "kn": "HRK",
    "lei": "RON", "rs": "INR PKR LKR NPR MUR", "ر.س": "SAR", "r$": "BRL", "¥": "JPY CNY",
}


def pages(path):
    text = subprocess.run(["zstdcat", path], capture_output=True, check=True).stdout if path.endswith(".zst") else open(path, "rb").read()
    return [json.loads(line) for line in text.splitlines()]


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


def objects(node, kind):
    """Yields the objects of a type in a tree, in document order, without recursion."""
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(reversed(node))
        elif isinstance(node, dict):
            own = node.get("@type") or node.get("type") or []
            own = own if isinstance(own, list) else [own]
            if any(re.split(r"[/#:]", str(t))[-1] == kind for t in own):
                yield node
            stack.extend(reversed([v for k, v in node.items() if isinstance(v, (dict, list))]))


def flat(node):
    """Returns an RDFa object of extruct with names instead of addresses."""
    return {re.split(r"[/#:]", k)[-1]: v for k, v in node.items()}


def extruct_values(page):
    import extruct

    try:
        data = extruct.extract(
            page["html"], base_url=page.get("url"), syntaxes=["json-ld", "microdata", "rdfa", "opengraph"], uniform=True, errors="ignore"
        )
    except Exception:  # a peer that fails states nothing
        data = {}
    out = {}

    def offer(product):
        offers = product.get("offers")
        while isinstance(offers, list):
            offers = offers[0] if offers else None
        return offers if isinstance(offers, dict) else {}

    for syntax in ("json-ld", "microdata", "rdfa"):
        for product in list(objects(data.get(syntax, []), "Product"))[:1]:
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


def main():
    args = sys.argv[1:]
    show = args.index("--pages") if "--pages" in args else None
    shown = args[show + 1] if show is not None else None
    if show is not None:
        del args[show : show + 2]
    path, *files = args
    truth = pages(path)
    systems = {"extruct": {p["id"]: extruct_values(p) for p in truth}}
    for spec in files:
        name, file = spec.split("=", 1)
        systems[name] = {p["id"]: our_values(p["things"]) for p in pages(file)}
    print("| field | labelled | system | right | share | wrong | missing | unlabelled | wrong+ |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for field in FIELDS[:4] + ["sku or mpn"] + FIELDS[4:]:
        for name, values in systems.items():
            verdicts = [verdict(field, p["extra"], values.get(p["id"], {}), p["html"]) for p in truth]
            count = {v: verdicts.count(v) for v in ("right", "wrong", "missing", "unlabelled")}
            total = count["right"] + count["wrong"] + count["missing"]
            plus = count["wrong"] + (count["unlabelled"] if field == "price" else 0)
            print(
                f"| {field} | {total} | {name} | {count['right']} | {count['right'] / max(total, 1):.3f} | {count['wrong']} "
                f"| {count['missing']} | {count['unlabelled']} | {plus} |"
            )
    if shown:
        for n, p in enumerate(truth):
            for name, values in systems.items():
                v = verdict(shown, p["extra"], values.get(p["id"], {}), p["html"])
                if v not in ("right", "silent"):
                    print(n, p["site"], name, v, p["extra"].get(shown), values.get(p["id"], {}).get(shown), sep="\t")


if __name__ == "__main__":
    main()
