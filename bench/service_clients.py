"""Tests the service with independent clients: schemathesis fuzzes /openapi.json; the MCP library of PyPI lists and calls the tools.

    pip install schemathesis mcp
    service_clients.py target/release/maintext [--examples 100] [--seed N]

Fails if a request is answered with 5xx, if a response does not match the document, or if a tool is missing or does not respond.
The service runs with --no-fetch, so it refuses to fetch the fuzzer's random addresses.
"""

import argparse
import asyncio
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

PAGE = (
    "<html lang=en><title>Two herons</title><nav><a href=/>Home</a></nav><article><p>We left early, and the road was empty. Nobody spoke "
    "until the hills, where the fog lifted.</p><p>By noon we had seen two herons, a fox, and the first swallows of the year.</p></article>"
)


# Tells schemathesis how to serialise NDJSON: strings unchanged, lists as lines, anything else as one line.
HOOKS = """
import json
import schemathesis

@schemathesis.serializer("application/x-ndjson")
def ndjson(context, value):
    lines = value if isinstance(value, list) else [value]
    return "\\n".join(v if isinstance(v, str) else json.dumps(v) for v in lines).encode("utf-8", "replace")
"""


def serve(binary):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([binary, "serve", "--quiet", "--no-fetch", "--listen", f"127.0.0.1:{port}"])
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return server, f"http://127.0.0.1:{port}"
        except OSError:
            time.sleep(0.05)


def fuzz(binary, examples, seed):
    server, url = serve(binary)
    hooks = tempfile.TemporaryDirectory()
    with open(os.path.join(hooks.name, "ndjson_hooks.py"), "w") as file:
        file.write(HOOKS)
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "ndjson_hooks", "PYTHONPATH": hooks.name}
    beside = os.path.join(os.path.dirname(sys.executable), "schemathesis")
    program = beside if os.path.exists(beside) else shutil.which("schemathesis")
    try:
        command = [program, "run", f"{url}/openapi.json", "--max-examples", str(examples), "--seed", str(seed)]
        # A positive example may name an unknown site or handle; a negative one may be an unknown query, which is ignored.
        command += ["--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"]
        status = subprocess.run(command, env=environment, cwd=hooks.name).returncode
        alive = server.poll() is None
    finally:
        server.terminate()
    return status == 0 and alive and server.wait(60) == 0


async def wire(answer):
    return (await answer).model_dump(by_alias=True)


async def agent(binary):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async with stdio_client(StdioServerParameters(command=binary, args=["mcp", "--no-fetch"])) as (read, write):
        async with ClientSession(read, write) as session:
            # As on the wire, where names are the same in all versions of the library.
            hello = (await session.initialize()).model_dump(by_alias=True)
            call = lambda name, arguments: wire(session.call_tool(name, arguments))
            tools = [tool.name for tool in (await session.list_tools()).tools]
            print(f"MCP: {hello['serverInfo']['name']} {hello['serverInfo']['version']}, protocol {hello['protocolVersion']}, tools {', '.join(tools)}")
            assert tools == ["extract", "list", "links", "classify", "inspect"], tools
            for name in tools:
                result = await call(name, {"html": PAGE})
                said = result["content"][0]["text"]
                print(f"MCP: {name}: {said[:100]!r}")
                assert not result["isError"] and said, name
            text = (await call("extract", {"html": PAGE}))["content"][0]["text"]
            assert "two herons" in text and "Home" not in text, text
            failed = await call("extract", {"url": "http://127.0.0.1/"})
            assert failed["isError"], failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--examples", type=int, default=100, help="examples of each kind for each route")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    binary = os.path.abspath(args.binary)
    asyncio.run(agent(binary))
    if not fuzz(binary, args.examples, args.seed):
        sys.exit("failed: see above")
    print("all well")


if __name__ == "__main__":
    main()
