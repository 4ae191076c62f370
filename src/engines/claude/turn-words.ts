import type { ProcessEnd } from "../vendor/output.ts";
import type { VendorFields } from "../vendor/fields.ts";

/** How a process ended, for people. */
export function endWords({ code, signal, complaint, failure }: ProcessEnd): string {
  if (failure !== undefined) return `Claude Code was ended because ${failure}. Send the prompt again.`;
  const how = signal === null ? `with exit code ${code ?? "unknown"}` : `by ${signal}`;
  const said = complaint.trim();
  return `Claude Code ended unexpectedly, ${how}${said === "" ? "" : `: ${said}`}. Send the prompt again.`;
}

/** The vendor's program accepts one text for each question. */
export function withPlainAnswers(input: VendorFields): VendorFields {
  const { answers } = input;
  if (typeof answers !== "object" || answers === null) return input;
  const plain = Object.entries(answers).map(([question, answer]): [string, string] => [
    question,
    Array.isArray(answer) ? answer.join(", ") : String(answer),
  ]);
  return { ...input, answers: Object.fromEntries(plain) };
}
