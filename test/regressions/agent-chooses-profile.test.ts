import { expect, it } from "vitest";
import { Failure } from "../../src/protocol/index.ts";
import { openTestHouse } from "../support/house.ts";

it("an agent cannot choose another profile than the default one", async () => {
  await using house = await openTestHouse();
  const agent = await house.as("agent");
  const told = async (profile: string): Promise<string> =>
    agent.createSession({ profile }).then(
      (session) => session.settings.profile,
      (error: unknown) => (error instanceof Failure ? error.code : String(error)),
    );
  expect(await Promise.all(["full", "readonly", "code-assist", "server", "guarded"].map(told))).toEqual([
    "full",
    "forbidden",
    "forbidden",
    "forbidden",
    "forbidden",
  ]);
  const operator = await house.as("operator");
  expect((await operator.createSession({ profile: "guarded" })).settings.profile).toBe("guarded");
  // An admin can permit it.
  const policy = await house.client.policy();
  const guarded = { ...policy.profiles["guarded"], for_agents: true };
  await house.client.setPolicy({ default_profile: policy.default_profile, profiles: { guarded } });
  expect(await told("guarded")).toBe("guarded");
});
