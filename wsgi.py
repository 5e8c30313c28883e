"""The web application for gunicorn: `gunicorn wsgi:application`."""

import os
import sys
from wsgiref.types import WSGIApplication

from app import Gateway, web_application
from gateway import logs, settings
from gateway.errors import Misconfigured
from gateway.tokens.keys.reporter import start_reporting
from gateway.web import gunicorn_log

APP_LOAD_ERROR = 4  # gunicorn does not start a worker again that ended so


def _application() -> WSGIApplication:
    logs.configure()
    logs.hook_uncaught()
    gunicorn_log.hide_paths()
    try:
        gateway = Gateway(settings.read(os.environ))
        built = web_application(gateway)
    except Misconfigured as error:
        sys.stderr.write(f"Error: {error}\n")
        sys.exit(APP_LOAD_ERROR)
    start_reporting(lambda: gateway.report_keys("web"))
    return built


application = _application()
