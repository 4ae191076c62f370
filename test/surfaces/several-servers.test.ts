import { createServer, request, type IncomingMessage } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { LiveConnection, SallyportClient } from "../../src/client/index.ts";
import { openTestApp, script, untilTurnEnds, type TestApp } from "../support/app.ts";

/** As docs/operations/scaling.md has it, the name that a request was sent to says which server gets it. */
const NAMES = ["127.0.0.1", "localhost"] as const;

let servers: readonly TestApp[];
let port = 0;
let close: () => Promise<void>;

function placeOf({ headers }: IncomingMessage): { readonly name: string; readonly port: number } {
  const name = headers.host?.replace(/:\d+$/, "") ?? "";
  const index = NAMES.findIndex((known) => known === name);
  return { name, port: Number(new URL(servers[index]?.serving.url ?? "").port) };
}

beforeAll(async () => {
  servers = [await openTestApp(), await openTestApp()];
  const balancer = createServer((incoming, response) => {
    const place = placeOf(incoming);
    const headers = { ...incoming.headers, host: place.name };
    const { method, url: path } = incoming;
    const onward = request({ host: "127.0.0.1", port: place.port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  balancer.on("upgrade", (incoming: IncomingMessage, socket, head: Buffer) => {
    const place = placeOf(incoming);
    const onward = connect(place.port, "127.0.0.1", () => {
      const headers = Object.entries({ ...incoming.headers, host: place.name });
      onward.write(`GET ${incoming.url ?? "/"} HTTP/1.1\r\n`);
      onward.write(`${headers.map(([name, value]) => `${name}: ${String(value)}`).join("\r\n")}\r\n\r\n`);
      onward.write(head);
      onward.pipe(socket);
      socket.pipe(onward);
    });
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
  });
  await new Promise<void>((resolve) => balancer.listen(0, resolve));
  ({ port } = balancer.address() as AddressInfo);
  close = async () => {
    balancer.closeAllConnections();
    await new Promise<void>((resolve) => balancer.close(() => resolve()));
  };
});
afterAll(async () => {
  await close();
  for (const server of servers) await server[Symbol.asyncDispose]();
});

/** A client through the balancer, with a token that its server made. */
async function clientOf(
  index: 0 | 1,
): Promise<{ readonly client: SallyportClient; readonly at: { readonly url: string; readonly token: string } }> {
  const made = await servers[index]?.as("operator", `team-${index}`);
  const at = { url: `http://${NAMES[index]}:${port}`, token: made?.token ?? "" };
  return { client: new SallyportClient(at), at };
}

describe("replicas behind a balancer that chooses by the name", () => {
  it("keep a session with its server: prompts, streams, sockets and lists", async () => {
    for (const index of [0, 1] as const) {
      const { client, at } = await clientOf(index);
      const { id } = await client.createSession({ prompt: { text: script({ say: `From ${index}.` }) } });
      const events = await untilTurnEnds(client, id);
      expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
      const live = new LiveConnection({ ...at, WebSocket });
      const heard: string[] = [];
      for await (const frame of live.watch(id)) {
        heard.push(frame.type);
        if (frame.type === "turn.completed") break;
      }
      live.close();
      expect(heard).toContain("item.completed");
      expect((await client.sessions()).sessions.map((session) => session.id)).toEqual([id]);
      // The other server knows neither the session nor the token.
      await expect(servers[1 - index]?.client.session(id)).rejects.toMatchObject({ code: "not_found" });
      const elsewhere = new SallyportClient({ ...at, url: `http://${NAMES[index === 0 ? 1 : 0]}:${port}` });
      await expect(elsewhere.sessions()).rejects.toMatchObject({ code: "unauthenticated" });
    }
  });

  it("serve others while one of them is away, whose sessions go on when it is back", async () => {
    const [{ client: first }, { client: second }] = [await clientOf(0), await clientOf(1)];
    const { id } = await first.createSession({ prompt: { text: script({ say: "One." }) } });
    await untilTurnEnds(first, id);
    const { seq } = await first.session(id);
    await servers[0]?.stop();
    const other = await second.createSession({ prompt: { text: script({ say: "Two." }) } });
    expect((await untilTurnEnds(second, other.id)).at(-1)).toMatchObject({ type: "turn.completed" });
    await servers[0]?.restart();
    await first.prompt(id, { text: script({ say: "Three." }) });
    expect((await untilTurnEnds(first, id, { after: seq })).at(-1)).toMatchObject({ type: "turn.completed" });
  });
});
