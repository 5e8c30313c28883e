"""One set of gunicorn settings for the product and for the floors, so that only the code differs.

The product's own file at the top is not used: it refuses to start without the product's settings.
"""

worker_class = "gthread"
workers = 2
threads = 8
keepalive = 30
loglevel = "warning"
control_socket_disable = True
