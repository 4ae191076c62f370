/** The input of a call as the model wrote it, or what is wrong with it, in words for the model. */
export type CallInput =
  | { readonly input: Readonly<Record<string, unknown>>; readonly problem?: undefined }
  | { readonly input?: undefined; readonly problem: string };

/**
 * Reads the input of a call. What is not JSON is repaired only where it can mean one thing: white space in texts, a comma before a closing
 * bracket, Python's constants, a fence around all of it, JSON in a JSON text. Nothing is closed, cut off or added: that would guess.
 */
export function readCallInput(text: string): CallInput {
  const plain = parsed(text);
  const value = plain.isJson ? plain.value : repaired(text);
  if (value === undefined) return { problem: `is not valid JSON (${plain.isJson ? "" : plain.problem})` };
  // A model that calls without input may say so.
  if (value === null) return { input: {} };
  if (typeof value === "string") return unquoted(value);
  return objectOf(value);
}

type ParsedInput =
  | { readonly isJson: true; readonly value: unknown }
  | { readonly isJson: false; readonly problem: string };

function parsed(text: string): ParsedInput {
  try {
    return { isJson: true, value: JSON.parse(text) };
  } catch (error) {
    return { isJson: false, problem: error instanceof Error ? error.message : "unreadable" };
  }
}

/** The whole object was written as a text. */
function unquoted(text: string): CallInput {
  const inner = parsed(text);
  return inner.isJson ? objectOf(inner.value) : { problem: "is a text, not a JSON object" };
}

function objectOf(value: unknown): CallInput {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return { input: value as Readonly<Record<string, unknown>> };
  return { problem: `is ${Array.isArray(value) ? "a list" : `a ${typeof value}`}, not a JSON object` };
}

/** Undefined: it cannot be repaired safely. */
function repaired(text: string): unknown {
  const result = parsed(respelled(unfenced(text)));
  return result.isJson ? result.value : undefined;
}

const FENCE = "```";

/** Without the fence of a Markdown code block around all of it. No pattern: a model can write what a pattern takes hours for. */
function unfenced(text: string): string {
  const whole = text.trim();
  const [first, last] = [whole.indexOf("\n"), whole.lastIndexOf("\n")];
  if (first === last || !whole.startsWith(FENCE) || whole.slice(last).trim() !== FENCE) return text;
  const language = whole.slice(FENCE.length, first).trim();
  return language === "" || language === "json" ? whole.slice(first + 1, last) : text;
}

/** A text in quotes, or to the end where they are not closed; a comma before a closing bracket; a word. */
const TOKENS = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|,(?=\s*[}\]])|[A-Za-z]+/g;
const PYTHON: ReadonlyMap<string, string> = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
]);
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function respelled(text: string): string {
  return text.replaceAll(TOKENS, (token) => {
    if (token === ",") return "";
    if (!token.startsWith('"')) return PYTHON.get(token) ?? token;
    return token.replaceAll(/[\n\r\t]/g, (space) => ESCAPES.get(space) ?? space);
  });
}
