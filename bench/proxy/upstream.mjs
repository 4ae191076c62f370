// The scripted provider: as little work for an answer as Node allows, so that what stands before it is what is measured.
// It answers only who has its key.
import { createServer } from "node:net";
import {
  delta,
  ENDING,
  isPaced,
  microseconds,
  OPENING,
  PACE_MS,
  PACED_EVENTS,
  RESPONSE_HEAD,
  UPSTREAM_KEY,
  WHOLE_ANSWER,
} from "./traffic.mjs";

const MOST_BYTES = 65_536;
const HEAD_END = Buffer.from("\r\n\r\n");
const REFUSAL = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n";

function serve(socket) {
  let received = Buffer.alloc(0);
  let timer;
  socket.setNoDelay(true);
  socket.on("data", (piece) => {
    received = received.length === 0 ? piece : Buffer.concat([received, piece]);
    if (received.length > MOST_BYTES) return socket.destroy();
    const end = requestEnd(received);
    if (end === undefined) return;
    const request = received.subarray(0, end);
    received = received.subarray(end);
    if (!request.includes(UPSTREAM_KEY)) socket.write(REFUSAL);
    else if (isPaced(request)) timer = pace(socket, (next) => (timer = next));
    else socket.write(WHOLE_ANSWER);
  });
  socket.on("error", () => undefined);
  socket.on("close", () => clearTimeout(timer));
}

/** Where the request ends; undefined while it is not there. */
function requestEnd(received) {
  const head = received.indexOf(HEAD_END);
  if (head === -1) return undefined;
  const bodyStart = head + HEAD_END.length;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.latin1Slice(0, head));
  if (length !== null) {
    const end = bodyStart + Number(length[1]);
    return received.length < end ? undefined : end;
  }
  const last = received.indexOf("\r\n0\r\n\r\n", head);
  return last === -1 ? undefined : last + 7;
}

/** Answers at once, then with one event every 50 ms, each on its own, each with the time it was written. */
function pace(socket, armed) {
  const began = performance.now();
  let sent = 0;
  socket.write(RESPONSE_HEAD + OPENING, "latin1");
  const next = () => {
    sent += 1;
    const event = delta(microseconds());
    if (sent === PACED_EVENTS) return void socket.write(event + ENDING, "latin1");
    socket.write(event, "latin1");
    armed(setTimeout(next, began + (sent + 1) * PACE_MS - performance.now()));
  };
  return setTimeout(next, PACE_MS);
}

const server = createServer(serve);
server.listen({ host: "127.0.0.1", port: 0, backlog: 1_024 }, () => {
  process.send({ url: `http://127.0.0.1:${server.address().port}` });
});
process.on("disconnect", () => process.exit(0));
