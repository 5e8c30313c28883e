#!/bin/sh
# Runs a `gateway` command with the service's user and settings; its place: /usr/local/bin/gateway.
# A person's PIN is asked for at the terminal; elsewhere give --pin-stdin.
if [ -t 0 ]; then how=--pty; else how=--pipe; fi
exec systemd-run --quiet --wait --collect "$how" --uid=gateway --gid=gateway \
    --property=EnvironmentFile=/etc/gateway/gateway.env \
    --property=WorkingDirectory=/opt/gateway \
    --property=UMask=0077 \
    --setenv=GATEWAY_OPERATOR="$GATEWAY_OPERATOR" \
    /opt/gateway/.venv/bin/gateway "$@"
