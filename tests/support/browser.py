"""A real Chromium, and a WSGI application served to it over real HTTP on the loopback."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Final

from flask import Flask
from playwright.sync_api import Browser, sync_playwright
from werkzeug.serving import make_server

CHROMIUM: Final = "/usr/bin/chromium"  # the system's: nothing is downloaded
ARGUMENTS: Final = (
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser; ask it for a new context for each test."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def served(application: Flask) -> Iterator[str]:
    """The application on a free loopback port; gives its address without a trailing slash."""
    server = make_server("127.0.0.1", 0, application, threaded=True)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
