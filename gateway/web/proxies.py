"""Who may speak for the client: as many proxies in front as the settings say, and nobody else."""

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix


def trust(app: Flask, count: int) -> None:
    """Take the client's address and scheme from the headers of so many proxies; of none with 0."""
    if count:
        fixed = ProxyFix(app.wsgi_app, x_for=count, x_proto=count)
        app.wsgi_app = fixed  # type: ignore[method-assign]
