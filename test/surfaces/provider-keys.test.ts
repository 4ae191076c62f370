import { once } from "node:events";
import { readFile, stat, readdir } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TestApp } from "../support/app.ts";
import { openWith } from "./mcp-client/world.ts";

const GOOD = "sk-ant-good-0123456789abcdef";
const BAD = "sk-ant-bad-0123456789abcdef";

let app: TestApp;
let vendor: Server;
let asked: (string | undefined)[];
beforeEach(async () => {
  asked = [];
  vendor = createServer((request, response) => {
    const key = request.headers["x-api-key"];
    asked.push(typeof key === "string" ? key : undefined);
    const isRight = key === GOOD;
    const body = isRight
      ? { data: [{ id: "claude-x", type: "model" }], has_more: false }
      : { error: { message: "no" } };
    response.writeHead(isRight ? 200 : 401, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  vendor.listen(0, "127.0.0.1");
  await once(vendor, "listening");
  const base_url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  app = await openWith({ settings: { providers: { cloud: { base_url } } } });
});
afterEach(async () => {
  await app[Symbol.asyncDispose]();
  vendor.closeAllConnections();
  vendor.close();
  await once(vendor, "close");
});

const settings = (): Promise<string> => readFile(join(app.place.home, "sallyport.yaml"), "utf8");

describe("a key that is typed into the console", () => {
  it("is kept once the provider takes it, for its owner alone, and is shown nowhere", async () => {
    expect(await app.client.health()).toMatchObject({ demo: true, default_provider: "sim" });
    expect(await app.client.setProviderKey("cloud", GOOD)).toMatchObject({ id: "cloud", status: "ok" });
    expect(asked).toEqual([GOOD]);
    const file = join(app.place.home, "keys", "cloud");
    expect([(await stat(file)).mode & 0o777, await readFile(file, "utf8")]).toEqual([0o600, `${GOOD}\n`]);
    expect(await settings()).toMatch(/credential_file: keys\/cloud/);
    const { providers } = await app.client.providers();
    expect(providers.find(({ id }) => id === "cloud")).toMatchObject({ credential: "found", is_default: true });
    // Sessions that name no provider use it from now on, and after a restart.
    expect(await app.client.health()).toMatchObject({ demo: false, default_provider: "cloud" });
    await app.restart();
    expect(await app.client.health()).toMatchObject({ demo: false, default_provider: "cloud" });
    const shown = JSON.stringify([await app.client.providers(), await app.client.audit({}), await settings()]);
    expect(shown).toContain("provider.key");
    expect(shown).not.toContain(GOOD);
  });

  it("is not kept if the provider refuses it, and nothing has changed", async () => {
    const before = await settings();
    const refused = app.client.setProviderKey("cloud", BAD);
    await expect(refused).rejects.toMatchObject({ code: "invalid_request" });
    await expect(refused).rejects.not.toThrow(BAD);
    expect(await settings()).toBe(before);
    await expect(readdir(join(app.place.home, "keys"))).rejects.toThrow();
    expect(await app.client.health()).toMatchObject({ demo: true });
  });

  it("is not kept where the settings cannot name it", async () => {
    const before = await settings();
    await expect(app.client.setProviderKey("sim", GOOD)).rejects.toMatchObject({ code: "invalid_request" });
    expect([await settings(), await readdir(join(app.place.home, "keys"))]).toEqual([before, []]);
  });

  it("comes from admins alone, for a provider that is there, as one word", async () => {
    for (const role of ["operator", "viewer", "agent"] as const)
      await expect((await app.as(role)).setProviderKey("cloud", GOOD)).rejects.toMatchObject({ code: "forbidden" });
    await expect(app.client.setProviderKey("nobody", GOOD)).rejects.toMatchObject({ code: "not_found" });
    await expect(app.client.setProviderKey("cloud", "two words")).rejects.toMatchObject({ code: "invalid_request" });
    await expect(app.client.setProviderKey("cloud", "a\nb: c")).rejects.toMatchObject({ code: "invalid_request" });
    expect(asked).toEqual([]);
  });
});
