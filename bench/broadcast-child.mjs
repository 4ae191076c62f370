// The control of the fan-out: a bare `ws` server that sends what it is told to every client.
import { WebSocketServer } from "ws";

const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
let cpu = process.cpuUsage();
process.on("message", (question) => {
  if (question === "reset") {
    cpu = process.cpuUsage();
    process.send({});
  } else if (question === "load") {
    const used = process.cpuUsage(cpu);
    process.send({ cpu_ms: (used.user + used.system) / 1_000 });
  } else void broadcast(question.frames).then(() => process.send({}));
});

/** In slices, as frames come from a model: the event loop turns between them. */
async function broadcast(frames) {
  for (const batch of frames) {
    for (const frame of batch) {
      const bytes = Buffer.from(frame);
      for (const client of server.clients) client.send(bytes, { binary: false });
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}
process.on("SIGTERM", () => process.exit(0));
server.on("listening", () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
