import { once } from "node:events";
import { createServer as createHttp, request as requestHttp, type IncomingMessage, type Server } from "node:http";
import { connect, createServer as createTcp, type AddressInfo, type Server as TcpServer, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import {
  looksPublic,
  openEgressProxy,
  type EgressProxy,
  type EgressRefusal,
  type EgressTarget,
} from "../../src/network/index.ts";

const open: { close(): unknown }[] = [];
const refusals: EgressRefusal[] = [];
afterEach(async () => {
  refusals.splice(0);
  for (const thing of open.splice(0)) await thing.close();
});

async function proxyFor(hosts: readonly string[], tlsPort?: number): Promise<EgressProxy & { readonly port: number }> {
  const onRefused = (refusal: EgressRefusal): void => void refusals.push(refusal);
  const proxy = await openEgressProxy({ listen: 0, hosts: () => hosts, tlsPort, onRefused });
  open.push(proxy);
  if (proxy.port === undefined) throw new Error("no port");
  return { ...proxy, port: proxy.port };
}

async function listening(server: Server | TcpServer): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(server);
  return (server.address() as AddressInfo).port;
}

/** What came over a tunnel, until it closed or `until` is in it; undefined: the proxy refused with these words. */
async function tunnel(port: number, target: string, send: string | Buffer, until: string) {
  const request = requestHttp({ port, method: "CONNECT", path: target, agent: false });
  request.end();
  const [answer, socket] = (await Promise.race([
    once(request, "connect"),
    once(request, "response").then(async ([response]: IncomingMessage[]) => [response, undefined]),
  ])) as [IncomingMessage, Socket | undefined];
  if (answer.statusCode !== 200 || socket === undefined) return { status: answer.statusCode, text: "" };
  socket.on("error", () => undefined);
  let text = "";
  socket.write(send);
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (text.includes(until)) resolve();
    });
    socket.once("close", () => resolve());
  });
  socket.destroy();
  return { status: 200, text };
}

/** A ClientHello with nothing but a name. */
function clientHello(name: string): Buffer {
  const part = (bytes: number, ...content: readonly Buffer[]): Buffer => {
    const body = Buffer.concat(content);
    const length = Buffer.alloc(bytes);
    length.writeUIntBE(body.length, 0, bytes);
    return Buffer.concat([length, body]);
  };
  const serverName = Buffer.concat([
    Buffer.from([0, 0]),
    part(2, part(2, Buffer.concat([Buffer.from([0]), part(2, Buffer.from(name))]))),
  ]);
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32),
    part(1),
    part(2, Buffer.from([0x13, 0x01])),
    part(1, Buffer.from([0])),
    part(2, serverName),
  ]);
  return Buffer.concat([Buffer.from([22, 3, 1]), part(2, Buffer.from([1]), part(3, body))]);
}

async function echo(): Promise<number> {
  return listening(createTcp((socket) => void socket.on("error", () => undefined).pipe(socket)));
}

describe("CONNECT", () => {
  test("passes bytes to a host that a rule names with its port", async () => {
    const target = await echo();
    const { port } = await proxyFor([`localhost:${target}`]);
    expect(await tunnel(port, `localhost:${target}`, "hello", "hello")).toEqual({ status: 200, text: "hello" });
    expect(refusals).toEqual([]);
  });

  test.each([
    ["another host", "example.org:443", []],
    ["a port that no rule names", "localhost:22", ["localhost"]],
    ["a private address behind a pattern", "localhost:443", ["*"]],
    ["an address instead of a name", "127.0.0.1:443", ["localhost"]],
    ["the metadata address", "169.254.169.254:80", ["*"]],
    ["IPv6's loopback", "[::1]:443", ["*"]],
    ["a loopback written as IPv6", "[::ffff:127.0.0.1]:443", ["*"]],
    ["a loopback written as a number", "2130706433:443", ["*"]],
  ])("refuses %s, and tells", async (_, target, hosts) => {
    const { port } = await proxyFor(hosts);
    expect(await tunnel(port, target, "hello", "hello")).toEqual({ status: 403, text: "" });
    expect(refusals).toHaveLength(1);
  });

  test.each(["localhost", "localhost:0", "user@localhost:443", "localhost:443/x", ""])(
    "%j is no target",
    async (target) => {
      const { port } = await proxyFor(["localhost"]);
      expect((await tunnel(port, target === "" ? "?" : target, "hello", "hello")).status).toBe(400);
      expect(refusals).toEqual([]);
    },
  );
});

test("a web request goes through with its body, without the headers of the hop", async () => {
  const seen: unknown[] = [];
  const target = await listening(
    createHttp((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        seen.push([request.method, request.url, request.headers["proxy-authorization"], request.headers.host, body]);
        response.writeHead(201, { "x-answer": "yes" }).end("made");
      });
    }),
  );
  const { port } = await proxyFor([`localhost:${target}`]);
  const request = requestHttp({
    port,
    method: "POST",
    path: `http://localhost:${target}/a?b=c`,
    headers: { "proxy-authorization": "Basic x" },
    agent: false,
  });
  request.end("content");
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  expect([response.statusCode, response.headers["x-answer"]]).toEqual([201, "yes"]);
  expect(seen).toEqual([["POST", "/a?b=c", undefined, `localhost:${target}`, "content"]]);
});

test("a request without a host, or for a host that is not allowed, is refused", async () => {
  const { port } = await proxyFor([]);
  for (const [path, status] of [
    ["/", 400],
    ["http://example.org/", 403],
    ["https://example.org/", 400],
  ] as const) {
    const request = requestHttp({ port, path, agent: false });
    request.end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    expect([path, response.statusCode]).toEqual([path, status]);
  }
  expect(refusals.map(({ host }) => host)).toEqual(["example.org"]);
});

describe("the name that a TLS client asks for", () => {
  test.each([
    ["the host", clientHello("localhost"), "passed"],
    ["the host in capitals", clientHello("LOCALHOST"), "passed"],
    ["another host of the same address", clientHello("evil.example"), "cut"],
    ["no TLS", Buffer.from("SSH-2.0-x\r\n"), "cut"],
    ["a cut record", Buffer.from([22, 3, 1, 0, 3, 1, 0, 0]), "cut"],
  ] as const)("%s is %s", async (_, hello, expected) => {
    const target = await echo();
    const { port } = await proxyFor([`localhost:${target}`], target);
    const { text } = await tunnel(port, `localhost:${target}`, hello, hello.toString("latin1"));
    expect(text === "" ? "cut" : "passed").toBe(expected);
    expect(refusals).toHaveLength(expected === "cut" ? 1 : 0);
  });
});

describe("a host that no rule allows is asked about", () => {
  test("once before its name is resolved; SNI is looked at all the same", async () => {
    const target = await echo();
    const asked: EgressTarget[] = [];
    const looked: string[] = [];
    const proxy = await openEgressProxy({
      listen: 0,
      hosts: () => [],
      tlsPort: target,
      ask: async (wanted) => {
        asked.push(wanted);
        return wanted.host === "no.test"
          ? { allowed: false, reason: "not_approved", message: "No." }
          : { allowed: true };
      },
      addressOf: async (host, rule) => {
        looked.push(`${host} ${rule}`);
        return { address: "127.0.0.1", family: 4 };
      },
      onRefused: (refusal) => void refusals.push(refusal),
    });
    open.push(proxy);
    const reach = async (host: string, hello: Buffer) =>
      tunnel(proxy.port ?? 0, `${host}:${target}`, hello, hello.toString("latin1"));
    expect((await reach("no.test", clientHello("no.test"))).status).toBe(403);
    expect((await reach("yes.test", clientHello("yes.test"))).text).not.toBe("");
    expect((await reach("yes.test", clientHello("other.test"))).text).toBe("");
    expect(asked.map(({ host }) => host)).toEqual(["no.test", "yes.test", "yes.test"]);
    // A yes is no rule that names the host: private addresses stay closed.
    expect(looked).toEqual(["yes.test matched", "yes.test matched"]);
    expect(refusals.map(({ reason }) => reason)).toEqual(["not_approved", "tls_name"]);
  });

  test.each([
    ["a tunnel", (target: string) => `CONNECT ${target} HTTP/1.1\r\nhost: x\r\n\r\n`],
    ["a web request", (target: string) => `GET http://${target}/ HTTP/1.1\r\nhost: x\r\n\r\n`],
  ])("until the program gives up: %s", async (_, words) => {
    let asked = (): void => undefined;
    let gaveUp = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const isGone = new Promise<void>((resolve) => (gaveUp = resolve));
    const proxy = await openEgressProxy({
      listen: 0,
      hosts: () => [],
      ask: (_target, signal) => {
        asked();
        return new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            gaveUp();
            resolve({ allowed: false, reason: "not_approved", message: "gone" });
          });
        });
      },
      onRefused: (refusal) => void refusals.push(refusal),
    });
    open.push(proxy);
    const socket = connect(proxy.port ?? 0, "127.0.0.1");
    socket.write(words("gone.test:443"));
    await isAsked;
    socket.end();
    await isGone;
  });

  test.each([
    ["example.com", true],
    ["xn--80ak6aa92e.com", true],
    ["_dmarc.example.com", true],
    ["93.184.216.34", true],
    ["2606:4700::1111", true],
    ["10.0.0.1", false],
    ["::1", false],
    ["server", false],
    ["printer.local", false],
    ["metadata.google.internal", false],
    ["a.home.arpa", false],
    ["*.example.com", false],
    ["a(b).example.com", false],
    [`${"a".repeat(64)}.com`, false],
    [`${"a.".repeat(130)}com`, false],
  ])("%s looks public: %s", (host, expected) => {
    expect(looksPublic(host)).toBe(expected);
  });
});

test("its end ends every connection", async () => {
  const target = await echo();
  const proxy = await proxyFor([`localhost:${target}`]);
  const socket = connect(proxy.port, "127.0.0.1");
  socket.write(`CONNECT localhost:${target} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await once(socket, "data");
  await proxy.close();
  await once(socket, "close");
});
