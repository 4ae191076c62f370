import { createServer, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { expect, test } from "vitest";
import { json, World } from "./world.ts";

const ANSWER = { type: "message", usage: { input_tokens: 10, output_tokens: 5 } };

/** A small CONNECT proxy that leads every name to this machine. */
async function openConnectProxy(): Promise<{
  readonly url: string;
  readonly asked: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer();
  server.on("connect", (request, client: Socket, head: Buffer) => {
    asked.push(request.url ?? "");
    const target = connect(Number((request.url ?? "").split(":")[1]), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      target.write(head);
      target.pipe(client).pipe(target);
    });
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("requests to providers pass the network's proxy, those to this machine do not", async () => {
  await using network = await openConnectProxy();
  await using provider = await World.open();
  provider.behaviour = (_, response) => json(response, ANSWER);
  const { port } = new URL(provider.upstreamUrl);
  const networkProxies = { http: network.url };
  await using far = await World.open({ baseUrl: `http://models.example.test:${port}`, networkProxies });
  expect([(await far.ask()).status, network.asked]).toEqual([200, [`models.example.test:${port}`]]);
  await using near = await World.open({ baseUrl: provider.upstreamUrl, networkProxies });
  expect([(await near.ask()).status, network.asked.length, provider.arrivals.length]).toEqual([200, 1, 2]);
});

test("NO_PROXY names hosts that are reached directly", async () => {
  await using network = await openConnectProxy();
  await using world = await World.open({
    baseUrl: "http://nowhere.invalid:9",
    networkProxies: { http: network.url, direct: ".invalid" },
  });
  expect([(await world.ask()).status, network.asked]).toEqual([502, []]);
});

test("a proxy that cannot be reached costs nothing", async () => {
  await using world = await World.open({
    baseUrl: "http://models.example.test",
    networkProxies: { http: "http://127.0.0.1:9" },
  });
  const answer = await world.ask();
  expect([answer.status, answer.headers["x-sallyport-code"], await world.balance()]).toEqual([
    502,
    "model_unavailable",
    { spent: 0, reserved: 0 },
  ]);
});
