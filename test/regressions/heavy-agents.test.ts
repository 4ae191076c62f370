import { expect, it } from "vitest";
import { CreateSession, LIMITS } from "../../src/protocol/index.ts";

const agents = (count: number, chars: number): Record<string, object> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`agent-${at}`, { description: "d", prompt: "p".repeat(chars) }]),
  );

it("a session's agents are a part of each commit, so all of them together are bounded", () => {
  expect(CreateSession.safeParse({ agents: agents(LIMITS.agents, 4_000) }).success).toBe(true);
  const { error } = CreateSession.safeParse({ agents: agents(LIMITS.agents, LIMITS.agentPromptChars) });
  expect(error?.issues[0]).toMatchObject({
    path: ["agents"],
    message: `all agents together may have ${LIMITS.agentsChars} characters`,
  });
});
