import type { Item, ToolItem } from "./items.ts";

/** Whether an item stands for a tool call. */
export function isToolItem(item: Item): item is ToolItem {
  return "tool_use_id" in item;
}
