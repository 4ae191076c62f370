import { z } from "zod";
import { SmallStateFile } from "../vendor/state-file.ts";

/** What must outlive an agent's process. */
const AgentState = z.object({
  /** The agent's id of the conversation. Absent: it has none. */
  session: z.string().optional(),
  /** The last turn that the agent itself completed. Absent: none; then nothing that it was told is sure to be in its record. */
  turn_id: z.string().optional(),
  /** A hash of the system prompt that it had in that turn. Absent: unknown. */
  prompt: z.string().optional(),
  /** What the model must still be told; absent: nothing. */
  note: z.string().optional(),
});
export type AgentState = z.infer<typeof AgentState>;

/** Unreadable: the agent's conversation is retold as text. */
export class AgentStateFile extends SmallStateFile<AgentState> {
  constructor(folder: string) {
    super(folder, { name: "acp.json", schema: AgentState });
  }
}
