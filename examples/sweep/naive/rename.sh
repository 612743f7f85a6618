#!/usr/bin/env bash
# A client that assumes that every request succeeds. It sets a property of a resource, and prints the cart.
set -euo pipefail

service="${RESOURCE_MOCK_URL:-http://localhost:8080}/shop/resource"

curl -fsS "$service/shirt" -o resource.json
version=$(grep -o '"version":[0-9]*' resource.json | cut -d: -f2)
update='{ "version": '$version', "actions": [{ "action": "changeSomeProperty", "someProperty": "linen" }] }'
curl -fsS "$service/shirt" -H 'Content-Type: application/json' -d "$update"
curl -fsS "$service/namespace-action-with-example"
