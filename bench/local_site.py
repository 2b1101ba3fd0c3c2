"""A web site on a loopback port, for the scripts of this folder."""

import http.server
import threading


def serve(page):
    """Serves what `page` returns for a path, the bytes of an HTML page and perhaps a status, and returns the port."""

    class Pages(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            found = page(self.path)
            body, status = found if isinstance(found, tuple) else (found, 200)
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port
