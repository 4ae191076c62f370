import type { z } from "zod";

/** How the library begins a message of its own. A schema's own message is kept. */
const OWN =
  /^(?:Invalid input: expected|Invalid option: expected|Too small: expected|Too big: expected|Invalid (?:URL$|string: must match|ISO ))/;

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

/** What is wrong with a value, for a person: behind the name of the field. */
export function mistakeWords(issue: z.core.$ZodIssue): string {
  if (!OWN.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type": {
      if (issue.message.endsWith("received undefined")) return "is missing";
      return `must be ${KINDS[issue.expected] ?? issue.expected}`;
    }
    case "invalid_value":
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of: ${issue.values.map(String).join(", ")}`;
    case "too_small": {
      if (issue.minimum === 1 && issue.origin !== "number" && issue.origin !== "int") return "is empty";
      return `must ${amount(issue, issue.inclusive === false ? "more than" : "at least", issue.minimum)}`;
    }
    case "too_big":
      return `must ${amount(issue, issue.inclusive === false ? "less than" : "at most", issue.maximum)}`;
    case "invalid_format":
      return formatWords(issue);
    default:
      return issue.message;
  }
}

function formatWords({ format, pattern, message }: z.core.$ZodIssueInvalidStringFormat): string {
  if (format === "url") return "must be an address such as https://example.org";
  if (format === "datetime") return "must be a time such as 2027-01-04T09:00:00Z";
  return pattern === undefined ? message : `must match ${pattern}`;
}

function amount(
  { origin, exact }: { readonly origin: string; readonly exact?: boolean | undefined },
  bound: string,
  count: number | bigint,
): string {
  const words = `${exact === true ? "exactly" : bound} ${count}`;
  if (origin === "string") return `have ${words} ${count === 1 ? "character" : "characters"}`;
  if (origin === "array" || origin === "set" || origin === "map")
    return `have ${words} ${count === 1 ? "entry" : "entries"}`;
  return `be ${words}`;
}
