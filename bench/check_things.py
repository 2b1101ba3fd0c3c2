"""Checks the things of real pages against docs/things.schema.json: `maintext batch pages -o - --fields id,things | python bench/check_things.py`.

Needs `pip install jsonschema`.
"""
import collections
import json
import pathlib
import sys

import jsonschema

SCHEMA = json.loads((pathlib.Path(__file__).parent.parent / "docs/things.schema.json").read_text())
CHECKS = {
    kind: jsonschema.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]})
    for kind in (item["$ref"].rsplit("/", 1)[1] for item in SCHEMA["items"]["anyOf"])
}


def main() -> int:
    kinds, wrong = collections.Counter(), 0
    for line in sys.stdin:
        page = json.loads(line)
        for thing in page["things"]:
            kinds[thing["type"]] += 1
            check = CHECKS.get(thing["type"])
            errors = list(check.iter_errors(thing)) if check else [f"unknown type {thing['type']}"]
            unsourced = set(thing) - {"type", "sources"} ^ set(thing["sources"])
            errors += [f"fields and sources differ: {unsourced}"] if unsourced else []
            wrong += bool(errors)
            for error in errors[:3]:
                where = "/".join(map(str, getattr(error, "absolute_path", [])))
                print(page["id"], thing["type"], where, getattr(error, "message", error)[:200])
    print(f"{sum(kinds.values())} things, {wrong} wrong:", ", ".join(f"{k} {n}" for k, n in kinds.most_common()))
    return wrong > 0


sys.exit(main())
