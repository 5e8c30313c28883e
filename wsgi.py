"""The web application for gunicorn: `gunicorn wsgi:application`."""

import os

from app import Gateway, web_application
from gateway import logs, settings
from gateway.tokens.keys.reporter import start_reporting

logs.configure()
logs.hook_uncaught()
_gateway = Gateway(settings.read(os.environ))
start_reporting(lambda: _gateway.report_keys("web"))
application = web_application(_gateway)
