"""Components for other frameworks, one module for each: ``from maintext.integrations.langchain import MaintextLoader``.

Each module needs the package of its framework, which the extra of the same name installs: ``pip install 'maintext[langchain]'``.
"""
