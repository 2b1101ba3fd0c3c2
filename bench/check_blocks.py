"""Checks typed blocks against docs/blocks.schema.json with an independent validator.

    python check_blocks.py BLOCKS.json...      files that `maintext extract -f blocks` wrote, or the expectations in testdata/structure/blocks

Needs jsonschema (pip install jsonschema).
"""
import json
import sys
from pathlib import Path

import jsonschema

schema = json.loads((Path(__file__).parent.parent / "docs/blocks.schema.json").read_text(encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
failed = 0
for name in sys.argv[1:]:
    blocks = json.loads(Path(name).read_text(encoding="utf-8"))
    error = jsonschema.exceptions.best_match(validator.iter_errors(blocks))
    failed += error is not None
    print(f"{name}: {error.message if error else f'{len(blocks)} blocks'}")
sys.exit(failed > 0)
