"""Figures of events, questions, FAQs, videos and episodes: ours beside extruct, against labels made by hand.

    cargo build --release -p maintext-core --example things
    python bench/things_kinds.py $MAINTEXT_DATA/train target/release/examples/things

`things_labels.jsonl` has a line per page: the data set and id, the type of the page's main thing (null if the page has none of the types in
`not_types`), and its values. The labels were made by reading the visible text of the pages, line by line, before any output of ours was
looked at, and without their JSON-LD. For an FAQ they hold each question and the first words of its answer; for a question the number of
answers on the page and whether one is accepted; null means that the page could not tell. No data set has a page of a single vacancy.

extruct reads JSON-LD, microdata and RDFa; of a type the first item counts, of a field the first value. It needs `pip install extruct==0.18.0`
and the `zstd` command. `--no-extruct` leaves it out, `-v` prints what differs.
"""
import argparse
import base64
import collections
import io
import json
import pathlib
import re
import subprocess

LABELS = pathlib.Path(__file__).with_name("things_labels.jsonl")
KINDS = {"VideoObject": {"VideoObject"}, "PodcastEpisode": {"PodcastEpisode", "RadioEpisode", "AudioObject"}, "Event": {"Event", "SportsEvent", "MusicEvent"}}


def key(text):
    text = re.sub(r"^\s*(\d+[.)]|//|Q[:.])\s*", "", str(text))
    return " ".join(re.findall(r"\w+", text.lower()))


def pages(folder, labels):
    """Yields the labelled pages with their label."""
    wanted = {(x["set"], x["id"]): x for x in labels}
    for name in sorted({x["set"] for x in labels}):
        process = subprocess.Popen(["zstd", "-dc", "--long=27", f"{folder}/{name}.jsonl.zst"], stdout=subprocess.PIPE)
        for line in io.TextIOWrapper(process.stdout, encoding="utf-8"):
            page = json.loads(line)
            label = wanted.get((name, str(page["id"])))
            if label:
                html = page.get("html") or base64.b64decode(page["html_base64"]).decode("utf-8", "replace")
                yield label, {"id": f"{name}/{page['id']}", "url": page.get("url"), "html": html}


def listed(value):
    return value if isinstance(value, list) else [] if value is None else [value]


def first(value, *path):
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
        "place": first(thing.get("place"), "name"), "address": first(thing.get("place"), "address", "street"),
        "author": thing.get("author") if isinstance(thing.get("author"), str) else None, "date": thing.get("date"),
        "duration": thing.get("duration"), "embed": thing.get("embed"), "media": thing.get("media"), "transcript": thing.get("transcript"),
        "answers": len(answers) if answers else thing.get("answer_count"),
        "accepted": bool(thing.get("accepted_answer")),
        "questions": [(q.get("name"), first(q.get("accepted_answer"), "text")) for q in listed(thing.get("questions"))],
    }


def items(value):
    """All items of extruct's output in order, the outer ones first."""
    stack, out = [value], []
    while stack:
        value = stack.pop(0)
        if isinstance(value, list):
            stack = value + stack
        elif isinstance(value, dict):
            if "@type" in value:
                out.append(value)
            stack = [v for v in value.values() if isinstance(v, (dict, list))] + stack
    return out


def from_extruct(data, kind):
    kinds = KINDS.get(kind, {kind})
    thing = next((i for i in items(data) if kinds & {str(k).rsplit("/", 1)[-1] for k in listed(i["@type"])}), None)
    if not thing:
        return None
    answers = [a for p in ("acceptedAnswer", "suggestedAnswer") for a in listed(thing.get(p)) if isinstance(a, dict)]
    address = thing.get("location")
    return {
        "name": first(thing, "name") or first(thing, "headline"), "start": first(thing, "startDate"), "end": first(thing, "endDate"),
        "place": first(address, "name") or first(address), "address": first(address, "address", "streetAddress") or first(address, "address"),
        "author": first(thing, "author"), "date": first(thing, "uploadDate") or first(thing, "datePublished") or first(thing, "dateCreated"),
        "duration": first(thing, "duration"), "embed": first(thing, "embedUrl"), "media": first(thing, "contentUrl"),
        "transcript": first(thing, "transcript"),
        "answers": len(answers) if answers else int(first(thing, "answerCount") or 0) if str(first(thing, "answerCount") or 0).isdigit() else None,
        "accepted": bool(thing.get("acceptedAnswer")),
        "questions": [(first(q, "name"), first(q, "acceptedAnswer", "text")) for q in listed(thing.get("mainEntity")) if isinstance(q, dict)],
    }


def seconds(text):
    m = re.fullmatch(r"P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?", str(text))
    return sum(int(v or 0) * u for v, u in zip(m.groups(), (86400, 3600, 60, 1))) if m else None


def is_right(field, found, label):
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
    import datetime

    try:
        return datetime.date.fromisoformat(str(text)[:10]).toordinal()
    except ValueError:
        return -10


def judge(found, label, score, name, verbose):
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
            if verbose and (got is None or not got.startswith(key(answer)[:20])):
                print(f"  {name} {label['set']}/{label['id'][:20]}: {question[:60]!r} {answer!r} != {str(got)[:40]!r}")
        extra = len(set(pairs) - {key(q) for q, _ in label["questions"]})
        score[kind, "questions"]["wrong"] += extra
        if verbose and extra:
            print(f"  {name} {label['set']}/{label['id'][:20]}: {extra} more questions, {list(set(pairs) - {key(q) for q, _ in label['questions']})[:2]}")
        return
    for field, value in label.items():
        if field in ("set", "id", "type") or value is None:
            continue
        got = (found or {}).get(field)
        state = "missing" if got in (None, "") else "right" if is_right(field, got, value) else "wrong"
        score[kind, field][state] += 1
        if verbose and state != "right":
            print(f"  {name} {label['set']}/{label['id'][:20]}: {kind}.{field} {value!r} != {str(got)[:60]!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", help="the folder with the data sets")
    parser.add_argument("things", help="the built example `things`")
    parser.add_argument("--no-extruct", action="store_true")
    parser.add_argument("-v", action="store_true", dest="verbose")
    args = parser.parse_args()
    labels = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    found = list(pages(args.data, labels))
    lines = "".join(json.dumps(page) + "\n" for _, page in found)
    run = subprocess.run([args.things], input=lines.encode(), capture_output=True, check=True)
    ours = [json.loads(line)["things"] for line in run.stdout.splitlines()]
    systems = {"maintext": lambda i, page, kind: from_ours(ours[i], kind)}
    if not args.no_extruct:
        import extruct

        read = {}

        def peer(i, page, kind):
            if i not in read:
                try:
                    read[i] = extruct.extract(page["html"], page["url"] or "", syntaxes=["json-ld", "microdata", "rdfa"], uniform=True, errors="ignore")
                except Exception:  # extruct fails on some pages
                    read[i] = {}
            return from_extruct(read[i], kind)

        systems["extruct"] = peer
    table = {}
    for name, system in systems.items():
        score, wrong = collections.defaultdict(collections.Counter), 0
        for i, (label, page) in enumerate(found):
            judge(system(i, page, label["type"]), label, score, name, args.verbose)
            for kind in label.get("not_types", []):
                value = system(i, page, kind)
                # A group without questions and an event elsewhere are no claim about this page.
                if value and (kind != "FAQPage" or len(value["questions"]) > 1):
                    wrong += 1
                    if args.verbose:
                        print(f"  {name} {label['set']}/{label['id'][:20]}: is no {kind}")
        table[name] = score, wrong
    keys = list(dict.fromkeys(k for score, _ in table.values() for k in score))
    print(f"{'type':15} {'field':12} {'labels':>6}", *(f"{n:>22}" for n in table))
    for k in sorted(keys, key=lambda k: k[0]):
        total = max(c[k]["right"] + c[k]["missing"] + (c[k]["wrong"] if k != ("FAQPage", "questions") else 0) for c, _ in table.values())
        cells = (f"{c[k]['right']:>4} right {c[k]['wrong']:>3} wrong" for c, _ in table.values())
        print(f"{k[0]:15} {k[1]:12} {total:>6}", *(f"{cell:>22}" for cell in cells))
    claims = sum(len(x.get("not_types", [])) for x in labels)
    print(f"things that the page is not ({claims} claims):", ", ".join(f"{n} {w}" for n, (_, w) in table.items()))


if __name__ == "__main__":
    main()
