import { createServer, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { proxyFor } from "../../src/tunnels/proxied.ts";
import { openTestApp } from "../support/app.ts";
import { openPricedApp } from "../support/priced-app.ts";

describe("the network's proxy for a tunnel's address", () => {
  const proxies = {
    http: "http://plain:3128",
    https: "http://safe:3128",
    direct: "a.example, .b.example,c.example:8443",
  };
  test.each([
    ["wss://gateway.example.org/tunnel", "http://safe:3128/"],
    ["ws://gateway.example.org/tunnel", "http://plain:3128/"],
    ["wss://a.example/", undefined],
    ["wss://x.a.example/", undefined],
    ["wss://b.example/", undefined],
    ["wss://x.b.example/", undefined],
    ["wss://xb.example/", "http://safe:3128/"],
    ["wss://c.example:8443/", undefined],
    ["wss://c.example/", "http://safe:3128/"],
    ["ws://localhost:5353/tunnel", undefined],
    ["ws://127.0.0.1:5353/tunnel", undefined],
    ["ws://[::1]:5353/tunnel", undefined],
  ])("%s: %s", (url, proxy) => expect(proxyFor(new URL(url), proxies)?.href).toBe(proxy));

  test("is HTTP_PROXY for wss where there is no other, and none where NO_PROXY is *", () => {
    const url = new URL("wss://gateway.example.org/");
    expect(proxyFor(url, { http: "http://plain:3128" })?.host).toBe("plain:3128");
    expect(proxyFor(url, { https: "http://safe:3128", direct: "*" })).toBeUndefined();
    expect(proxyFor(url, {})).toBeUndefined();
  });
});

describe("a tunnel behind a proxy", () => {
  let proxy: TestProxy | undefined;
  afterEach(() => proxy?.close());

  test("is paired and used through CONNECT, with the proxy's credentials", async () => {
    await using home = await openPricedApp();
    proxy = await openProxy(() => Number(new URL(home.serving.url).port));
    await using gateway = await openTestApp({ HTTP_PROXY: `http://ada:s%20ecret@127.0.0.1:${proxy.port}` });
    await home.client.tunnels.offer({ id: "work", auth: "psk" });
    const { code } = await home.client.tunnels.offerCode("work");
    // A name that only the proxy knows.
    await gateway.client.tunnels.pair("work", { url: "ws://home.invalid:81/tunnel", code });
    expect(await gateway.client.tunnels.test("work")).toMatchObject({ status: "ok" });
    expect([...new Set(proxy.asked)]).toEqual([
      `home.invalid:81 Basic ${Buffer.from("ada:s ecret").toString("base64")}`,
    ]);
  });

  test("that refuses is told as what it is, without the credentials", async () => {
    proxy = await openProxy(() => 0);
    await using gateway = await openTestApp({ HTTP_PROXY: `http://ada:canary@127.0.0.1:${proxy.port}` });
    const refused = await gateway.client.tunnels
      .pair("work", { url: "ws://home.invalid:81/tunnel", code: "00000-00000" })
      .catch((error: unknown) => error as Error);
    expect(refused).toMatchObject({ code: "connection_failed" });
    expect((refused as Error).message).toContain("the proxy refuses it with 403");
    expect(JSON.stringify(refused)).not.toContain("canary");
  });
});

interface TestProxy {
  readonly port: number;
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** Connects to one port, whatever it is asked for. 0: it refuses. */
async function openProxy(target: () => number): Promise<TestProxy> {
  const asked: string[] = [];
  const open = new Set<{ destroy(): unknown }>();
  const server: Server = createServer();
  server.on("connect", (request, left) => {
    open.add(left);
    asked.push(`${request.url ?? ""} ${request.headers["proxy-authorization"] ?? ""}`);
    left.on("error", () => left.destroy());
    if (target() === 0) {
      left.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    const right = connect(target(), "127.0.0.1", () => {
      left.write("HTTP/1.1 200 Connection established\r\n\r\n");
      right.pipe(left).pipe(right);
    });
    open.add(right);
    right.on("error", () => left.destroy());
    left.on("close", () => right.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
