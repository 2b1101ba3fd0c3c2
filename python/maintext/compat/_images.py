"""The size of an image, read from its first bytes: PNG, GIF, JPEG, WebP and BMP."""

from __future__ import annotations

import struct


def size_of(data: bytes) -> tuple[int, int] | None:
    """Returns the width and the height of an image in pixels, or None if the format is unknown or the data is broken.

    >>> size_of(b"GIF89a" + bytes([44, 1, 200, 0]))
    (300, 200)
    """
    try:
        if data[:8] == b"\x89PNG\r\n\x1a\n":
            return _pair(">II", data, 16)
        if data[:6] in (b"GIF87a", b"GIF89a"):
            return _pair("<HH", data, 6)
        if data[:2] == b"BM":
            width, height = _pair("<ii", data, 18)
            return width, abs(height)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp(data)
        if data[:2] == b"\xff\xd8":
            return _jpeg(data)
    except (struct.error, IndexError):
        pass
    return None


def _pair(form: str, data: bytes, place: int) -> tuple[int, int]:
    first, second = struct.unpack_from(form, data, place)
    return first, second


def _webp(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 ":
        width, height = _pair("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None


def _jpeg(data: bytes) -> tuple[int, int] | None:
    place = 2
    while place + 9 < len(data):
        if data[place] != 0xFF:
            return None
        marker = data[place + 1]
        if marker == 0xFF:
            place += 1
        elif marker in (0x01, *range(0xD0, 0xD9)):
            place += 2
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = _pair(">HH", data, place + 5)
            return width, height
        else:
            place += 2 + int(struct.unpack_from(">H", data, place + 2)[0])
    return None
