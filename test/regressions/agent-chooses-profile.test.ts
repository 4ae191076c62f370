import { expect, it } from "vitest";
import { Failure } from "../../src/protocol/index.ts";
import { openTestApp } from "../support/app.ts";

it("an agent cannot choose another profile than the default one", async () => {
  await using app = await openTestApp();
  const agent = await app.as("agent");
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
  const operator = await app.as("operator");
  expect((await operator.createSession({ profile: "guarded" })).settings.profile).toBe("guarded");
  // An admin can permit it.
  const policy = await app.client.policy();
  const guarded = { ...policy.profiles["guarded"], for_agents: true };
  await app.client.setPolicy({ default_profile: policy.default_profile, profiles: { guarded } });
  expect(await told("guarded")).toBe("guarded");
});
