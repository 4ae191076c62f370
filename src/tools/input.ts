import type { z } from "zod";
import { LIMITS } from "../protocol/index.ts";
import { isRefusal, type ToolRefusal } from "./refusal.ts";
import type { AnyTool } from "./tool.ts";

/** The input as the tool wants it, with defaults filled in; otherwise what is wrong with it, for the model. */
export function parseInput(tool: AnyTool, input: unknown): { readonly input: unknown } | ToolRefusal {
  const size = sizeOf(input);
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
