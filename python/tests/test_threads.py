"""Threads share one extractor, with and without the interpreter's lock."""

from __future__ import annotations

import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor

import maintext
import pytest
from conftest import article


def test_threads_that_share_an_extractor_get_the_same_pages_as_one_thread() -> None:
    extractor = maintext.Extractor(formats=["text", "markdown"])
    pages = [article(f"tree{i}") for i in range(200)]
    expected = [extractor.extract(page).to_json() for page in pages]
    with ThreadPoolExecutor(8) as pool:
        assert [page.to_json() for page in pool.map(extractor.extract, pages)] == expected


def test_threads_share_the_iterator_of_many_pages() -> None:
    results = maintext.extract_many(article(f"tree{i}") for i in range(200))

    def take(_: int) -> int:
        taken = 0
        while True:
            try:
                page = next(results, None)
            except RuntimeError:  # another thread is taking a page at this moment
                continue
            if page is None:
                return taken
            assert page.error is None
            taken += 1

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(take, range(4))) == 200


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="a free-threaded Python")
def test_the_package_does_not_bring_the_lock_back() -> None:
    assert not sys._is_gil_enabled()  # type: ignore[attr-defined]
