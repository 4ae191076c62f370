// The provider at home, with a key, and a relay that records the wire. Both in the namespace that they are started in.
import { createServer } from "node:http";
import { connect, createServer as createTcp } from "node:net";
import { appendFileSync } from "node:fs";
import { createSimModel } from "../../dist/sim/index.js";

const [key, listen, target, capture] = process.argv.slice(2);
const model = createSimModel();
const server = createServer((request, response) => {
  const given = request.headers["x-api-key"] ?? request.headers.authorization?.replace("Bearer ", "");
  if (given === key) void model.handle(request, response);
  else response.writeHead(401).end('{"type":"error","error":{"type":"authentication_error","message":"wrong key"}}');
});
const [host, port] = listen.split(":");
const relay = createTcp((left) => {
  const right = connect(Number(target), "127.0.0.1");
  for (const [from, to] of [
    [left, right],
    [right, left],
  ]) {
    from.on("data", (piece) => {
      appendFileSync(capture, piece);
      to.write(piece);
    });
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
  }
});
server.listen(0, "127.0.0.1", () =>
  relay.listen(Number(port), host, () => console.log(`http://127.0.0.1:${server.address().port}`)),
);
