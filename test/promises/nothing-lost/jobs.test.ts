import { readFile } from "node:fs/promises";
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
