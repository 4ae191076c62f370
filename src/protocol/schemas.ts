import { z } from "zod";
import { BridgeControl, CodexRow, CompatRow, RichRow } from "./dialects/bridge.ts";

/** `sallyport/schemas`: the messages of document 002's socket, as JSON Schema (2020-12), for validators in any language. Made when they are read. */
export const JSON_SCHEMAS = {
  /** A row as document 002 has it. */
  get "compat-row"() {
    return z.toJSONSchema(CompatRow);
  },
  /** A row with everything that the journal has. */
  get "rich-row"() {
    return z.toJSONSchema(RichRow);
  },
  /** A row as `codex exec --json` prints it. */
  get "codex-row"() {
    return z.toJSONSchema(CodexRow);
  },
  /** A client's message. */
  get "bridge-control"() {
    return z.toJSONSchema(BridgeControl, { io: "input" });
  },
} as const;
export type JsonSchemaName = keyof typeof JSON_SCHEMAS;
