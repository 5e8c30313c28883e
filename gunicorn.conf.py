"""How gunicorn serves the gateway: `gunicorn wsgi:application` in this folder reads it by itself.

The options are explained at https://gunicorn.org/reference/settings/.
"""

import os
import subprocess
import sys

from gunicorn.arbiter import Arbiter
from gunicorn.workers import gthread

bind = os.environ.get("GATEWAY_BIND", "127.0.0.1:8000")

# A thread for each request under way; a connection that is only open costs none, it is polled.
worker_class = "gthread"
# A new connection may hold a thread for so many seconds before it has said anything. gunicorn's
# own 5 let sixteen silent clients keep everybody waiting, and it has no setting for it.
gthread.DEFAULT_WORKER_DATA_TIMEOUT = 0.1
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))  # gunicorn's own name for it
threads = 8
keepalive = 30  # seconds; an aggregator posts its next turn over the same connection

# Each worker imports the application after the fork: no database connection, thread or lock is
# ever shared between processes, and SIGHUP serves new code.
preload_app = False

timeout = 30  # seconds a worker may be stuck as a whole; a turn takes 2.5 at most
graceful_timeout = 10  # seconds that requests under way get after SIGTERM

# No access log: its lines would carry the secret in the path. The application logs every request
# by its route instead.
accesslog = None
errorlog = "-"

# No peer may set the scheme, SCRIPT_NAME or PATH_INFO by a header, one on this machine neither;
# GATEWAY_TRUSTED_PROXIES says how many proxies may speak for a client.
forwarded_allow_ips = ""

control_socket_disable = True


def on_starting(_server: Arbiter) -> None:
    """Refuse wrong settings once, in one line, before there is a worker to say it for itself.

    Another process looks, so that this one holds no code that a SIGHUP could not renew.
    """
    look = [sys.executable, "-c", "import sys, app; sys.exit(app.refusal())"]
    if subprocess.run(look, check=False).returncode:  # noqa: S603 (our own words)
        sys.exit(Arbiter.APP_LOAD_ERROR)
