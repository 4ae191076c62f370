import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { bubblewrapDriver } from "../../../src/sandbox/index.ts";
import { approveWith, openTestApp, runScript } from "../../support/app.ts";

const AGENT = resolve(import.meta.dirname, "agent.mjs");
const missing = await bubblewrapDriver().missing();

describe.skipIf(missing !== undefined)("in bubblewrap", () => {
  it("an agent runs, reaches the model proxy at a plain address, and uses our tools", async () => {
    await using app = await openTestApp({ SALLYPORT_SANDBOX: "bubblewrap" });
    const env = { MODEL_URL: "{base_url}/v1/models", MODEL_KEY: "{key}" };
    const walled = { command: [process.execPath, AGENT], env, wire: "anthropic" };
    await writeFile(join(app.place.home, "sallyport.yaml"), JSON.stringify({ acp_agents: { walled } }));
    await app.restart();
    const steps = [{ fetch: true }, { terminal: { command: "sh", args: ["-c", "touch made; ls made"] } }];
    const text = `[m1]\nagent: ${JSON.stringify(steps)}`;
    const { events } = await runScript(app.client, { engine: "acp:walled", prompt: { text } }, approveWith(app.client));
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    const said = events.flatMap((event) =>
      event.type === "item.completed" && event.item.type === "agent_message" ? [event.item.text] : [],
    );
    expect(said).toEqual(["200", '[0,"made"]']);
  });
});
