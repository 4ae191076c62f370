import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SallyportClient } from "../../src/client/index.ts";
import type { ContainerView, CreateContainer } from "../../src/protocol/index.ts";
import { openTestApp, untilTurnEnds } from "../support/app.ts";
import { describeWithWalls } from "../support/walls.ts";
import { Files } from "../surfaces/mount/world.ts";

async function run(client: SallyportClient, job: CreateContainer): Promise<ContainerView> {
  const { id } = await client.createJob("containers", job);
  await untilTurnEnds(client, id);
  return client.job("containers", id);
}

describeWithWalls("commands as a job behind walls", () => {
  it("run unasked without a network in an empty folder, see nothing else, and keep to their memory", async () => {
    await using app = await openTestApp({ SALLYPORT_SANDBOX: "bubblewrap" });
    writeFileSync(join(app.place.workspace, "secret.txt"), "secret\n");
    const job = await run(app.client, {
      network: "none",
      memory_mib: 256,
      commands: [
        `touch made; ls -A; ls ${app.place.workspace}; cat /proc/net/dev | grep -c : ; env | grep -c SALLYPORT_TOKEN; true`,
        "python3 -c 'x = bytearray(600 * 1024 * 1024); import time; time.sleep(60)' || perl -e '$x = \"x\" x 6e8; sleep 60'",
      ],
    });
    expect(job).toMatchObject({ sandbox: "bubblewrap", network: "none", workspace_mode: "empty" });
    const [first, second] = job.results;
    expect(first).toMatchObject({ status: "completed", exit_code: 0 });
    expect(first?.output.split("\n").slice(0, 1)).toEqual(["made"]);
    expect(first?.output).not.toContain("secret.txt");
    // Its loopback alone, and no variable of the server.
    expect(first?.output).toContain("\n1\n0");
    expect(second?.exit_code).not.toBe(0);
    const { events } = await app.client.events(job.id, { limit: 100 });
    expect(events.some(({ type }) => type === "approval.requested")).toBe(false);
    const unasked = events.flatMap((event) =>
      event.type === "item.completed" && "unasked" in event.item ? [event.item.unasked] : [],
    );
    expect(unasked).toHaveLength(2);
  });

  it("stand beside agents of /claude, whose policy names the walls that they get", async () => {
    await using app = await openTestApp({ SALLYPORT_SANDBOX: "auto" });
    const files = new Files(app.serving.url, app.serving.token);
    const policy = await files.json("/claude/policy");
    expect(policy).toMatchObject({ isolation_mode: "bubblewrap", network_mode: "proxy_only", repo_filter: "none" });
    const folder = await files.create({});
    const { settings } = await app.client.session(folder.split("/").at(-1) ?? "");
    expect(settings).toMatchObject({ sandbox: "bubblewrap", network: "proxy_only" });
    // What was read can be written back.
    await files.write("/claude/policy", policy);
  });

  it("get no weaker walls than the policy wants", async () => {
    await using app = await openTestApp({ SALLYPORT_SANDBOX: "bubblewrap" });
    const agent = await app.as("agent");
    const weak = agent.createJob("containers", { commands: ["true"], sandbox: "local" });
    await expect(weak).rejects.toMatchObject({ code: "forbidden" });
    await app.client.setPolicy({
      default_profile: "p",
      profiles: { p: { min_sandbox: "bubblewrap", network: "none" } },
    });
    for (const job of [{ sandbox: "local" }, { network: "proxy_only" }, { network: "host" }] as const)
      await expect(app.client.createJob("containers", { commands: ["true"], ...job })).rejects.toThrow();
    expect(await run(app.client, { commands: ["true"] })).toMatchObject({ network: "none", exit_code: 0 });
  });
});
