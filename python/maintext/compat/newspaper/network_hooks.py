"""Functions that are called before and after downloads, as newspaper4k's ``network_hooks``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, signature
from typing import Any

__all__ = ["add_hook", "clear_hooks", "get_hooks", "hookable_func", "local_hook", "remove_hook"]

_lock = threading.RLock()
_hooks: dict[str, list[Callable[..., Any]]] = {}


def add_hook(event: str, fn: Callable[..., Any]) -> None:
    """Adds a function for "before_request", "after_response" or "on_error". It takes ``url`` and ``config``.

    :raises TypeError: if the function takes something else
    """
    if not callable(fn):
        raise TypeError("hook must be callable")
    parameters = signature(fn).parameters
    if not {"url", "config"} <= set(parameters) and not any(p.kind is Parameter.VAR_POSITIONAL for p in parameters.values()):
        raise TypeError("hook must declare parameters named 'url' and 'config', or accept *args")
    with _lock:
        _hooks.setdefault(event, []).append(fn)


def remove_hook(event: str, fn: Callable[..., Any]) -> None:
    """Removes a function; does nothing if it was not added."""
    with _lock:
        if fn in _hooks.get(event, []):
            _hooks[event].remove(fn)


def clear_hooks(event: str | None = None) -> None:
    """Removes all functions for an event, or for all events."""
    with _lock:
        if event is None:
            _hooks.clear()
        else:
            _hooks.pop(event, None)


def get_hooks(event: str) -> list[Callable[..., Any]]:
    """Returns the functions for an event."""
    with _lock:
        return list(_hooks.get(event, []))


@contextmanager
def local_hook(event: str, fn: Callable[..., Any]) -> Iterator[None]:
    """Adds a function for the time of a ``with`` statement."""
    add_hook(event, fn)
    try:
        yield
    finally:
        remove_hook(event, fn)


def hookable_func(func: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function call the hooks; it returns None without a request if one "before_request" returns something false."""

    @wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not all([hook(*args, **kwargs) for hook in get_hooks("before_request")]):
            return None
        try:
            result = func(*args, **kwargs)
        except Exception:
            for hook in get_hooks("on_error"):
                hook(*args, **kwargs)
            raise
        for hook in get_hooks("after_response"):
            hook(*args, **kwargs)
        return result

    return wrapper
