"""Calls all tools of maintext with the official MCP library of PyPI, in the revisions with and without a handshake.

    pip install 'mcp>=2'
    mcp_clients.py target/release/maintext

Over standard input and output and over HTTP: discovers or initializes, lists the tools, calls each (the library validates structured
content against the schemas), counts the progress notifications of a crawl, and cancels one. Ends with status 1 if anything fails.
"""

import asyncio
import contextlib
import importlib.metadata
import os
import re
import subprocess
import sys
import time

import local_site
from mcp import Client, StdioServerParameters

STORY = "".join(f"<p>By noon we had seen {i} herons, a fox, and the first swallows of the year, as told.</p>" for i in range(2, 30))
LINKS = "".join(f"<li><a href=/walks/{i}>Walk number {i} to the herons of the bank</a></li>" for i in range(12))


def serve():
    """Serves an index of twelve pages, each of which takes a fifth of a second."""
    asked = []

    def page(path):
        asked.append(path)
        if path == "/":
            return f"<title>Walks</title><main><h1>Walks</h1><ul>{LINKS}</ul></main>".encode()
        if path.startswith("/walks/"):
            time.sleep(0.2)
            return f"<title>A walk</title><nav><a href=/>Home</a></nav><article><h1>A walk</h1>{STORY}</article>".encode()
        return b"", 404

    return local_site.serve(page), asked


async def check(target, mode, site, asked):
    """Runs all checks over one connection, and returns a line about them."""
    async with Client(target, mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"extract", "list", "links", "classify", "inspect", "map", "crawl"} <= set(tools), tools
        assert all(tool.output_schema for tool in tools.values())
        page = f"{site}walks/3"
        calls = [
            ("extract", {"url": page}),
            ("extract", {"url": page, "format": "json"}),
            ("list", {"url": site}),
            ("list", {"url": site, "format": "json"}),
            ("links", {"url": site, "scope": "page"}),
            ("classify", {"url": page}),
            ("inspect", {"url": page}),
            ("map", {"url": site, "max_pages": 5}),
            ("crawl", {"url": site, "max_pages": 2}),
        ]
        for name, arguments in calls:
            result = await client.call_tool(name, arguments)
            assert not result.is_error and result.structured_content and result.content[0].text, (name, result)
        error = await client.call_tool("extract", {"url": "http://10.0.0.8/"})
        assert error.is_error and "address_refused" in error.content[0].text, error
        steps = []

        async def step(progress, total, message):
            steps.append((progress, total, message))

        await client.call_tool("crawl", {"url": site, "max_pages": 4}, progress_callback=step)
        assert steps and all(a[0] < b[0] for a, b in zip(steps, steps[1:])), steps
        # Cancelling the task cancels the request.
        task = asyncio.create_task(client.call_tool("crawl", {"url": site, "max_pages": 12}, progress_callback=step))
        begun = sum(path.startswith("/walks/") for path in asked)
        while sum(path.startswith("/walks/") for path in asked) < begun + 2:
            await asyncio.sleep(0.02)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await asyncio.sleep(1)
        before = len(asked)
        await asyncio.sleep(1.5)
        stopped = len(asked) == before
        assert stopped, "the crawl went on"
        return f"revision {client.protocol_version}: {len(calls)} calls of {len(tools)} tools, {len(steps)} steps of progress, cancelled"


async def main():
    binary = os.path.abspath(sys.argv[1])
    port, asked = serve()
    network = ["--allow-network", "127.0.0.0/8", "--allow-port", str(port)]
    service = subprocess.Popen([binary, "serve", "--listen", "127.0.0.1:0", *network], stderr=subprocess.PIPE, text=True)
    address = next(found[0] for line in service.stderr if (found := re.search(r"http://127\.0\.0\.1:\d+", line)))
    print(f"mcp {importlib.metadata.version('mcp')}")
    try:
        for where, target in [
            ("standard input and output", StdioServerParameters(command=binary, args=["mcp", *network])),
            ("HTTP", f"{address}/mcp"),
        ]:
            for mode in ["legacy", "auto", "2026-07-28"]:
                print(f"{where}, {mode}: {await check(target, mode, f'http://127.0.0.1:{port}/', asked)}", flush=True)
    finally:
        service.kill()


asyncio.run(main())
