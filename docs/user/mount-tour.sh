#!/bin/sh
# A tour of the /claude mount with nothing but curl: create, follow, approve, fork, stop, bill.
#
#   SALLYPORT_URL=http://127.0.0.1:5353 SALLYPORT_TOKEN=sp_… sh mount-tour.sh
#
# It talks to the demo model, which does what a line `sim: […]` tells it; with a real model say what you want instead (TOUR_MODEL).
set -eu

url=${SALLYPORT_URL:-http://127.0.0.1:5353}
model=${TOUR_MODEL:-sim}

read_file() { curl -fsS -H "authorization: Bearer $SALLYPORT_TOKEN" "$url$1"; }
write_file() { curl -fsS -H "authorization: Bearer $SALLYPORT_TOKEN" -X PUT --data-binary "$2" "$url$1"; }
call_file() {
  curl -fsS -H "authorization: Bearer $SALLYPORT_TOKEN" -H "accept: application/json" --data-binary "$2" "$url$1"
}
# One field of a JSON object, without any other program.
field() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" | head -n 1; }
# Waits until a session's status is this.
wait_for() {
  tries=0
  until [ "$(read_file "$1/status" | field status)" = "$2" ]; do
    tries=$((tries + 1))
    if [ "$tries" -gt 600 ]; then
      echo "gave up waiting for $2" >&2
      exit 1
    fi
    sleep 0.1
  done
}

echo "== what is there"
read_file /claude | field name
read_file /claude/proxy/status | field status

echo "== create"
session=$(call_file /claude/new "{\"model\": \"$model\", \"max_cost_usd\": 2000000, \"idempotency_key\": \"tour-$$\"}" | field session_id)
here=/claude/sessions/$session
wait_for "$here" ready

echo "== prompt, and follow until it waits for the next one"
write_file "$here/prompt" 'Say hello.
sim: [{"say": "Hello from the tour."}]'
read_file "$here/output?follow=1&until=idle"

echo "== approve: look first, then say yes, then say no and why"
write_file "$here/prompt" 'Run two commands.
sim: [{"tool": "Bash", "input": {"command": "echo one > tour.txt"}}, {"tool": "Bash", "input": {"command": "rm tour.txt"}}, {"say": "One ran, one did not."}]'
wait_for "$here" pending_approval
first=$(read_file "$here/status" | field tool_use_id)
read_file "$here/tools/pending" | field command
write_file "$here/tools/approve" approve
until [ "$(read_file "$here/status" | field tool_use_id)" != "$first" ]; do sleep 0.1; done
wait_for "$here" pending_approval
read_file "$here/tools/pending" | field command
write_file "$here/tools/approve" 'reject keep the file'
read_file "$here/output?follow=1&until=idle"
read_file "$here/tools/log" | grep -c '"approved"'

echo "== fork, and try another way"
fork=$(call_file "$here/fork" '{}' | field session_id)
there=/claude/sessions/$fork
write_file "$there/prompt" 'Try another way.
sim: [{"say": "Another way."}]'
read_file "$there/output?follow=1&until=idle" | tail -n 1

echo "== stop"
write_file "$there/ctl" stop
write_file "$here/ctl" stop
read_file "$here/status" | field status

echo "== bill (micro-USD)"
read_file "$here/usage" | field cost_usd
read_file "$here/usage" | field reserved_usd
