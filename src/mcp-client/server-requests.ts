import type {
  Client,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
} from "@modelcontextprotocol/client";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/client";
import { LIMITS } from "../protocol/index.ts";

export type SamplingParams = CreateMessageRequest["params"];
export type ElicitationParams = ElicitRequest["params"];
export type { CreateMessageResult as SamplingAnswer, ElicitResult as ElicitationAnswer };

/** What a server may ask of its session while it works. A verb that is missing is not offered to the server. */
export interface ServerRequests {
  /** Asks a model. Rejects with a reason that the server may read. */
  readonly sample?: ((params: SamplingParams, signal: AbortSignal) => Promise<CreateMessageResult>) | undefined;
  /** Asks a person. */
  readonly elicit?: ((params: ElicitationParams, signal: AbortSignal) => Promise<ElicitResult>) | undefined;
}

/** Answers what a server asks, some requests at a time. `waiting` is told how many of them are open. */
export function answerRequests(
  client: Client,
  { sample, elicit }: ServerRequests,
  waiting: (open: number) => void,
): void {
  let open = 0;
  const counted = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    if (open >= LIMITS.mcpServerRequests)
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, `${open} requests of this server wait already`);
    waiting((open += 1));
    try {
      return await work();
    } finally {
      waiting((open -= 1));
    }
  };
  if (sample !== undefined)
    client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq }) =>
      counted(() => sample(params, mcpReq.signal)),
    );
  if (elicit !== undefined)
    client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) =>
      counted(() => elicit(params, mcpReq.signal)),
    );
}
