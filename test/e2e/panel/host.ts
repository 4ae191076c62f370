import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { resolve, sep } from "node:path";
import type { Duplex } from "node:stream";

const BUILT = resolve(import.meta.dirname, "../../../dist") + sep;

/** A page of somebody else: it may run its own scripts and speak to its own server, and nothing more. Not even text may become an element. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The site's own icon.
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const STYLE = `
  html, body { margin: 0; height: 100%; font: 15px/1.5 system-ui, sans-serif; background: #fbfaf8; color: #222; }
  main { padding: 32px; max-width: 40rem; }
  sallyport-panel[data-inline] { position: fixed; inset: 0; height: auto; }
  @media (prefers-color-scheme: dark) { html, body { background: #101014; color: #ddd; } }
`;

/** The script of the page: a shop whose cart the agent can fill. What the tests choose is in the address. */
const SCRIPT = `
  import { LiveConnection, SallyportClient } from "/lib/client/index.js";
  import { definePanel } from "/lib/panel/index.js";
  definePanel();
  const query = new URLSearchParams(location.search);
  const options = { url: location.origin, token: query.get("token") };
  const panel = document.querySelector("sallyport-panel");
  const cart = document.querySelector("ul");
  const events = [];
  for (const name of ["session", "answer", "feedback", "toggle"])
    panel.addEventListener("sallyport-" + name, (event) => events.push({ name, ...event.detail }));
  const live = new LiveConnection(options);
  const addToCart = {
    name: "add_to_cart",
    description: "Puts an article into the cart.",
    schema: { type: "object", properties: { article: { type: "string" } }, required: ["article"] },
    handler: ({ article }) => {
      const line = document.createElement("li");
      line.textContent = article;
      cart.append(line);
      return { in_cart: cart.children.length };
    },
  };
  const settings = JSON.parse(query.get("session") ?? "{}");
  panel.connect({
    client: new SallyportClient(options),
    live,
    session: () => ({ ...settings }),
    page: { page: "shop", tools: [query.has("broken") ? { ...addToCart, schema: { type: "array" } } : addToCart] },
    firstPrefix: query.has("prefix") ? () => query.get("prefix") : undefined,
    describe: (tool, input) => (tool === "add_to_cart" ? "Adding " + input.article + " to the cart…" : undefined),
    contextId: query.get("context") ?? "shop",
    title: "Ask Claude",
    placeholder: "Ask Claude about the shop…",
    suggestions: ["What is in my cart?", "Add milk to my cart"],
  });
  Object.assign(globalThis, { panel, live, events, addToCart, settings });
`;

/** A site that has the panel in its page, and the server behind the same address. */
export interface HostSite {
  readonly url: string;
  close(): Promise<void>;
}

/** `served`: where the server is now; it may move. `files`: more that the site has, by path. */
export async function openHostSite(options: {
  readonly port: number;
  readonly served: () => string;
  readonly files?: Readonly<Record<string, { readonly type: string; readonly text: string }>>;
}): Promise<HostSite> {
  if (!existsSync(`${BUILT}panel/index.js`)) throw new Error("dist/panel is missing: run `npm run build` first");
  const files = { ...PAGES, ...options.files };
  const server = createServer((asked, answer) => {
    const path = new URL(asked.url ?? "/", "http://host").pathname;
    const file = files[path];
    if (file !== undefined) send(answer, file.type, file.text);
    else if (path.startsWith("/lib/")) void sendBuilt(answer, path.slice("/lib/".length));
    else pass(asked, answer, options.served());
  });
  const sockets = new Set<Duplex>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (asked, socket, head) => passSocket(asked, socket, head, options.served()));
  await new Promise<void>((done) => server.listen(options.port, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${options.port}`,
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  };
}

const page = (attributes: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
  `<title>A shop</title><link rel="stylesheet" href="/host.css"><link rel="icon" href="/icon.svg"></head><body><main><h1>A shop</h1><h2>Cart</h2><ul aria-label="Cart"></ul></main>` +
  `<sallyport-panel ${attributes}></sallyport-panel><script type="module" src="/host.js"></script></body></html>`;

const PAGES: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  "/": { type: "text/html", text: page('dock="right"') },
  "/full": { type: "text/html", text: page("data-inline") },
  "/host.js": { type: "text/javascript", text: SCRIPT },
  "/host.css": { type: "text/css", text: STYLE },
  "/icon.svg": { type: "image/svg+xml", text: "<svg xmlns='http://www.w3.org/2000/svg'/>" },
};

function send(answer: ServerResponse, type: string, text: string | Buffer): void {
  answer.writeHead(200, { "content-type": `${type}; charset=utf-8`, "content-security-policy": POLICY });
  answer.end(text);
}

async function sendBuilt(answer: ServerResponse, name: string): Promise<void> {
  const path = resolve(BUILT, name);
  if (!path.startsWith(BUILT) || !existsSync(path)) {
    answer.writeHead(404).end();
    return;
  }
  send(answer, "text/javascript", await readFile(path));
}

function pass(asked: IncomingMessage, answer: ServerResponse, served: string): void {
  const { hostname, port } = new URL(served);
  const onward = request(
    { hostname, port, path: asked.url, method: asked.method, headers: asked.headers },
    (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    },
  );
  // The server is away: so is this part of the site.
  onward.on("error", () => answer.destroy());
  answer.on("close", () => onward.destroy());
  asked.pipe(onward);
}

function passSocket(asked: IncomingMessage, socket: Duplex, head: Buffer, served: string): void {
  const { hostname, port } = new URL(served);
  const onward = connect(Number(port), hostname, () => {
    const lines = asked.rawHeaders.flatMap((name, index, all) =>
      index % 2 === 0 ? [`${name}: ${all[index + 1]}`] : [],
    );
    onward.write(`${asked.method} ${asked.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    onward.write(head);
    socket.pipe(onward).pipe(socket);
  });
  const end = (): void => {
    socket.destroy();
    onward.destroy();
  };
  for (const one of [socket, onward]) one.on("error", end).on("close", end);
}
