import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startSim } from "../../../src/sim/index.ts";
import { EXECUTABLE } from "../../engines/claude/world.ts";
import { approveWith, script, untilTurnEnds } from "../../support/app.ts";
import { makePlace, startServer } from "../../support/server.ts";
import { endServer } from "../../support/vendor/app.ts";
import { MIND_KEY, MIND_MODEL, mindSettings } from "../../support/vendor/mind.ts";

/** A model server that gives all of its calls one id, as some do that run on people's own machines. */
async function startForgetful(simUrl: string): Promise<Server> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const said = await fetch(`${simUrl}${request.url ?? ""}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "sim", "anthropic-version": "2023-06-01" },
      body: Buffer.concat(chunks),
    });
    response.writeHead(said.status, { "content-type": said.headers.get("content-type") ?? "" });
    response.end((await said.text()).replaceAll(/toolu_[0-9a-f]+/g, "toolu_0"));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

it.each(["loop", "claude-sdk"])("%s: a call is asked about although another one had its id", async (engine) => {
  const place = await makePlace();
  const sim = await startSim({ host: "127.0.0.1", port: 0 });
  const model = await startForgetful(sim.url);
  await mkdir(place.home);
  const { port } = model.address() as AddressInfo;
  await writeFile(join(place.home, "sallyport.yaml"), mindSettings({ url: `http://127.0.0.1:${port}` }));
  const server = await startServer(place, { MIND_KEY, SALLYPORT_CLAUDE: EXECUTABLE });
  const { client } = server;
  try {
    const step = { tool: "Bash", input: { command: "echo once >> effects.txt" } };
    const { id } = await client.createSession({
      engine,
      model: MIND_MODEL,
      prompt: { text: script(step, step, { say: "ok" }) },
    });
    const events = await untilTurnEnds(client, id, { answer: approveWith(client) });
    const asked = events.filter((event) => event.type === "approval.requested").length;
    const effects = (await readFile(join(place.workspace, "effects.txt"), "utf8")).trim().split("\n").length;
    expect({ asked, end: events.at(-1)?.type }).toEqual({ asked: effects, end: "turn.completed" });
  } finally {
    await endServer(server, place);
    model.closeAllConnections();
    model.close();
    await sim.close();
    await place.remove();
  }
});
