import type { JournalEvent } from "../../journal/events.ts";
import { isToolItem } from "../../journal/tool-items.ts";
import { outputText } from "../../text/output-text.ts";
import { isServerQuestion } from "../../sessions/approval-words.ts";
import type { ToolLogEntry } from "./types.ts";

interface LoggedCall {
  readonly tool_use_id: string;
  readonly tool: string;
  readonly params: unknown;
}

/** The log of all tool calls, including sub-agents': a line when a call begins, is asked about, is answered, and fails. */
export class ToolLog {
  readonly #asked = new Map<string, LoggedCall>();

  next(event: JournalEvent): ToolLogEntry | undefined {
    const timestamp = event.at;
    switch (event.type) {
      case "item.started": {
        const { item } = event;
        if (!isToolItem(item)) return undefined;
        return { tool_use_id: item.tool_use_id, tool: item.tool, params: item.input, timestamp };
      }
      case "approval.requested": {
        const { id, tool, tool_use_id, input } = event.approval;
        this.#asked.set(id, { tool_use_id, tool, params: input });
        // A call was logged when it began; the server's own questions have none.
        return isServerQuestion(tool) ? { tool_use_id, tool, params: input, timestamp } : undefined;
      }
      case "approval.resolved": {
        const asked = this.#asked.get(event.approval_id);
        this.#asked.delete(event.approval_id);
        if (asked === undefined) return undefined;
        const approved = event.outcome === "approved";
        const params = event.updated_input ?? asked.params;
        return {
          ...asked,
          params,
          ...(event.updated_input === undefined ? {} : { asked_params: asked.params }),
          approved,
          ...(approved ? {} : { error: event.feedback ?? event.outcome }),
          timestamp,
        };
      }
      case "item.completed": {
        const { item } = event;
        if (!isToolItem(item) || item.status === "completed") return undefined;
        const text = outputText(item.output ?? []);
        const error = text === "" ? item.status : text;
        return {
          tool_use_id: item.tool_use_id,
          tool: item.tool,
          params: item.approved_input ?? item.input,
          ...(item.approved_input === undefined ? {} : { asked_params: item.input }),
          error,
          timestamp,
        };
      }
      case "approval.extended":
      case "thread.started":
      case "turn.queued":
      case "turn.steered":
      case "turn.started":
      case "turn.resumed":
      case "item.updated":
      case "usage.updated":
      case "turn.completed":
      case "turn.failed":
      case "session.updated":
      case "budget.updated":
      case "instructions.loaded":
      case "error":
        return undefined;
    }
  }
}
