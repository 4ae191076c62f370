import {
  endToolItem,
  startToolItem,
  UNKNOWN_OUTCOME,
  type ImportedConversation,
  type ImportedItem,
  type Item,
  type NewId,
  type Prompt,
} from "../../protocol/index.ts";

/** A turn that another program had, as our items. */
export interface ForeignTurn {
  readonly turn_id: string;
  readonly prompt: Prompt;
  readonly items: readonly Item[];
  /** When it was sent; absent: unknown. */
  readonly at?: string | undefined;
}

export function foreignTurns({ turns }: ImportedConversation, newId: NewId): readonly ForeignTurn[] {
  return turns.map(({ prompt, at, items }) => ({
    turn_id: newId("turn"),
    prompt: { text: prompt },
    items: itemsOf(items, newId),
    ...(at === undefined ? {} : { at }),
  }));
}

/** A model's message is words and thoughts, then calls: words after a call are the next message. */
function itemsOf(items: readonly ImportedItem[], newId: NewId): readonly Item[] {
  let message_id = newId("msg");
  let hasCalls = false;
  return items.map((item) => {
    if (item.type !== "tool" && hasCalls) {
      message_id = newId("msg");
      hasCalls = false;
    }
    hasCalls ||= item.type === "tool";
    return itemOf(item, { id: newId("item"), message_id });
  });
}

function itemOf(item: ImportedItem, ids: { readonly id: string; readonly message_id: string }): Item {
  switch (item.type) {
    case "message":
      return { ...ids, type: "agent_message", status: "completed", text: item.text };
    case "thought":
      return { ...ids, type: "reasoning", status: "completed", text: item.text };
    case "tool": {
      const { tool, input, output, is_error = false } = item;
      const begun = startToolItem({ ...ids, tool, input, tool_use_id: `imported_${ids.id}` });
      const ended = output === undefined ? "interrupted" : is_error ? "failed" : "completed";
      return endToolItem(begun, {
        status: ended,
        output: [{ type: "text", text: output ?? UNKNOWN_OUTCOME }],
        is_error: is_error || output === undefined,
      });
    }
  }
}
