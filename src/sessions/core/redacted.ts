import { isToolItem, type ContentBlock, type EventBody, type Item, type Redactor } from "../../protocol/index.ts";

/**
 * An event without secrets, and its JSON. In what a person decides on (a question, its answer, a call's input and
 * changes) only known secrets are redacted: anything else hidden could be what matters.
 */
export function redactedEvent(event: EventBody, redact: Redactor): { readonly body: EventBody; readonly text: string } {
  const raw = JSON.stringify(event);
  const text = redact(raw);
  if (text === raw) return { body: event, text };
  const shown = redact.exact(JSON.stringify(decidedOn(event) ? withCleanOutput(event, redact) : JSON.parse(text)));
  return { body: JSON.parse(shown) as EventBody, text: shown };
}

function decidedOn(event: EventBody): boolean {
  if ("item" in event) return isToolItem(event.item);
  return event.type === "approval.requested" || event.type === "approval.resolved";
}

/** Nobody decides on a tool's output, so anything that looks like a secret is hidden there. */
function withCleanOutput(event: EventBody, redact: Redactor): EventBody {
  return "item" in event ? { ...event, item: withCleanItem(event.item, redact) } : event;
}

function withCleanItem(item: Item, redact: Redactor): Item {
  if (!isToolItem(item)) return item;
  const clean = (block: ContentBlock): ContentBlock =>
    block.type === "text" ? { ...block, text: redact(block.text) } : block;
  const output = item.output === undefined ? {} : { output: item.output.map(clean) };
  if (item.type !== "command_execution") return { ...item, ...output };
  return { ...item, ...output, aggregated_output: redact(item.aggregated_output) };
}
