"""maintext's version, under the name of goose3's module."""

from ... import __version__ as __version__
