import type { z } from "zod";
import { LIMITS } from "../protocol/index.ts";
import { isRefusal, type ToolRefusal } from "./refusal.ts";
import type { AnyTool } from "./tool.ts";

/** The input as the tool wants it, with defaults filled in; otherwise what is wrong with it, for the model. */
export function parseInput(tool: AnyTool, input: unknown): { readonly input: unknown } | ToolRefusal {
  const size = isCertainlySmall(input) ? 0 : sizeOf(input);
  if (isRefusal(size)) return { refused: `Invalid input for ${tool.name}: ${size.refused}` };
  if (size > LIMITS.toolInputBytes)
    return {
      refused: `Invalid input for ${tool.name}: it has ${size} bytes, at most ${LIMITS.toolInputBytes} may be sent`,
    };
  const parsed = tool.input.safeParse(withoutIgnored(tool, input));
  if (parsed.success) return { input: parsed.data };
  const issues = parsed.error.issues.slice(0, LIMITS.schemaIssues).map(issueText);
  return { refused: `Invalid input for ${tool.name}: ${issues.join("; ")}` };
}

/** An ignored argument that does not fit its own schema stays, so that it is reported as unknown. */
function withoutIgnored({ ignored }: AnyTool, input: unknown): unknown {
  if (ignored === undefined || typeof input !== "object" || input === null) return input;
  const kept = Object.entries(input).filter(
    ([name, value]) => !Object.hasOwn(ignored, name) || ignored[name]?.safeParse(value).success !== true,
  );
  return Object.fromEntries(kept);
}

/** The most bytes that one character of a text, or a number, can have in JSON. */
const BYTES_OF_CHARACTER = 6;
const BYTES_OF_NUMBER = 32;
/** Only the parts of an input that has few of them are counted. */
const COUNTED_PARTS = 64;

/** Whether it is within the limit, whatever characters its texts have: most inputs need not be written as JSON to know. */
function isCertainlySmall(input: unknown): boolean {
  const parts: unknown[] = [input];
  let bytes = 0;
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    bytes += BYTES_OF_NUMBER;
    if (typeof part === "string") bytes += part.length * BYTES_OF_CHARACTER;
    else if (typeof part === "object" && part !== null) {
      if ("toJSON" in part) return false;
      for (const [name, value] of Object.entries(part)) {
        bytes += name.length * BYTES_OF_CHARACTER;
        parts.push(value);
      }
    } else if (part !== null && typeof part !== "number" && typeof part !== "boolean") return false;
    if (parts.length > COUNTED_PARTS || bytes > LIMITS.toolInputBytes) return false;
  }
  return true;
}

function sizeOf(input: unknown): number | ToolRefusal {
  try {
    return Buffer.byteLength(JSON.stringify(input) ?? "");
  } catch {
    return { refused: "it cannot be written as JSON" };
  }
}

/** The argument's name comes first: the model must change it. */
function issueText(issue: z.core.$ZodIssue): string {
  const path = issue.path.join(".");
  if (issue.code === "unrecognized_keys") {
    const where = path === "" ? "" : ` in ${path}`;
    return `unknown argument ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}${where}`;
  }
  if (issue.code === "invalid_type" && issue.message.endsWith("received undefined")) return `${path} is required`;
  return issue.code === "custom" ? `${path} ${issue.message}` : `${path}: ${issue.message}`;
}
