import type { SamplingAnswer, SamplingParams } from "../../mcp-client/index.ts";
import { createComputeEngine, type EngineEvent } from "../../engines/index.ts";
import { LIMITS } from "../../protocol/index.ts";
import type { Session } from "../core/session.ts";

/** Text alone: pictures and sounds of a server are not sent on. */
function textOf(content: SamplingParams["messages"][number]["content"]): string {
  const parts = Array.isArray(content) ? content : [content];
  return parts
    .map((part) => {
      if (part.type !== "text") throw new Error(`only text can be sent to the model, not ${part.type}`);
      return part.text;
    })
    .join("\n");
}

/**
 * Asks the session's model once, without tools, for one of its MCP servers: by the session's own key, so that it is reserved, metered and
 * limited like any request of the session. Rejects with a reason for the server.
 */
export async function sampleModel(
  session: Session,
  { messages, systemPrompt, maxTokens }: SamplingParams,
  signal: AbortSignal,
): Promise<SamplingAnswer> {
  const { host } = session.servers;
  if (host === undefined) throw new Error("the session does not run");
  const turns = messages.map(({ role, content }) => ({ role, text: textOf(content) }));
  const last = turns.pop();
  if (last?.role !== "user") throw new Error("the last message must be the user's");
  const { settings, id } = session.state;
  const { agents: _agents, output_schema: _schema, thinking_tokens: _thinking, ...rest } = settings;
  const conversation = await createComputeEngine().open(
    {
      session_id: id,
      settings: {
        ...rest,
        system_prompt: systemPrompt ?? "",
        max_tokens: Math.min(maxTokens, LIMITS.mcpSamplingTokens),
        job: { messages: turns, timeout_ms: LIMITS.mcpSamplingMs },
      },
      history: async function* history() {},
      ancestry: [],
    },
    host,
  );
  const heard: EngineEvent[] = [];
  try {
    await conversation.turn({ text: last.text }, { signal, tell: async (events) => void heard.push(...events) });
  } finally {
    await conversation.close();
  }
  const failed = heard.find((event) => event.type === "turn.failed");
  if (failed !== undefined) throw new Error(`the model did not answer: ${failed.error.message}`);
  const text = heard
    .flatMap((event) =>
      event.type === "item.completed" && event.item.type === "agent_message" ? [event.item.text] : [],
    )
    .join("");
  return { role: "assistant", content: { type: "text", text }, model: settings.model, stopReason: "endTurn" };
}
