"""Downloads, as goose3's ``network``. Needs urllib3; the connections are those of maintext's other downloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _http

if TYPE_CHECKING:
    from .configuration import Configuration

__all__ = ["NetworkError", "NetworkFetcher"]


class NetworkError(RuntimeError):
    """The server answered with an error."""

    def __init__(self, status_code: int, reason: str) -> None:
        self.status_code = status_code
        self.reason = reason
        self.message = f"NetworkError: status code: {status_code}; reason: {reason}"
        super().__init__(self.message)


class NetworkFetcher:
    """Fetches pages with the options of a configuration."""

    def __init__(self, config: Configuration) -> None:
        self.config = config
        self._url: str | None = None

    def close(self) -> None:
        """Does nothing: the connections are shared."""

    def get_url(self) -> str | None:
        """Returns the address of the last page, or None if it could not be fetched."""
        return self._url

    def fetch(self, url: str) -> bytes:
        """Returns a page as bytes."""
        return self.fetch_obj(url).content

    def fetch_obj(self, url: str) -> _http.Answer:
        """Returns an answer, with the attributes of ``requests.Response``.

        :raises NetworkError: if the status is an error and ``strict`` is set
        :raises OSError: if there is no answer
        """
        config = self.config
        headers = {"User-Agent": config.browser_user_agent, **(config.http_headers or {})}
        answer = _http.request(
            url,
            headers=headers,
            timeout=config.http_timeout,
            proxies=config.http_proxies,
            auth=config.http_auth,
            protected=config.ssrf_protection,
        )
        self._url = answer.url if answer.ok else None
        if not answer.ok and config.strict:
            raise NetworkError(answer.status_code, answer.reason)
        return answer
