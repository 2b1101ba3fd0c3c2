"""Other extractors' functions, with their arguments and their results, done by maintext: change an import line and nothing else."""
