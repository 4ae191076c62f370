import { record, text, type VendorFields } from "../vendor/fields.ts";

/** What an agent reports about one of its own calls. All of it comes from the agent; `title` may be the model's words. */
export interface OwnCall {
  readonly kind: string;
  readonly title: string;
  /** Absent: it is not reported. */
  readonly input?: VendorFields | undefined;
  /** A change of one file; absent: it shows none, or several. */
  readonly diff?: OwnDiff | undefined;
}

interface OwnDiff {
  readonly path: string;
  /** Absent: a new file. */
  readonly before?: string | undefined;
  readonly after: string;
}

/** A call by our names. */
export interface NamedCall {
  readonly tool: string;
  readonly input: VendorFields;
}

/** The name under which people are asked about a call of an agent that no tool of ours stands for. */
export function ownToolName(agent: string): string {
  return `mcp__${agent}__tool`;
}

/** Fields that would make a command run elsewhere than our tool runs it, or outlive its call. */
const ELSEWHERE = ["directory", "dir_path", "cwd", "workdir", "is_background", "run_in_background", "env"] as const;

/**
 * A call by the name of the tool of ours that it is: then rules, paths and previews are the same. Only fields decide, never a title.
 * Anything not recognised exactly is asked about as the agent reports it.
 */
export function namedCall(agent: string, call: OwnCall): NamedCall {
  return (
    known(call) ?? { tool: ownToolName(agent), input: { kind: call.kind, title: call.title, input: call.input ?? {} } }
  );
}

function known({ kind, input = {}, diff }: OwnCall): NamedCall | undefined {
  const path = pathOf(input);
  switch (kind) {
    case "execute":
      return isElsewhere(input) ? undefined : named("Bash", { command: text(input["command"]) });
    case "read":
      return named("Read", { file_path: path });
    case "fetch":
      return named("WebFetch", { url: text(input["url"]), prompt: text(input["prompt"]) ?? "What does it say?" });
    case "edit":
      return editOf(input, path) ?? (diff === undefined ? undefined : changeOf(diff));
    default:
      return undefined;
  }
}

function isElsewhere(input: VendorFields): boolean {
  return ELSEWHERE.some((name) => input[name] !== undefined && input[name] !== "" && input[name] !== false);
}

function editOf(input: VendorFields, file_path: string | undefined): NamedCall | undefined {
  const content = input["content"];
  if (typeof content === "string") return named("Write", { file_path, content });
  const [old_string, new_string] = [
    input["old_string"] ?? input["oldString"],
    input["new_string"] ?? input["newString"],
  ];
  if (typeof old_string !== "string" || typeof new_string !== "string") return undefined;
  // An empty old text makes a new file.
  if (old_string === "") return named("Write", { file_path, content: new_string });
  const all = input["replace_all"] ?? input["replaceAll"];
  return named("Edit", { file_path, old_string, new_string, ...(all === true ? { replace_all: true } : {}) });
}

function changeOf({ path, after }: OwnDiff): NamedCall {
  return { tool: "Write", input: { file_path: path, content: after } };
}

function pathOf(input: VendorFields): string | undefined {
  for (const name of ["file_path", "filePath", "absolute_path", "path"]) {
    const path = text(input[name]);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** Undefined where a field is missing. */
function named(tool: string, input: VendorFields): NamedCall | undefined {
  return Object.values(input).includes(undefined) ? undefined : { tool, input };
}

/** What an update tells of a call, on top of what was known. */
export function updatedCall(before: OwnCall | undefined, update: VendorFields): OwnCall {
  const input = update["rawInput"] === undefined ? before?.input : record(update["rawInput"]);
  const diffs = Array.isArray(update["content"])
    ? update["content"].map(record).filter(({ type }) => type === "diff")
    : [];
  const [first] = diffs;
  const diff = diffs.length === 1 && first !== undefined ? diffOf(first) : before?.diff;
  return {
    kind: text(update["kind"]) ?? before?.kind ?? "other",
    title: text(update["title"]) ?? before?.title ?? "",
    ...(input === undefined || Object.keys(input).length === 0 ? {} : { input }),
    ...(diff === undefined ? {} : { diff }),
  };
}

/** Characters of what is kept of a call until it ends. */
export function sizeOf({ kind, title, input, diff }: OwnCall): number {
  const texts = [kind, title, diff?.path, diff?.before, diff?.after, input && JSON.stringify(input)];
  return texts.reduce((sum, words = "") => sum + words.length, 0);
}

function diffOf(content: VendorFields): OwnDiff | undefined {
  const [path, after] = [text(content["path"]), content["newText"]];
  if (path === undefined || typeof after !== "string") return undefined;
  const before = content["oldText"];
  return { path, after, ...(typeof before === "string" ? { before } : {}) };
}
