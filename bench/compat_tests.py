"""Runs the own tests of trafilatura, readability-lxml, newspaper4k, goose3 and htmldate against maintext's replacements for them.

    python3 bench/compat_tests.py --wheel target/python-wheels/*.whl

The source distributions come from the package index, and so do the packages that the tests need; all of them are kept in --folder. The name
of the original is bound to the replacement, including its modules, before a test file is loaded. A name that the replacement lacks fails
when a test uses it, or, with --internals, comes from the original, so that tests which mix public calls with internals run.

A test counts once; if it has parameters, all its cases must pass. PRIVATE lists the tests that concern internals of the original, with the
reason; all others concern behaviour that a caller can notice.
"""

from __future__ import annotations

import argparse
import fnmatch
import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from xml.etree import ElementTree

#: Packages that the tests import, in versions of the time of these figures.
REQUIREMENTS = ["pytest==9.2.0", "pytest-timeout", "lxml==6.1.3", "lxml_html_clean==0.4.6", "courlan==1.4.0"]
REQUIREMENTS += ["htmldate==1.11.0", "jusText==3.0.2", "urllib3==2.8.0", "charset-normalizer==3.5.2", "certifi", "chardet"]
REQUIREMENTS += ["pytest-mock==3.15.1", "python-dateutil==2.9.0.post0", "requests==2.34.2", "requests-mock==1.12.1"]

SETS = {
    "trafilatura 2.0.0": ("trafilatura", "2.0.0"),
    "trafilatura 2.3.1": ("trafilatura", "2.3.1"),
    "readability-lxml 0.8.4.1": ("readability-lxml", "0.8.4.1"),
    "newspaper4k 0.9.6": ("newspaper4k", "0.9.6"),
    "goose3 3.1.22": ("goose3", "3.1.22"),
    "htmldate 1.11.0": ("htmldate", "1.11.0"),
}
#: The names of the modules, where they are not those of the packages.
MODULES = {"readability-lxml": "readability", "newspaper4k": "newspaper"}

_STEPS = "calls steps of its extraction (main_extractor, htmlprocessing, xpaths)"
_OTHERS = "calls the other extractors that it falls back to (external, readability_lxml)"
_WRITERS = "calls its writers of TEI, YAML and links one by one (xml, core)"
_METADATA = "calls steps of its search for metadata (metadata, json_metadata)"
_FINDERS = "calls steps of its extraction (extractors, cleaners, outputformatters, parsers)"
_DATA = "reads pages that the source distribution lacks"
_SITES = "concerns sites, feeds, duplicates or the command, which are not replaced"
_REQUESTS = "calls its HTTP requests through urllib3 or pycurl (downloads)"

#: Tests that do not count, as (set, "file::test", reason); both may hold wildcards. Most of them call names that trafilatura does not
#: document: steps of its extraction, its XPath expressions, its readers of JSON-LD, its repairs of TEI, its HTTP requests.
PRIVATE: list[tuple[str, str, str]] = [
    *(("trafilatura*", f"unit_tests::test_{test}", _STEPS) for test in (
        "aria_layout_table_reclassified", "body_xpath_fulltext_class", "colspan_zero_trust", "convert_tags_links_off_keeps_contained_links",
        "delete_by_link_density_backtracking", "exotic_tags", "handle_lists", "handle_table", "html_conversion", "htmlprocessing", "images",
        "input", "link_density_*", "links", "list_processing", "math_recovery", "nested_block_tail_kept",
        "no_duplicate_content_list_item", "overall_discard_*", "precision_discard_*", "prune_boilerplate_table_after_nested",
        "prune_keep_teasers", "prune_strips_span_and_ref",
        "prune_unwanted_nodes_guard", "recover_wild_text_*", "srcless_graphic_dropped_text_kept", "subelement_tails_unit",
        "table_processing", "tree_cleaning_recall_keeps_paragraphs", "wrapper_form_kept", "xpath_alt_rejects_empty_group",
        "basic_cleaning_cookie_banner_scope", "cell_context_follows_real_ancestry", "settings_element_lists", "formatting", "reset_caches",
    )),
    *(("trafilatura*", f"unit_tests::test_{test}", _OTHERS) for test in (
        "compare_extraction_*", "external", "extraction_options", "is_probably_readerable", "prefer_readability_rejects_raw_json",
        "readability_*", "sanitize_tree_*", "recall_escalation*", "escalation_retry_no_comment_capture",
    )),
    *(("trafilatura*", f"unit_tests::test_{test}", _WRITERS) for test in (
        "check_tei_loose_text", "heading_level_zero_trust", "markdown_link_angle_bracket_targets", "markdown_metadata_yaml_safe", "tei",
    )),
    ("trafilatura*", "xml_tei_tests::*", "calls the repairs of its TEI output one by one (xml)"),
    ("trafilatura*", "json_metadata_tests::test_extract_json_*", "calls its reader of JSON-LD (json_metadata)"),
    ("trafilatura*", "json_metadata_tests::test_json_metadata_robustness", "calls its reader of JSON-LD (json_metadata)"),
    ("trafilatura*", "json_metadata_tests::test_normalize_*", "calls its reader of JSON-LD (json_metadata)"),
    *(("trafilatura*", f"metadata_tests::test_{test}", _METADATA) for test in (
        "authors", "extract_json_*", "extract_meta_json_control_char", "extract_title_fallbacks", "json_minify", "meta",
        "process_parent_keeps_good_sitename",
    )),
    ("trafilatura*", "baseline_tests::test_baseline_dedup_keeps_cross_boundary_paragraph", "calls baseline._build_body"),
    ("trafilatura*", "baseline_tests::test_build_body_dedupe_cap", "calls baseline._build_body"),
    *(("trafilatura*", f"{file}_tests::*", _SITES) for file in ("cli", "deduplication", "feeds", "sitemaps", "spider")),
    *(("trafilatura*", f"downloads_tests::test_{test}", _REQUESTS) for test in (
        "fetch", "is_live_page", "no_ssl_pool", "parse_curl_headers", "proxy_plumbing", "response_object", "ssrf_protection",
        "urllib3_live_page_retries", "urllib_request_*",
    )),
    ("trafilatura 2.0.0", "downloads_tests::test_config", "calls downloads._parse_config"),
    ("trafilatura*", "downloads_tests::test_queue", _SITES),
    ("trafilatura 2.3.1", "unit_tests::test_deprecations", "calls core._check_deprecation"),
    *(("newspaper4k*", f"test_{test}", _FINDERS) for test in (
        "*_extractor::*", "cleaners::*", "languages::test_metadata_extractor_kurdish_language_detection",
        "parsing::test_calculate_best_node_*", "parsing::test_canonical_url_extraction",
        "parsing::test_meta_image_extraction", "parsing::test_title_extraction",
    )),
    ("newspaper4k*", "test_article::test_meta_refresh", "needs the network"),
    *(("newspaper4k*", f"test_{file}::*", _SITES) for file in ("cli", "google_news", "mthreading", "network_hooks", "source*")),
    ("newspaper4k*", "test_pyinstaller_hook::*", "checks its files for PyInstaller"),
    *(("goose3*", f"test_{file}::*", _DATA) for file in (
        "authors", "content", "links", "metas", "opengraph", "publishdate", "reportagenewsarticle", "schema", "tags", "title", "tweets",
        "videos",
    )),
    *(("goose3*", f"test_images::test_{test}", _DATA) for test in (
        "base64_image", "basic_image", "known_image_*", "opengraph_tag", "reportagenewsarticle",
    )),
    ("goose3*", "test_images::test_*", "calls its measuring of images (utils.images)"),
    ("goose3*", "test_parsers::*", "calls its parser (parsers)"),
    *(("htmldate*", f"unit_tests::test_{test}", "calls steps of its search (core, extractors)") for test in (
        "candidate_selection", "compare_reference", "copyright_redos", "date_candidates_match_xpath", "examine_text", "external_date_parser",
        "external_parser_gate", "idiosyncrasies", "month_names_match_dateparser", "regex_parse", "sanity", "search_html",
        "search_normalized", "search_pattern", "url",
    )),
    *(("htmldate*", f"unit_tests::test_{test}", _SITES) for test in ("cli", "parser")),
    ("htmldate*", "unit_tests::test_input", "needs the network"),
    ("htmldate*", "unit_tests::test_download", "needs the network"),
    *(("htmldate*", f"unit_tests::test_{test}", "replaces parts of its modules (utils)") for test in (
        "decode_file", "encoding_detection", "fetch_url_errors",
    )),
    ("goose3*", "test_text::test_*_old", "calls names that it will remove"),
]

#: Pages for the tests of readability-lxml, whose source distribution lacks them: of our own writing, with what the tests look for.
SAMPLES = {
    "si-game.sample.html": ("<div class='game' id='preview'>", ""),
    "too-many-images.sample.html": ("<div class='post-body entry-content'>", "<img src='1.jpg'><img src='2.jpg'><img src='3.jpg'>"),
    "the-hurricane-rubin-carter-denzel-washington.html": (
        "<div class='content__article-body from-content-api' itemprop=articleBody>",
        "<a href='http://[::1'>broken</a><a href='/a'>whole</a>",
    ),
    "utf-8-kanji.sample.html": ("<div class=entry>", "<p>山の中に一本の木があり、その下に小さな川が流れている。</p>"),
    "summary-keep-all-images.sample.html": (
        "<div class=article>",
        "<p>A picture: <img src='a.jpg'> of an alder in winter, seen from the bank.</p>",
    ),
}


def sample(name: str) -> str:
    """Returns a page for a test of readability-lxml."""
    opening, extra = SAMPLES[name]
    author = "<meta name=author content='Alex von Tunzelmann'>" if "hurricane" in name else ""
    line = "<p>Paragraph {} tells how alders stand on the bank, with roots in the water and siskins in the crown.</p>"
    text = "".join(line.format(i) for i in range(6))
    menu = "<nav><ul class=menu><li><a href=/>Home</a></li><li><a href=/b>Trees</a></li></ul></nav>"
    return (
        f"<html><head><title>Alders on the bank</title>{author}</head><body>{menu}<div id=wrap>{opening}{text}{extra}</div></div>"
        "<footer><a href=/i>Imprint</a></footer></body></html>"
    )


PLUGIN = '''
import importlib, importlib.abc, importlib.util, pkgutil, sys, types

ORIGINAL, REPLACEMENT, INTERNALS = %(original)r, %(replacement)r, %(internals)r


class Private(Exception):
    """A name of the original that the replacement lacks."""


class Missing:
    def __init__(self, name):
        self.__dict__["_name"] = name

    def _fail(self, *args, **kwargs):
        raise Private(self._name + " is internal")

    __call__ = __iter__ = __contains__ = __getitem__ = __len__ = __bool__ = _fail

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(self._name + "." + name)


def original(module):
    """Loads a module of the original under another name."""
    name = "original_package" + module[len(ORIGINAL):]
    if "original_package" not in sys.modules:
        folder = INTERNALS + "/" + ORIGINAL
        spec = importlib.util.spec_from_file_location("original_package", folder + "/__init__.py", submodule_search_locations=[folder])
        package = importlib.util.module_from_spec(spec)
        sys.modules["original_package"] = package
        spec.loader.exec_module(package)
    return importlib.import_module(name)


def completed(module, name):
    def lookup(attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        if hasattr(module, "__path__") and importlib.util.find_spec(REPLACEMENT + name[len(ORIGINAL):]):
            if module.__path__ and importlib.util.find_spec(module.__name__ + "." + attribute):
                return importlib.import_module(name + "." + attribute)
        if INTERNALS:
            try:
                return getattr(original(name), attribute)
            except ImportError:
                pass
        return Missing(name + "." + attribute)

    module.__getattr__ = lookup
    return module


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name == ORIGINAL or name.startswith(ORIGINAL + "."):
            return importlib.util.spec_from_loader(name, self, is_package=name == ORIGINAL)
        return None

    def create_module(self, spec):
        try:
            module = importlib.import_module(REPLACEMENT + spec.name[len(ORIGINAL):])
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("maintext"):
                raise
            module = types.ModuleType(spec.name)
            if spec.name.count(".") == 1:
                module.__path__ = []
        self.kept = module.__dict__.get("__spec__"), module.__dict__.get("__loader__"), module.__dict__.get("__path__")
        return module

    def exec_module(self, module):
        name = module.__spec__.name
        module.__spec__, module.__loader__ = self.kept[:2]
        if self.kept[2] is not None:
            module.__path__ = self.kept[2]
        completed(module, name)
        if name == ORIGINAL:
            # A function with the name of a module: to import the module again would replace the function.
            for found in pkgutil.iter_modules(module.__path__):
                if isinstance(getattr(module, found.name, None), types.FunctionType):
                    inner = importlib.import_module(f"{REPLACEMENT}.{found.name}")
                    sys.modules[f"{name}.{found.name}"] = completed(inner, f"{name}.{found.name}")


sys.meta_path.insert(0, Finder())
'''


def environment(folder: Path, wheel: str | None) -> Path:
    """Creates the virtual environment and installs maintext into it."""
    python = folder / "env" / "bin" / "python"
    if not python.exists():
        venv.create(folder / "env", with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *REQUIREMENTS], check=True)
    if wheel:
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", wheel], check=True)
    return python


def sources(folder: Path, python: Path, package: str, version: str) -> Path:
    """Downloads and unpacks a source distribution."""
    made = folder / f"{package.replace('-', '_')}-{version}"
    if not made.exists():
        command = [python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", f"{package}=={version}"]
        subprocess.run([*command, "-d", folder / "sdist"], check=True)
        found = [f for f in (folder / "sdist").iterdir() if f.name.replace("-", "_").startswith(f"{package.replace('-', '_')}_{version}")]
        with tarfile.open(found[0]) as archive:
            archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        unpacked = folder / found[0].name.removesuffix(".tar.gz")
        if unpacked != made:
            unpacked.rename(made)
    return made


def run(folder: Path, python: Path, name: str, internals: bool) -> dict[str, str | None]:
    """Returns the tests of a set, each with the first line of its failure, or None if it passed."""
    package, version = SETS[name]
    source = sources(folder, python, package, version)
    module = MODULES.get(package, package)
    if module == "readability":
        (source / "tests" / "samples").mkdir(exist_ok=True)
        for file in SAMPLES:
            (source / "tests" / "samples" / file).write_text(sample(file), encoding="utf-8")
    original = ""
    if internals:
        # A copy of the original beside its tests; its metadata names its version.
        original = str(folder / f"original-{version}")
        if not Path(original).exists():
            command = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--target", original, f"{package}=={version}"]
            subprocess.run(command, check=True)
    plugins = folder / "plugins"
    plugins.mkdir(exist_ok=True)
    values = {"original": module, "replacement": f"maintext.compat.{module}", "internals": original}
    (plugins / "compat_plugin.py").write_text(PLUGIN % values)
    report = folder / f"report-{package}-{version}-{int(internals)}.xml"
    report.unlink(missing_ok=True)
    paths = f"{plugins}:{original}" if original else str(plugins)
    scratch = folder / "tmp"
    scratch.mkdir(exist_ok=True)
    tests = source / "tests"
    files = sorted(tests.glob("*_tests.py")) or sorted(tests.glob("test_*.py"))
    files = [file for file in files if not file.name.startswith("eval_")]
    if package == "newspaper4k":
        # The other tests of integration need the network.
        files = [*sorted((tests / "unit").glob("test_*.py")), tests / "integration" / "test_languages.py"]
    if package in ("newspaper4k", "goose3"):
        # Their tests import from one another.
        (tests / "__init__.py").touch()
        paths += f":{source}"
    command = [python, "-m", "pytest", "-q", "-p", "compat_plugin", "-p", "no:cacheprovider", "--timeout=60", "--tb=short"]
    command.append(f"--junitxml={report}")
    # The original's own folder must not be found before the replacement.
    subprocess.run(
        [*command, "--import-mode=importlib", "-o", "junit_family=xunit1", "--continue-on-collection-errors", *files],
        cwd=source,
        env={
            "PYTHONPATH": paths,
            "PATH": f"{plugins}:{python.parent}:/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            "HOME": str(folder),
            "TMPDIR": str(scratch),
            # Commands that the tests start must not find the original in their folder.
            "PYTHONSAFEPATH": "1",
        },
        stdout=subprocess.DEVNULL,
        check=False,
    )
    results: dict[str, str | None] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        file = Path(case.get("file") or case.get("classname", "").replace(".", "/")).name.removesuffix(".py")
        test = f"{file}::{case.get('name', '').partition('[')[0]}"
        if case.find("skipped") is not None:
            continue
        failure = case.find("failure") if case.find("failure") is not None else case.find("error")
        if failure is None:
            results.setdefault(test, None)
        elif results.get(test) is None:
            place = [line for line in (failure.text or "").splitlines() if "_tests.py:" in line or "/test_" in line]
            number = place[-1].split(":")[1] if place else "?"
            message = (failure.get("message") or "").strip().splitlines() or ["?"]
            results[test] = f"line {number}: {message[0]}"
    return results


def reason(name: str, test: str) -> str | None:
    """Returns why a test concerns internals, or None."""
    found = (why for group, pattern, why in PRIVATE if fnmatch.fnmatch(name, group) and fnmatch.fnmatch(test, pattern))
    return next(found, None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", help="maintext's wheel; without it, the one that is installed already")
    parser.add_argument("--folder", type=Path, default=Path("target/compat-tests"), help="downloads and the virtual environment")
    parser.add_argument("--set", choices=SETS, action="append", help="only this set of tests")
    parser.add_argument("--internals", action="store_true", help="take what the replacement lacks from the original")
    parser.add_argument("--all", action="store_true", help="also print the failures of tests of internals")
    arguments = parser.parse_args()
    folder = arguments.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    python = environment(folder, arguments.wheel)
    for name in arguments.set or SETS:
        results = run(folder, python, name, arguments.internals and name.startswith("trafilatura"))
        public = {test: failure for test, failure in results.items() if reason(name, test) is None}
        passed = [test for test, failure in public.items() if failure is None]
        every = sum(failure is None for failure in results.values())
        print(f"\n## {name}\n")
        print(f"| tests | of public behaviour | passed | share | passed of all |\n| ---: | ---: | ---: | ---: | ---: |")
        share = 100 * len(passed) / max(len(public), 1)
        print(f"| {len(results)} | {len(public)} | {len(passed)} | {share:.0f} % | {every} |\n")
        for test, failure in sorted(public.items()):
            if failure is not None:
                print(f"- {test}: {failure[:200]}")
        if arguments.all:
            print("\nTests of internals:\n")
            for test, failure in sorted(results.items()):
                if test not in public:
                    print(f"- {test} ({reason(name, test)}): {'passed' if failure is None else failure[:120]}")


if __name__ == "__main__":
    sys.exit(main())
