#!/bin/bash
# Brings up every service, then the edge.
cd "$(dirname "$0")"
SERVICES="@services"
for name in $SERVICES; do
  python3 services/serve.py "$name" &
done
for name in $SERVICES; do
  port=$(tr -dc 0-9 < "services/$name/settings.json")
  until (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do sleep 0.05; done
done
exec python3 edge/edge.py
