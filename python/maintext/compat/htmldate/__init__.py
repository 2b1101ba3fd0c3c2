"""A replacement for htmldate: ``from maintext.compat.htmldate import find_date``.

>>> from maintext.compat.htmldate import find_date
>>> find_date("<html><body><time datetime='2024-05-17T08:00'>Friday</time></body></html>")
'2024-05-17'

Needs lxml: ``pip install 'maintext[htmldate]'``; addresses as input also need urllib3.
"""

from .core import find_date

__all__ = ["find_date"]
__version__ = "1.11.0"
