"""Settings in, the web application and the command line out; `wiring` puts the parts together."""

import os

from flask import Flask

from gateway import logs, settings
from gateway.cli.main import command_group
from gateway.clock import Clock
from gateway.errors import Misconfigured
from gateway.settings import Settings
from gateway.web import (
    edge,
    health,
    metrics,
    numbers,
    phone,
    proxies,
    requests,
    sms,
    ussd,
    webhooks,
)
from gateway.web.api import routes as api
from gateway.web.console import pages as console
from gateway.web.counter import pages as counter
from gateway.web.pages import static as files
from wiring.gateway import Gateway as Gateway
from wiring.metrics import metrics_parts, seen


def create_app(configured: Settings, clock: Clock | None = None) -> Flask:
    """The web application."""
    return web_application(Gateway(configured, clock))


def web_application(gateway: Gateway) -> Flask:
    """The web application over a wired gateway."""
    app = Flask(__name__, static_folder=None)
    app.config.update(
        MAX_CONTENT_LENGTH=edge.BODY_BYTES_MAX,
        MAX_FORM_MEMORY_SIZE=edge.BODY_BYTES_MAX,
        MAX_FORM_PARTS=edge.FORM_PARTS_MAX,
    )
    proxies.trust(app, gateway.settings.trusted_proxies)
    requests.install(app, seen(gateway.core))
    numbers.install(app)
    app.register_blueprint(ussd.blueprint(gateway.ussd_parts()))
    app.register_blueprint(sms.blueprint(gateway.sms_parts()))
    hooks = gateway.deposits.webhooks(
        gateway.settings,
        gateway.database,
        gateway.clock,
        gateway.board.is_paused,
        gateway.core.meters.webhook,
    )
    app.register_blueprint(webhooks.blueprint(hooks))
    app.register_blueprint(api.blueprint(gateway.api_parts()))
    app.register_blueprint(files.blueprint())
    app.register_blueprint(counter.blueprint(gateway.counter_parts()))
    app.register_blueprint(console.blueprint(gateway.console_parts()))
    app.register_blueprint(health.blueprint(health.HealthParts(gateway.obstacles)))
    app.register_blueprint(metrics.blueprint(metrics_parts(gateway.core)))
    if gateway.settings.demo:
        app.register_blueprint(phone.blueprint(gateway.phone_parts()))
    return app


def refusal() -> str | None:
    """Why this process's settings cannot serve, in one line; None when they can."""
    try:
        create_app(settings.read(os.environ))
    except Misconfigured as error:
        return f"Error: {error}"
    return None


def command_line() -> None:
    """The entry of the `gateway` command."""
    logs.hook_uncaught()
    command_group(lambda: Gateway(settings.read(os.environ)).parts())()
