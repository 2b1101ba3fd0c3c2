"""Checks the systemd unit and the Dockerfile of docs/service-operation.md with the tools that read them.

    service_unit.py target/release/maintext

`systemd-analyze verify` reads the unit, with the given binary in place of the installed one; `systemd-analyze security` rates its exposure.
`docker build --check` reads the Dockerfile if a Docker daemon runs. Without one, the script checks that each instruction is known, that
each stage copied from exists, and that the last stage copies the binary that the first one builds.
"""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KNOWN = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "EXPOSE", "STOPSIGNAL", "ENTRYPOINT"}


def fenced(text, language):
    return re.search(rf"```{language}\n(.*?)```", text, re.S)[1]


def unit(text, binary, folder):
    path = os.path.join(folder, "maintext.service")
    with open(path, "w") as file:
        file.write(text.replace("/usr/local/bin/maintext", binary))
    found = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True)
    # Messages about other units of the machine are ignored.
    own = [line for line in (found.stdout + found.stderr).splitlines() if "maintext" in line]
    security = subprocess.run(["systemd-analyze", "security", "--offline=true", path], capture_output=True, text=True)
    print("systemd-analyze verify:", "\n".join(own) or "no messages")
    print("systemd-analyze security:", security.stdout.strip().splitlines()[-1] if security.stdout else security.stderr)
    return not own


def dockerfile(text, folder):
    path = os.path.join(folder, "Dockerfile")
    with open(path, "w") as file:
        file.write(text)
    try:
        docker = subprocess.run(["docker", "info"], capture_output=True).returncode == 0
    except FileNotFoundError:
        docker = False
    if docker:
        return subprocess.run(["docker", "build", "--check", "-f", path, ROOT]).returncode == 0
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    unknown = [line[0] for line in lines if line[0] not in KNOWN]
    stages = [line[3] for line in lines if line[0] == "FROM" and len(line) > 3]
    copied = [word.split("=")[1] for line in lines for word in line if word.startswith("--from=")]
    last = max(i for i, line in enumerate(lines) if line[0] == "FROM")
    users = [line for line in lines[last:] if line[0] == "USER"]
    good = not unknown and set(copied) <= set(stages) and users and users[-1][1] not in ("root", "0")
    print("Dockerfile: no Docker daemon; its instructions", "are valid" if good else f"are not valid: {unknown} {copied} {stages}")
    return good


def main():
    with open(os.path.join(ROOT, "docs", "service-operation.md"), encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        good = [unit(fenced(text, "ini"), os.path.abspath(sys.argv[1]), folder), dockerfile(fenced(text, "dockerfile"), folder)]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
