import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { resolve, sep } from "node:path";
import type { SallyportClient } from "../../../src/client/index.ts";

const BUILT = resolve(import.meta.dirname, "../../../dist") + sep;

/** A product's page. The server is somewhere else, and its token comes from the product's own backend. */
const SCRIPT = `
  import { LiveConnection, SallyportClient } from "/lib/client/index.js";
  import { definePanel } from "/lib/panel/index.js";
  definePanel();
  const query = new URLSearchParams(location.search);
  const url = query.get("server");
  const token = async () => (await (await fetch("/my/token?" + query.get("subject"))).json()).token;
  const panel = document.querySelector("sallyport-panel");
  const pay = {
    name: "pay",
    description: "Pays.",
    schema: { type: "object", properties: { note: { type: "string" } } },
    tier: "execute",
    handler: ({ note }) => "paid " + note,
  };
  const look = { name: "look", description: "Looks.", schema: { type: "object" }, handler: () => query.get("found") ?? "nothing" };
  panel.connect({
    client: new SallyportClient({ url, token }),
    live: new LiveConnection({ url, token }),
    session: () => ({}),
    page: { page: "shop", tools: [pay, look] },
    title: "Ask Claude",
    placeholder: "Ask Claude about the shop…",
  });
  Object.assign(globalThis, { panel, token });
`;

/** It lets everything run, so that whatever gets into the page does. */
const PAGE =
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A shop</title></head><body><h1>A shop</h1>` +
  `<sallyport-panel dock="right"></sallyport-panel><script type="module" src="/page.js"></script></body></html>`;

export interface Product {
  readonly url: string;
  close(): Promise<void>;
}

/** A product's site and backend. `issuer`: what it gets visitors' tokens with; absent: it has none to give. */
export async function openProduct(port: number, issuer?: () => SallyportClient): Promise<Product> {
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://product");
    const subject = search.slice(1);
    if (pathname === "/my/token" && issuer !== undefined)
      void issuer()
        .createToken({ role: "visitor", name: subject, subject, expires_in_s: 900 })
        .then(({ token }) => send(response, "application/json", JSON.stringify({ token })));
    else if (pathname === "/page.js") send(response, "text/javascript", SCRIPT);
    else if (pathname.startsWith("/lib/")) void sendBuilt(response, pathname.slice("/lib/".length));
    else send(response, "text/html", PAGE);
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, type: string, text: string | Buffer): void {
  response.writeHead(200, { "content-type": `${type}; charset=utf-8` });
  response.end(text);
}

async function sendBuilt(response: ServerResponse, name: string): Promise<void> {
  const path = resolve(BUILT, name);
  if (path.startsWith(BUILT)) send(response, "text/javascript", await readFile(path));
  else response.writeHead(404).end();
}
