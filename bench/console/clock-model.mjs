// A model that says what time it is: each of its words is the moment at which it was sent, ms since the epoch.
import { createServer } from "node:http";
import { sized } from "../size.mjs";

const WORDS = sized(400, 5);
const PAUSE_MS = 50;

const now = () => performance.timeOrigin + performance.now();
const event = (data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const USAGE = { input_tokens: 10, output_tokens: 1 };

const server = createServer((request, response) => {
  request.resume();
  if (!request.url.startsWith("/v1/messages") || request.url.includes("count_tokens")) {
    response.writeHead(200, { "content-type": "application/json" }).end('{"input_tokens":10,"data":[]}');
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const message = {
    id: "msg_clock",
    type: "message",
    role: "assistant",
    model: "clock",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: USAGE,
  };
  response.write(event({ type: "message_start", message }));
  response.write(event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }));
  let said = 0;
  const timer = setInterval(() => {
    if (said === WORDS || response.destroyed) {
      clearInterval(timer);
      response.write(event({ type: "content_block_stop", index: 0 }));
      response.write(
        event({
          type: "message_delta",
          delta: { stop_reason: "end_turn", stop_sequence: null },
          usage: { output_tokens: WORDS },
        }),
      );
      response.end(event({ type: "message_stop" }));
      return;
    }
    said += 1;
    response.write(
      event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: `t${now().toFixed(1)} ` } }),
    );
  }, PAUSE_MS);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on("SIGTERM", () => process.exit(0));
