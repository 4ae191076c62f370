import { expect, test } from "vitest";
import { json, MESSAGE, World } from "./world.ts";

test("smoke", async () => {
  await using world = await World.open();
  world.behaviour = (_, response) => json(response, { type: "message", usage: { input_tokens: 10, output_tokens: 5 } });
  const answer = await world.ask({});
  console.log(answer, await world.exchange(), world.arrivals[0], await world.balance());
  expect(answer.status).toBe(200);
  void MESSAGE;
});
