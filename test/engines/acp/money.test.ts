import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { BUDGET_TOOL } from "../../../src/protocol/index.ts";
import { settingsFor } from "../../conformance/engines/bench.ts";
import { Model } from "../../conformance/engines/model.ts";
import { openTestApp, untilTurnEnds } from "../../support/app.ts";

it("an agent that asks the model again and again, although there is no money, is told to stop, and a person is asked", async () => {
  await using app = await openTestApp();
  const model = await Model.open("as offered");
  try {
    const env = { MODEL_URL: "{base_url}/v1/messages", MODEL_KEY: "{key}", MODEL: "{model}" };
    const command = [process.execPath, resolve(import.meta.dirname, "agent.mjs")];
    const acp_agents = { stubborn: { command, env, wire: "anthropic" } };
    const settings = { ...(JSON.parse(settingsFor({ model, api: "messages" })) as object), acp_agents };
    await writeFile(join(app.place.home, "sallyport.yaml"), JSON.stringify(settings));
    await app.restart();
    const text = `[m]\nagent: ${JSON.stringify([{ insist: true }])}`;
    const { id } = await app.client.createSession({
      engine: "acp:stubborn",
      max_cost_microusd: 1,
      prompt: { text },
    });
    const asked: string[] = [];
    const events = await untilTurnEnds(app.client, id, {
      answer: ({ id: approval, tool, input, input_hash }) => {
        asked.push(tool);
        const updated_input = { ...input, limit_microusd: 100_000_000 };
        return app.client.decide(approval, { decision: "approve", input_hash, updated_input });
      },
    });
    expect(asked).toEqual([BUDGET_TOOL]);
    // It is told to go on, which it answers with what it was told.
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  } finally {
    await model.close();
  }
});
