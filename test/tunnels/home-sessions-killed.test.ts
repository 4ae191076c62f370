import { afterAll, beforeAll, expect, test } from "vitest";
import type { SallyportClient } from "../../src/client/index.ts";
import type { Approval, JournalEvent } from "../../src/protocol/index.ts";
import { approveWith, script, untilTurnEnds } from "../support/app.ts";
import { makePlace, startServer, type Place, type ServerProcess } from "../support/server.ts";
import { openBadNetwork, type BadNetwork } from "./bad-network.ts";
import { keepSecret } from "./two-servers.ts";

interface Machine {
  readonly place: Place;
  server: ServerProcess;
}

let home: Machine;
let gateway: Machine;
let network: BadNetwork;
beforeAll(async () => {
  const open = async (): Promise<Machine> => {
    const place = await makePlace();
    return { place, server: await startServer(place, { SALLYPORT_PROVIDER: "sim" }) };
  };
  [home, gateway] = await Promise.all([open(), open()]);
  network = await openBadNetwork(() => Number(new URL(home.server.url).port));
  await home.server.client.setPolicy({
    default_profile: "answered",
    profiles: { answered: { autonomy: "restricted", approvers: ["creator"], for_agents: true } },
  });
  const { secret = "" } = await home.server.client.tunnels.offer({ id: "home", auth: "psk", sessions: true });
  await keepSecret(gateway.place.home, "home", secret);
  const auth = { type: "psk" as const, secret_path: "tunnels/home" };
  await gateway.server.client.tunnels.save("home", { url: `ws://127.0.0.1:${network.port}/tunnel`, auth });
  await gateway.server.client.tunnels.test("home");
});
afterAll(async () => {
  await Promise.all([home.server.kill(), gateway.server.kill()]);
  await network.close();
  await Promise.all([home.place.remove(), gateway.place.remove()]);
});

async function killAndStart(machine: Machine): Promise<void> {
  await machine.server.kill();
  machine.server = await startServer(machine.place, { SALLYPORT_PROVIDER: "sim" });
}

async function pending(client: SallyportClient, session_id: string): Promise<readonly Approval[]> {
  return (await client.approvals({ session_id, status: "pending" })).approvals;
}

function told(events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "item.completed")
      return event.item.type === "agent_message" ? [event.item.text] : [`${event.item.type} ${event.item.status}`];
    return event.type === "turn.completed" || event.type === "turn.failed" ? [event.type] : [];
  });
}

test("SIGKILL of the gateway, then of home, in the middle of a turn: it goes on, and each call runs once", async () => {
  const prompt = {
    text: script(
      { say: "First." },
      { tool: "Bash", input: { command: "echo one >> log.txt" } },
      { tool: "Bash", input: { command: "echo two >> log.txt" } },
      { tool: "Bash", input: { command: "cat log.txt" } },
      { say: "Last." },
    ),
  };
  const settings = { engine: "tunnel", provider: "tunnel:home", model: "sim" };
  const { id } = await gateway.server.client.createSession({ ...settings, prompt });
  const answer = async (): Promise<void> => {
    await expect.poll(async () => (await pending(gateway.server.client, id)).length).toBe(1);
    for (const question of await pending(gateway.server.client, id)) await approveWith(gateway.server.client)(question);
  };
  await answer();
  await expect.poll(async () => (await pending(gateway.server.client, id)).length).toBe(1);
  await killAndStart(gateway);
  await answer();
  await expect.poll(async () => (await pending(gateway.server.client, id)).length).toBe(1);
  await killAndStart(home);
  network.cut();
  await answer();
  const events = await untilTurnEnds(gateway.server.client, id);
  expect(told(events)).toEqual([
    "First.",
    "mcp_tool_call completed",
    "mcp_tool_call completed",
    "mcp_tool_call completed",
    "Last.",
    "turn.completed",
  ]);
  const last = events.findLast((event) => event.type === "item.completed" && event.item.type === "mcp_tool_call");
  expect(JSON.stringify(last)).toContain(String.raw`one\ntwo`);
  const { engine_session_id = "" } = await gateway.server.client.session(id);
  const there = await home.server.client.sessions();
  expect(there.sessions.map((session) => session.id)).toEqual([engine_session_id]);
  await gateway.server.client.deleteSession(id);
  await expect.poll(async () => (await home.server.client.session(engine_session_id)).status).toBe("complete");
});
