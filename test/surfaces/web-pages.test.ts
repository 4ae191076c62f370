import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestApp, type TestApp } from "../support/app.ts";

const ASSETS = resolve(import.meta.dirname, "../../dist/web/assets");

let app: TestApp;
const get = (path: string, init?: RequestInit): Promise<Response> => fetch(app.serving.url + path, init);

beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

describe("the web pages", () => {
  test.each([
    "/",
    "/new",
    "/agent",
    "/sessions",
    "/sessions/ses_1",
    "/approvals",
    "/search",
    "/usage",
    "/policy",
    "/providers",
    "/tokens",
    "/audit",
  ])("%s is the console, for which nobody needs a token", async (path) => {
    const response = await get(path);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
    expect(await response.text()).toContain('<div id="console">');
  });

  test("run only our own scripts, and styles with a nonce that is new each time", async () => {
    const pages = await Promise.all([get("/"), get("/")]);
    const policies = pages.map((page) => page.headers.get("content-security-policy") ?? "");
    const nonces = policies.map((policy) => /'nonce-([^']+)'/.exec(policy)?.[1] ?? "");
    expect(new Set(nonces).size).toBe(2);
    const text = (await pages[0]?.text()) ?? "";
    // One script stands in the page itself, and is allowed by its content alone.
    const inline = [...text.matchAll(/<script(?![^>]* src=)[^>]*>([^]*?)<\/script>/g)].map(([, script = ""]) => script);
    expect(inline).toHaveLength(1);
    const hash = createHash("sha256").update(inline.join("")).digest("base64");
    for (const policy of policies) {
      expect(policy).toContain(`default-src 'none'; script-src 'self' 'sha256-${hash}';`);
      expect(policy).not.toContain("unsafe-eval");
      expect(policy).toContain("frame-ancestors 'none'");
    }
    expect(text).toContain(nonces[0]);
    expect(text).not.toContain("__CSP_NONCE__");
  });

  test("the workbench may compile WebAssembly and hold the script frame, no more", async () => {
    const response = await get("/workbench");
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/);
    expect(policy).toContain("frame-src 'self'");
    expect(await response.text()).toContain('<div id="workbench">');
  });

  test("the script frame is an origin of its own that reaches nothing", async () => {
    const response = await get("/workbench/script-frame");
    const policy = response.headers.get("content-security-policy") ?? "";
    const [, nonce = "none"] = /'nonce-([^']{22,})'/.exec(policy) ?? [];
    // Our own scripts are nothing that a script may load either.
    expect([response.status, policy]).toEqual([
      200,
      `sandbox allow-scripts; default-src 'none'; script-src 'nonce-${nonce}'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
    ]);
    expect(await response.text()).toContain(`<script nonce="${nonce}">`);
    expect((await get("/workbench/script-frame")).headers.get("content-security-policy")).not.toContain(nonce);
  });

  test("send large parts packed to who can unpack them, and the same bytes to who cannot", async () => {
    const script = readdirSync(ASSETS).find((name) => name.endsWith(".js.gz")) ?? "";
    const path = `/assets/${script.slice(0, -".gz".length)}`;
    const plain = await get(path, { headers: { "accept-encoding": "identity" } });
    const packed = await get(path, { headers: { "accept-encoding": "gzip" } });
    expect([plain.headers.get("content-encoding"), packed.headers.get("content-encoding")]).toEqual([null, "gzip"]);
    expect([plain.headers.get("vary"), packed.headers.get("vary")]).toEqual(["accept-encoding", "accept-encoding"]);
    expect(await packed.text()).toBe(await plain.text());
  });

  test("name what the opened page needs, few and small files, and send those with Brotli", async () => {
    const partsOf = async (path: string): Promise<readonly string[]> =>
      [...(await (await get(path)).text()).matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].flatMap(
        ([, part]) => part ?? [],
      );
    const [list, session, other] = await Promise.all(["/sessions", "/sessions/ses_1", "/usage"].map(partsOf));
    expect(list?.filter((part) => !other?.includes(part))).toHaveLength(2);
    expect(session?.filter((part) => !other?.includes(part)).length).toBeGreaterThan(1);
    const sent = await Promise.all(
      (list ?? []).map(async (part) => {
        const response = await get(part, { headers: { "accept-encoding": "gzip, br" } });
        await response.arrayBuffer();
        return [response.headers.get("content-encoding"), Number(response.headers.get("content-length"))] as const;
      }),
    );
    const large = sent.filter(([, bytes]) => bytes > 2_000);
    expect(large.length).toBeGreaterThan(4);
    expect(large.map(([encoding]) => encoding)).toEqual(large.map(() => "br"));
    expect([sent.length <= 10, sent.reduce((sum, [, bytes]) => sum + bytes, 0) < 190_000]).toEqual([true, true]);
  });

  test("leave schemas out of the list of sessions and of a conversation", async () => {
    // A word of zod's own, which stays when its names are made short.
    const MARK = "invalid_union";
    const hasMark = async (path: string): Promise<boolean> => (await (await get(path)).text()).includes(MARK);
    const schemas = readdirSync(ASSETS).filter((name) => /^schemas-[^.]+\.js$/.test(name));
    expect(await Promise.all(schemas.map((name) => hasMark(`/assets/${name}`)))).toEqual([true]);
    for (const path of ["/sessions", "/sessions/ses_1"]) {
      const html = await (await get(path)).text();
      const scripts = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].flatMap(([, script]) => script ?? []);
      expect(scripts.length).toBeGreaterThan(5);
      expect(await Promise.all(scripts.map(hasMark))).toEqual(scripts.map(() => false));
    }
  });

  test("keep very large parts once, packed, and unpack them for who cannot", async () => {
    const names = readdirSync(ASSETS);
    const [large = "", ...others] = names.filter(
      (name) => name.endsWith(".wasm.gz") && !names.includes(name.slice(0, -3)),
    );
    expect(others).toEqual([]);
    const path = `/assets/${large.slice(0, -".gz".length)}`;
    const plain = await get(path, { headers: { "accept-encoding": "identity" } });
    expect([plain.status, plain.headers.get("content-type"), plain.headers.get("content-encoding")]).toEqual([
      200,
      "application/wasm",
      null,
    ]);
    const packed = await get(path, { headers: { "accept-encoding": "gzip" } });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    const digest = async (response: Response): Promise<string> =>
      createHash("sha256")
        .update(Buffer.from(await response.arrayBuffer()))
        .digest("hex");
    expect(await digest(plain)).toBe(await digest(packed));
  });

  test("a script that becomes a worker may load nothing from elsewhere", async () => {
    const script = readdirSync(ASSETS).find((name) => name.endsWith(".js")) ?? "";
    expect((await get(`/assets/${script}`)).headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'",
    );
  });

  test("load parts that are kept for ever, because their names change", async () => {
    const script = readdirSync(ASSETS).find((name) => name.endsWith(".js")) ?? "";
    const response = await get(`/assets/${script}`);
    expect([response.status, response.headers.get("content-type"), response.headers.get("cache-control")]).toEqual([
      200,
      "text/javascript; charset=utf-8",
      "public, max-age=31536000, immutable",
    ]);
  });

  test.each([
    "/assets/nothing.js",
    "/assets/..%2f..%2fcli%2fmain.js",
    `/assets/${encodeURIComponent(join("..", "console", "index.html"))}`,
  ])("%s is not there", async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  test.each([
    ["POST", "/sessions"],
    ["GET", "/api/sessions"],
    ["GET", "/sessions/a/b"],
  ])("%s %s still needs a token", async (method, path) => {
    expect((await get(path, { method })).status).toBe(401);
  });

  test("are not for a page of another site", async () => {
    expect((await get("/", { headers: { origin: "http://elsewhere.example" } })).status).toBe(403);
  });
});
