"""How gunicorn serves the gateway: `gunicorn wsgi:application` in this folder reads it by itself.

The options are explained at https://gunicorn.org/reference/settings/.
"""

import os
import shutil
import subprocess
import sys
import tempfile

from gunicorn.arbiter import Arbiter
from gunicorn.workers import gthread
from gunicorn.workers.base import Worker

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

# A worker serves until it is stopped: none of its memory grows with the requests (`make bench`
# reports it), and ending one for its count alone would cut connections that aggregators keep.
max_requests = 0

# No access log: its lines would carry the secret in the path. The application logs every request
# as JSON, by its route, with its name instead.
accesslog = None
errorlog = "-"

# No peer may set the scheme, SCRIPT_NAME or PATH_INFO by a header, one on this machine neither;
# GATEWAY_TRUSTED_PROXIES says how many proxies may speak for a client.
forwarded_allow_ips = ""

control_socket_disable = True

# In memory: neither a heartbeat nor a count may wait for a disk.
MEMORY = "/dev/shm"  # noqa: S108 (what is made there has a name that nobody can guess)
worker_tmp_dir = MEMORY if os.access(MEMORY, os.W_OK) else None

# The workers add up what they count in files, of which prometheus-client is told by this name.
COUNTS = "PROMETHEUS_MULTIPROC_DIR"
# Where the folder of the counts is made. It has a name of its own, because a new gunicorn that
# takes over from an old one (SIGUSR2) inherits the old one's folder under the name above.
COUNTS_UNDER = "GATEWAY_METRICS_FOLDER"
COUNTS_PREFIX = "gateway-counts-"


def on_starting(server: Arbiter) -> None:
    """Refuse wrong settings once, in one line, before there is a worker to say it for itself.

    Another process looks, so that this one holds no code that a SIGHUP could not renew.
    """
    if server.cfg.preload_app:
        sys.stderr.write("Error: --preload would share one database connection among workers\n")
        sys.exit(Arbiter.APP_LOAD_ERROR)
    look = [sys.executable, "-c", "import sys, app; sys.exit(app.refusal())"]
    if subprocess.run(look, check=False).returncode:  # noqa: S603 (our own words)
        sys.exit(Arbiter.APP_LOAD_ERROR)
    under = os.environ.get(COUNTS_UNDER) or os.environ.get(COUNTS) or worker_tmp_dir
    under = os.environ[COUNTS_UNDER] = under or tempfile.gettempdir()
    os.makedirs(under, exist_ok=True)
    # A fresh one for each gunicorn: what an earlier one counted is over.
    os.environ[COUNTS] = tempfile.mkdtemp(prefix=COUNTS_PREFIX, dir=under)


def child_exit(_server: Arbiter, worker: Worker) -> None:
    """Forget how a worker that ended stands; what it counted stays counted."""
    # Not before: the library looks for the folder when it is imported.
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)


def on_exit(_server: Arbiter) -> None:
    """Take the folder of the counts away; the workers have ended."""
    folder = os.environ.get(COUNTS, "")
    if os.path.basename(folder).startswith(COUNTS_PREFIX):  # ours, and no other
        shutil.rmtree(folder, ignore_errors=True)
