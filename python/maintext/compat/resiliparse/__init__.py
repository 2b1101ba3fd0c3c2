"""A replacement for Resiliparse's text extraction: see :mod:`maintext.compat.resiliparse.extract.html2text`."""
