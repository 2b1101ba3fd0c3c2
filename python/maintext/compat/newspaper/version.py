"""maintext's version, under the name of newspaper4k's module."""

from ... import __version__ as __version__
