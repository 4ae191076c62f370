import type { Host } from "../../engines/index.ts";
import { LIMITS, type ModelApi } from "../../protocol/index.ts";
import type { RunToolOptions } from "../../tools/index.ts";

const PATHS: Readonly<Record<ModelApi, string>> = {
  messages: "/v1/messages",
  responses: "/v1/responses",
  chat: "/v1/chat/completions",
};

/** How a tool asks the session's model: through the model proxy, like the engine. Undefined: it cannot. */
export function toolModel(model: () => Host["model"]): RunToolOptions["model"] {
  if (model().post === undefined) return undefined;
  return () => {
    const asked = model();
    const { name, key, post } = asked;
    const { api } = asked.facts(name);
    const auth =
      api === "messages" ? { "x-api-key": key, "anthropic-version": "2023-06-01" } : { authorization: `Bearer ${key}` };
    return {
      name,
      api,
      post: async (body, signal) => {
        if (post === undefined) throw new Error("the model proxy is not in this process");
        const request = { path: PATHS[api], headers: { "content-type": "application/json", ...auth } };
        const answer = await post({ ...request, body }, signal);
        let text = "";
        for await (const chunk of answer.chunks()) {
          text += chunk;
          if (text.length > LIMITS.webFetchBytes) break;
        }
        return { status: answer.status, text };
      },
    };
  };
}
