import { request as ask } from "node:http";
import { request as askSecurely } from "node:https";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { LIMITS } from "../protocol/index.ts";
import type { NetworkProxies } from "../proxy/index.ts";

const THIS_MACHINE: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"]);

/** The network's proxy for a WebSocket's address. Undefined: it is reached directly. */
export function proxyFor(url: URL, { http = "", https = "", direct = "" }: NetworkProxies): URL | undefined {
  const proxy = url.protocol === "wss:" && https !== "" ? https : http;
  if (proxy === "" || !URL.canParse(proxy) || isDirect(url, direct)) return undefined;
  return new URL(proxy);
}

/** As for providers: hosts, `.example.org` for a domain, `host:port`, and `*` for all. This machine is always reached directly. */
function isDirect(url: URL, direct: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (THIS_MACHINE.has(host)) return true;
  const port = url.port === "" ? (url.protocol === "wss:" ? "443" : "80") : url.port;
  return direct
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === "") return false;
      if (entry === "*") return true;
      const [, name = "", onPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (onPort !== undefined && onPort !== port) return false;
      const plain = name.replace(/^\*?\./, "");
      return host === plain || host.endsWith(`.${plain}`);
    });
}

type ProxiedSocket = (error: Error | null, socket?: Socket) => void;

/** Connects by `CONNECT` of a proxy, then with TLS where the address says so: the proxy reads nothing of a `wss:` tunnel. */
export function connectThrough(proxy: URL, url: URL, connected: ProxiedSocket): void {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? (url.protocol === "wss:" ? "443" : "80") : url.port;
  const target = `${url.hostname}:${port}`;
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization =
    proxy.username === ""
      ? {}
      : { "proxy-authorization": `Basic ${Buffer.from(credentials, "utf8").toString("base64")}` };
  const outgoing = (proxy.protocol === "https:" ? askSecurely : ask)({
    method: "CONNECT",
    host: proxy.hostname.replace(/^\[|\]$/g, ""),
    port: proxy.port === "" ? (proxy.protocol === "https:" ? 443 : 80) : proxy.port,
    path: target,
    headers: { host: target, ...authorization },
    agent: false,
    timeout: LIMITS.tunnelHandshakeMs,
  });
  outgoing.once("timeout", () => outgoing.destroy(new Error("the proxy does not answer")));
  outgoing.once("error", connected);
  outgoing.once("response", (response) => {
    response.destroy();
    connected(new Error(`the proxy answers ${response.statusCode ?? 0}`));
  });
  outgoing.once("connect", (response, socket, head) => {
    if (response.statusCode !== 200 || head.length > 0) {
      socket.destroy();
      connected(new Error(`the proxy refuses it with ${response.statusCode ?? 0}`));
      return;
    }
    if (url.protocol !== "wss:") connected(null, socket);
    else connected(null, connectTls({ socket, servername: /^[\d.]+$|:/.test(host) ? "" : host }));
  });
  outgoing.end();
}
