import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTestApp, script, untilTurnEnds } from "../support/app.ts";
import { openPricedApp } from "../support/priced-app.ts";

test("a session fails over to a tunnel only for identified callers", async () => {
  await using home = await openPricedApp();
  await using gateway = await openTestApp(
    { SALLYPORT_PROVIDER: "keyless" },
    {
      prepare: async ({ home: folder }) => {
        await mkdir(folder, { recursive: true });
        const settings = {
          providers: {
            keyless: {
              base_url: "http://127.0.0.1:1",
              wire: "anthropic",
              auth: "bearer",
              credential_env: "NOT_THERE",
              default_model: "sim",
            },
          },
          prices: { "keyless/*": { input: 1_000_000, output: 1_000_000, output_tokens: 8_000 } },
          failover: { sim: [{ provider: "tunnel:work", dearer: true }] },
        };
        await writeFile(join(folder, "sallyport.yaml"), JSON.stringify(settings));
        return () => Promise.resolve();
      },
    },
  );
  await home.client.tunnels.offer({ id: "work", auth: "psk" });
  const { code } = await home.client.tunnels.offerCode("work");
  const url = `${home.serving.url.replace(/^http/, "ws")}/tunnel`;
  // Agents need a key of this list, and have none.
  await gateway.client.tunnels.pair("work", { url, code, allowed_agents: ["ab".repeat(32)] });
  expect(await gateway.client.tunnels.test("work")).toMatchObject({ status: "ok" });
  const session = { engine: "loop", prompt: { text: script({ say: "Hello." }) } } as const;
  const made = await gateway.client.createSession(session);
  expect(made.settings).toMatchObject({ provider: "tunnel:work", routed_from: { provider: "keyless" } });
  expect((await untilTurnEnds(gateway.client, made.id)).at(-1)?.type).toBe("turn.completed");
  const agent = await gateway.as("agent");
  const refused = await agent.createSession(session).then(
    ({ settings }) => settings.provider,
    (error: Error) => error.message,
  );
  expect(refused).not.toContain("tunnel:work");
  await expect(agent.createSession({ ...session, provider: "tunnel:work" })).rejects.toMatchObject({
    code: "forbidden",
  });
  const [offer] = (await home.client.tunnels.offers()).offers;
  expect(offer?.requests).toBe(1);
});
