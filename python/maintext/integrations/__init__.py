"""Components for other libraries, each with an optional extra of its name: ``pip install 'maintext[polars]'``."""
