import { createServer, request } from "node:http";
import { WebSocket, WebSocketServer } from "ws";

/**
 * A server before the server that may put something larger in its place on the way to the page: `body` gets the text of each answer of an
 * approval, `frame` each text of the socket. The page takes it for the server itself.
 */
export async function openBetween(url, { body = (text) => text, frame = (text) => text }) {
  const { host } = new URL(url);
  const server = createServer((incoming, answer) => {
    const headers = { ...incoming.headers, host, "accept-encoding": "identity" };
    delete headers.origin;
    const forward = request(`${url}${incoming.url}`, { method: incoming.method, headers }, (response) => {
      if (!incoming.url.startsWith("/api/approvals")) {
        answer.writeHead(response.statusCode, response.headers);
        response.pipe(answer);
        return;
      }
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () => {
        const text = Buffer.from(body(Buffer.concat(parts).toString()));
        answer.writeHead(response.statusCode, { ...response.headers, "content-length": text.length });
        answer.end(text);
      });
    });
    forward.on("error", () => answer.destroy());
    incoming.pipe(forward);
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (near, incoming) => relay(near, incoming, url, frame));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      for (const near of sockets.clients) near.terminate();
      server.closeAllConnections();
      server.close();
    },
  };
}

function relay(near, incoming, url, frame) {
  const asked = incoming.headers["sec-websocket-protocol"];
  const protocols = asked === undefined ? [] : asked.split(",").map((one) => one.trim());
  const { authorization } = incoming.headers;
  const far = new WebSocket(`${url.replace("http", "ws")}${incoming.url}`, protocols, {
    headers: authorization === undefined ? {} : { authorization },
  });
  const waiting = [];
  near.on("message", (data) =>
    far.readyState === WebSocket.OPEN ? far.send(asText(data)) : waiting.push(asText(data)),
  );
  far.on("open", () => waiting.splice(0).forEach((text) => far.send(text)));
  far.on("message", (data) => near.send(frame(asText(data))));
  far.on("close", () => near.close());
  far.on("error", () => near.close());
  near.on("close", () => far.close());
}

const asText = (data) => data.toString();
