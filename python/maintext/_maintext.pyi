from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from datetime import datetime as _datetime
from os import PathLike
from typing import Any, Final, Literal, final

from typing_extensions import Self, Unpack

from ._options import AltText, Classifier, Favor, Format, Host, Method, Options, Title
from ._study import Trained
from ._types import Block, Chunk

__all__ = [
    "ExtractionError",
    "Extractor",
    "Inspected",
    "InvalidInputError",
    "InvalidOptionError",
    "METHODS",
    "MaintextError",
    "Page",
    "Records",
    "Results",
    "Samples",
    "__version__",
    "_restored",
    "batch",
    "classify",
    "entries",
    "extract_record_batch",
    "fetch",
    "field_names",
    "inspect",
    "language",
    "normalize_url",
    "run_command",
    "schema",
    "signature",
    "signature_column",
    "train",
]

__version__: Final[str]
METHODS: Final[list[str]]

class MaintextError(Exception): ...
class ExtractionError(MaintextError): ...
class InvalidInputError(MaintextError): ...
class InvalidOptionError(MaintextError, ValueError): ...

@final
class Page:
    @property
    def text(self) -> str | None: ...
    @property
    def markdown(self) -> str | None: ...
    @property
    def html(self) -> str | None: ...
    @property
    def xml(self) -> str | None: ...
    @property
    def metadata(self) -> dict[str, Any]: ...
    @property
    def title(self) -> str | None: ...
    @property
    def author(self) -> str | None: ...
    @property
    def authors(self) -> list[str]: ...
    @property
    def description(self) -> str | None: ...
    @property
    def sitename(self) -> str | None: ...
    @property
    def image(self) -> str | None: ...
    @property
    def tags(self) -> list[str]: ...
    @property
    def date(self) -> str | None: ...
    @property
    def datetime(self) -> _datetime | None: ...
    @property
    def language(self) -> str | None: ...
    @property
    def url(self) -> str | None: ...
    @property
    def barrier(self) -> Literal["login", "paywall", "challenge", "error", "parked"] | None: ...
    @property
    def status(self) -> int | None: ...
    @property
    def final_url(self) -> str | None: ...
    @property
    def representation(self) -> str | None: ...
    @property
    def page_type(self) -> str | None: ...
    @property
    def confidence(self) -> float | None: ...
    @property
    def blocks(self) -> list[dict[str, Any]] | None: ...
    @property
    def text_blocks(self) -> list[Block]: ...
    @property
    def comments(self) -> list[dict[str, Any]]: ...
    @property
    def posts(self) -> list[dict[str, Any]]: ...
    @property
    def images(self) -> list[dict[str, str | None]]: ...
    @property
    def entries(self) -> list[dict[str, Any]]: ...
    @property
    def things(self) -> list[dict[str, Any]]: ...
    @property
    def data(self) -> dict[str, Any] | None: ...
    @property
    def hidden(self) -> list[dict[str, Any]]: ...
    @property
    def hidden_words(self) -> int: ...
    @property
    def warnings(self) -> list[dict[str, str]]: ...
    @property
    def error(self) -> str | None: ...
    def chunks(
        self,
        size: int | None = None,
        *,
        tokenizer: str | PathLike[str] | Callable[[str], int] = "words",
        overlap: int = 0,
        min: int = 0,
        split_large: bool = False,
    ) -> list[Chunk]: ...
    def to_dict(self) -> dict[str, Any]: ...
    def to_json(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Page: ...
    def __deepcopy__(self, memo: Any, /) -> Page: ...
    def __reduce__(self) -> tuple[Callable[[bytes], Page], tuple[bytes]]: ...
    def _repr_html_(self) -> str | None: ...

@final
class Results(Iterator[Page]):
    def __iter__(self) -> Results: ...
    def __next__(self) -> Page: ...

@final
class Extractor:
    def __new__(
        cls,
        *,
        charset: str | None = None,
        method: Method | None = "learned",
        favor: Favor | None = "balance",
        formats: Format | Iterable[Format] = ("text", "markdown", "html"),
        metadata: bool = True,
        comments: bool = True,
        tables: bool = True,
        images: bool = True,
        links: bool = True,
        external_links: bool = False,
        reference_links: bool = False,
        html_tables: bool = True,
        repeat_spans: bool = True,
        list_numbers: bool = True,
        post_headers: bool = True,
        title: Title | None = "once",
        footnotes: bool = True,
        level_headings: bool = False,
        alt_text: AltText | None = "images",
        keep_hidden: bool = False,
        threshold: float | None = None,
        k: int | None = None,
        smoothing: bool = False,
        classifier: Classifier | None = None,
        model: str | bytes | Trained | None = None,
        fdr: float | None = None,
        page_type: bool = False,
        things: bool = False,
        schema: dict[str, Any] | str | type | None = None,
        content_selector: str | None = None,
        drop_selector: str | Iterable[str] | None = (),
        field: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
        rules: Mapping[str, Host] | str | None = None,
        now: date | str | None = None,
        max_bytes: int | None = None,
        max_nodes: int | None = None,
        max_depth: int | None = None,
        max_work: int | None = None,
    ) -> Self: ...
    def extract(self, html: str | bytes | bytearray | memoryview, url: str | None = None) -> Page: ...
    def fetch(
        self, url: str, *, timeout: float = 30.0, max_size: int = ..., representation: str = "html"
    ) -> Page: ...
    def extract_many(self, pages: Iterable[Any], threads: int | None = None, timeout: float | None = None) -> Results: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]: ...

@final
class Inspected:
    @property
    def blocks(self) -> list[Block]: ...
    @property
    def confidence(self) -> float | None: ...
    @property
    def method(self) -> str: ...

@final
class Records(Iterator[dict[str, Any]]):
    def __new__(cls, inputs: list[str], max_size: int = ..., errors: bool = False) -> Self: ...
    def __iter__(self) -> Records: ...
    def __next__(self) -> dict[str, Any]: ...

def inspect(html: str | bytes | bytearray | memoryview, url: str | None = None, **options: Unpack[Options]) -> Inspected: ...
def signature(text: str, method: str = "minhash") -> bytes | None: ...
def signature_column(batch: Any, column: str, method: str) -> Any: ...
def normalize_url(url: str) -> str | None: ...
def classify(html: str | bytes | bytearray | memoryview, url: str | None = None) -> dict[str, Any]: ...
def entries(html: str | bytes | bytearray | memoryview, url: str | None = None) -> dict[str, Any]: ...
def language(text: str) -> dict[str, Any]: ...
def train(method: str, data: list[str], hidden: list[int] | None = None, seed: int = 1) -> tuple[str, str]: ...
def _restored(state: bytes, /) -> Page: ...
def field_names() -> list[str]: ...
def schema(fields: list[str] | None = None) -> Any: ...
@final
class Samples:
    def __init__(self) -> None: ...
    def add(
        self, batch: Any, html: str, url: str, site: str, charset: str | None, max_size: int
    ) -> None: ...
    def table(self) -> Any: ...

def extract_record_batch(
    batch: Any,
    html: str,
    url: str | None,
    id: str | None,
    charset: str | None,
    site: str | None,
    fields: list[str] | None,
    threads: int | None,
    timeout: float | None,
    max_size: int | None,
    chunks: dict[str, Any] | None,
    tokenizer: str | None,
    options: dict[str, Any] | None,
) -> Any: ...
def fetch(url: str, timeout: float = 30.0, max_size: int = ...) -> tuple[bytes, str | None]: ...
def batch(
    inputs: list[str],
    output: str,
    format: str | None,
    shard_size: int,
    fields: list[str] | None,
    dump: str | None,
    tokenizer: str | None,
    filter: str,
    sites: bool,
    dedup: str | None,
    errors: str | None,
    threads: int | None,
    timeout: float | None,
    max_size: int,
    restart: bool,
    rows: str,
    chunks: dict[str, Any] | None,
    names: list[str],
    progress: Any,
    options: dict[str, Any] | None,
) -> dict[str, int]: ...
def run_command(args: list[str]) -> int: ...
