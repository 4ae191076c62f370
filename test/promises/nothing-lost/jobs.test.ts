import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { approveWith, untilTurnEnds } from "../../support/app.ts";
import { leftBehind, makePlace, startServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";

test("after a kill of the server a job begins that a person was asked about, and one that had begun is not run again", async () => {
  const place = await makePlace();
  let server = await startServer(place);
  try {
    const asked = await server.client.createJob("containers", { commands: ["touch a", "ls"], unattended: "park" });
    for await (const frame of server.client.watch(asked.id)) if (frame.type === "approval.requested") break;
    const begun = await server.client.createJob("containers", {
      autonomy: "full",
      workspace: ".",
      commands: ["echo first", "echo x >> log; sleep 60", "echo never >> log"],
    });
    // Pieces of output are not told again to whoever comes late; the file stays.
    await until(async () => (await readFile(join(place.workspace, "log"), "utf8").catch(() => "")) === "x\n");
    const thinking = await server.client.createJob("compute", {
      prompt: { text: 'sim: [{"stream":{"tokens":400,"per_second":100}}]' },
    });
    for await (const frame of server.client.watch(thinking.id)) if (frame.type === "item.delta") break;
    await server.kill();
    server = await startServer(place);
    const { client } = server;
    await Promise.all([
      untilTurnEnds(client, begun.id),
      untilTurnEnds(client, thinking.id),
      untilTurnEnds(client, asked.id, { answer: approveWith(client) }),
    ]);
    const job = await client.job("containers", begun.id);
    expect(job).toMatchObject({ status: "failed", results: [{ exit_code: 0 }, { status: "interrupted" }] });
    expect(job.results).toHaveLength(2);
    expect(job.error).toContain("It was not run again");
    expect(await readFile(join(place.workspace, "log"), "utf8")).toBe("x\n");
    expect(await client.job("containers", asked.id)).toMatchObject({
      status: "complete",
      results: [{ exit_code: 0 }, { exit_code: 0, output: "a" }],
    });
    const answered = await client.job("compute", thinking.id);
    expect(answered).toMatchObject({ status: "complete" });
    expect((await client.session(thinking.id)).status).toBe("complete");
    expect(await leftBehind(place)).toEqual([]);
  } finally {
    await server.kill();
    await place.remove();
  }
});

test("after a kill vectors are asked for again, what may have been spent is counted, and an interactive job goes on", async () => {
  const place = await makePlace();
  let asked = 0;
  let reached: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const model = createServer((request, response) => {
    request.resume().on("end", () => {
      asked += 1;
      reached();
      // The first request is never answered.
      if (asked === 1) return;
      const body = { data: [{ index: 0, embedding: [1, 2] }], usage: { prompt_tokens: 1, total_tokens: 1 } };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
  const settings = {
    provider: "vectors",
    providers: { vectors: { base_url, auth: "none", wires: ["openai"], default_model: "small" } },
    prices: { "vectors/*": { input: 1_000_000, output: 1_000_000 } },
  };
  await mkdir(place.home, { recursive: true });
  await writeFile(join(place.home, "sallyport.yaml"), JSON.stringify(settings), { mode: 0o600 });
  let server = await startServer(place);
  try {
    const vectors = await server.client.createJob("compute", { texts: ["one"], max_cost_microusd: 1_000_000 });
    const open = await server.client.createJob("containers", { interactive: true, autonomy: "full" });
    const { seq } = await server.client.prompt(open.id, { text: "echo kept > file" });
    await Promise.all([first, untilTurnEnds(server.client, open.id, { after: seq - 1 })]);
    const reserved = (await server.client.sessionUsage(vectors.id)).reserved_microusd;
    expect(reserved).toBeGreaterThan(0);
    await server.kill();
    server = await startServer(place);
    const { client } = server;
    await untilTurnEnds(client, vectors.id);
    expect(asked).toBe(2);
    expect(await client.job("compute", vectors.id)).toMatchObject({
      status: "complete",
      embeddings: [[1, 2]],
      cost_microusd: reserved + 1,
    });
    const again = await client.prompt(open.id, { text: "cat file" });
    await untilTurnEnds(client, open.id, { after: again.seq - 1 });
    expect(await client.job("containers", open.id)).toMatchObject({
      status: "running",
      results: [{ exit_code: 0 }, { exit_code: 0, output: "kept", turn_id: again.turn_id }],
    });
    await client.stopJob("containers", open.id);
    expect(await client.job("containers", open.id)).toMatchObject({ status: "complete" });
    expect(await leftBehind(place)).toEqual([]);
  } finally {
    await server.kill();
    model.closeAllConnections();
    await new Promise<void>((resolve) => model.close(() => resolve()));
    await place.remove();
  }
});
