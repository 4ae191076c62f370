import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { hostRule, isPrivateAddress } from "../../src/network/index.ts";
import { bench } from "./fixture.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const page =
  (type: string, body: string | Buffer, more: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(200, { "content-type": type, ...more }).end(body);
  };
const redirect =
  (location: string): Answer =>
  (_request, response) => {
    response.writeHead(302, { location }).end();
  };

const ANSWERS: Readonly<Record<string, Answer>> = {
  "/text": page("text/plain", "plain text"),
  "/html": page("text/html; charset=utf-8", "<title>T</title><p>Hi <a href='/x'>there</a></p>"),
  "/json": page("application/json", '{"a":1}'),
  "/ld": page("application/ld+json", "{}"),
  "/latin": page("text/plain; charset=iso-8859-1", Buffer.from("gr\xfc\xdfe", "latin1")),
  "/charset": page("text/plain; charset=nonsense", "x"),
  "/image": page("image/png", Buffer.from([1, 2, 3])),
  "/empty": page("text/plain", ""),
  "/gzip": page("text/plain", gzipSync("zipped"), { "content-encoding": "gzip" }),
  "/br": page("text/plain", brotliCompressSync("brotli"), { "content-encoding": "br" }),
  "/deflate": page("text/plain", deflateSync("deflated"), { "content-encoding": "deflate" }),
  "/broken": page("text/plain", "not zipped", { "content-encoding": "gzip" }),
  "/bomb": page("text/plain", gzipSync(Buffer.alloc(50_000_000, "a")), { "content-encoding": "gzip" }),
  "/big": page("text/plain", "b".repeat(LIMITS.webFetchBytes + 1_000)),
  "/long": page("text/plain", "0123456789".repeat(15_000)),
  "/here": redirect("/text"),
  "/loop": redirect("/loop"),
  "/elsewhere": redirect("http://example.org/page"),
  "/port": redirect("http://127.0.0.1:1/"),
  "/file": redirect("file:///etc/passwd"),
  "/bad": redirect("http://["),
  "/404": (_request, response) => void response.writeHead(404, { "content-type": "text/html" }).end("<h1>Gone</h1>"),
  "/agent": (request, response) =>
    void response
      .writeHead(200, { "content-type": "text/plain" })
      .end(JSON.stringify([request.method, request.headers["user-agent"], request.headers.cookie ?? "no cookie"])),
  "/cut": (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": "100" });
    response.write("part");
    response.destroy();
  },
  "/slow": () => undefined,
};

const server = createServer((request, response) => {
  const answer = ANSWERS[request.url ?? ""];
  if (answer === undefined) response.writeHead(500).end();
  else answer(request, response);
});
let base = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const named = { webHosts: ["127.0.0.1"] };

describe("pages", () => {
  test.each([
    ["/text", "plain text"],
    ["/html", "# T\n\nHi [there](BASE/x)"],
    ["/json", '{"a":1}'],
    ["/ld", "{}"],
    ["/latin", "grüße"],
    ["/charset", "x"],
    ["/empty", "BASE/empty is empty."],
    ["/gzip", "zipped"],
    ["/br", "brotli"],
    ["/deflate", "deflated"],
    ["/here", "plain text"],
    ["/agent", '["GET","sallyport","no cookie"]'],
    [
      "/elsewhere",
      "BASE/elsewhere redirects to another place: http://example.org/page\nFetch that address if you want it.",
    ],
    ["/port", "BASE/port redirects to another place: http://127.0.0.1:1/\nFetch that address if you want it."],
    ["/file", "BASE/file redirects to another place: file:///etc/passwd\nFetch that address if you want it."],
  ])("%s", async (path, expected) => {
    const tools = await bench(named);
    const text = await tools.text("WebFetch", { url: base + path, prompt: "what" });
    expect(text).toBe(expected.replaceAll("BASE", base));
  });

  test.each([
    ["/image", "BASE/image is of type image/png, which cannot be shown as text."],
    ["/404", "BASE/404 answered 404 Not Found\n\n# Gone"],
    ["/loop", `BASE/loop redirects more than ${LIMITS.webRedirects} times.`],
    ["/bad", "BASE/bad redirects to something that is not an address."],
    ["/broken", /^BASE\/broken could not be fetched: incorrect header check$/],
    ["/cut", /^BASE\/cut could not be fetched: (aborted|socket hang up)$/],
  ])("%s is an error", async (path, expected) => {
    const tools = await bench(named);
    const text = (await tools.error("WebFetch", { url: base + path, prompt: "" })).replaceAll(base, "BASE");
    if (typeof expected === "string") expect(text).toBe(expected);
    else expect(text).toMatch(expected);
  });

  test.each(["/big", "/bomb"])("%s is taken up to a bound", async (path) => {
    const tools = await bench(named);
    const first = await tools.text("WebFetch", { url: base + path, prompt: "" });
    expect(first).toMatch(/\n\n\(The text goes on: fetch with offset 100000\.\)$/);
    const last = await tools.text("WebFetch", { url: base + path, prompt: "", offset: LIMITS.webFetchBytes - 10 });
    expect(last).toMatch(/^[ab]{10}\n\n\(Only the first 5000000 bytes of the page were taken\.\)$/);
  });

  test("offset reads on", async () => {
    const tools = await bench(named);
    const rest = await tools.text("WebFetch", { url: `${base}/long`, prompt: "", offset: 100_005 });
    expect([rest.length, rest.slice(0, 5)]).toEqual([49_995, "56789"]);
    expect(await tools.error("WebFetch", { url: `${base}/long`, prompt: "", offset: 150_000 })).toBe(
      "Offset 150000 is beyond the end of the text, which has 150000 characters.",
    );
  });

  test("can be interrupted", async () => {
    const tools = await bench(named);
    const signal = AbortSignal.timeout(50);
    expect(await tools.error("WebFetch", { url: `${base}/slow`, prompt: "" }, { signal })).toBe(
      "The fetch was interrupted.",
    );
  });
});

describe("what may be reached", () => {
  test.each([
    [
      "no host is allowed",
      [],
      "BASE/text",
      "The host 127.0.0.1 is not allowed. An admin can allow it with web_hosts in the policy's profile of this session.",
    ],
    ["another host is allowed", ["example.org"], "BASE/text", /^The host 127\.0\.0\.1 is not allowed/],
    [
      "a pattern does not open the own network",
      ["*"],
      "BASE/text",
      /^The host 127\.0\.0\.1 has the address 127\.0\.0\.1, which is not on the open internet\./,
    ],
    [
      "nor by name",
      ["*"],
      "http://localhost:1/",
      /^The host localhost has the address (127\.0\.0\.1|::1), which is not on the open internet\./,
    ],
    ["nor by other spellings", ["*"], "http://2130706433:1/", /^The host 127\.0\.0\.1 has the address/],
    ["nor by IPv6", ["*"], "http://[::1]:1/", /^The host ::1 has the address ::1/],
    ["nor by mapped IPv6", ["*"], "http://[::ffff:127.0.0.1]:1/", /not on the open internet/],
    ["nor the cloud's own", ["*"], "http://169.254.169.254/", /not on the open internet/],
    ["another scheme", ["*"], "file:///etc/passwd", "Only http and https addresses can be fetched, not file:"],
    ["ftp", ["*"], "ftp://example.org/", "Only http and https addresses can be fetched, not ftp:"],
    ["no address at all", ["*"], "not a url", "Not an address of the web: not a url"],
    [
      "a password",
      ["*"],
      "http://user:pass@example.org/",
      "The address holds a user name or password. Leave them out.",
    ],
    ["no such host", ["*"], "http://no-such-host.invalid/", /^The host no-such-host\.invalid was not found/],
  ])("%s", async (_name, webHosts, url, expected) => {
    const tools = await bench({ webHosts });
    const text = await tools.error("WebFetch", { url: url.replace("BASE", base), prompt: "" });
    if (typeof expected === "string") expect(text).toBe(expected);
    else expect(text).toMatch(expected);
  });

  test("a host that is named exactly may be of the own network", async () => {
    const tools = await bench({ webHosts: ["LOCALHOST"] });
    expect(await tools.text("WebFetch", { url: `${base.replace("127.0.0.1", "localhost")}/text`, prompt: "" })).toBe(
      "plain text",
    );
  });

  test.each([
    ["example.org", ["example.org"], "named"],
    ["a.example.org", ["*.example.org"], "matched"],
    ["a.b.example.org", ["*.example.org"], "matched"],
    ["example.org", ["*.example.org"], "none"],
    ["evil-example.org", ["*.example.org"], "none"],
    ["example.org.evil.com", ["example.org", "*.example.org"], "none"],
    ["x", ["!y"], "none"],
    ["docs.example.org", ["{docs,api}.example.org"], "matched"],
  ])("%s under %j: %s", (host, rules, expected) => {
    expect(hostRule(host, rules)).toBe(expected);
  });

  test("the facts of a call name its host", async () => {
    const tools = await bench();
    expect(tools.toolbox.facts("WebFetch", { url: "https://Docs.Example.org./x", prompt: "" })).toEqual({
      name: "WebFetch",
      known: true,
      tier: "network",
      alwaysAsks: false,
      paths: [],
      hosts: ["docs.example.org"],
    });
  });
});

test.each([
  ["8.8.8.8", false],
  ["1.1.1.1", false],
  ["172.15.0.1", false],
  ["172.32.0.1", false],
  ["2606:4700:4700::1111", false],
  ["2001:4860:4860::8888", false],
  ["0.0.0.0", true],
  ["10.1.2.3", true],
  ["100.64.0.1", true],
  ["127.9.9.9", true],
  ["169.254.169.254", true],
  ["172.16.0.1", true],
  ["192.168.1.1", true],
  ["198.18.0.1", true],
  ["224.0.0.1", true],
  ["255.255.255.255", true],
  ["::", true],
  ["::1", true],
  ["::ffff:10.0.0.1", true],
  ["::ffff:8.8.8.8", false],
  ["::ffff:a00:1", true],
  ["64:ff9b::a00:1", true],
  ["2001:0:1::1", true],
  ["2002:a00:1::", true],
  ["fc00::1", true],
  ["fd12::1", true],
  ["fe80::1", true],
  // Overlays, segment routing, documentation, not given out.
  ["200::1", true],
  ["5f00::1", true],
  ["3fff::1", true],
  ["4000::1", true],
  ["2a00:1450:4001::1", false],
  ["ff02::1", true],
  ["nonsense", true],
])("%s is of the own network: %s", (address, expected) => {
  expect(isPrivateAddress(address)).toBe(expected);
});
