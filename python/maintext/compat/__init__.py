"""The interfaces of other extractors, with the same functions, arguments and results: change only the import line."""
