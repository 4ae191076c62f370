import { Failure, isToolItem, LIMITS, type StreamFrame } from "../../protocol/index.ts";
import { readText, ROOT, sessionPath, type ClaudeTree } from "./claude-tree.ts";

/** The trees, each with a scheme of its name: `containers:///policy` is `/containers/policy`. */
const ROOTS = [ROOT, "/containers", "/compute"] as const;
const SCHEME = "claude://";
/** They only answer what is written to them: there is nothing to read. */
const CALLED = new Set(ROOTS.map((root) => `${root}/new`));
/** Their names are not known in advance. */
const SESSIONS = new Set(ROOTS.flatMap((root) => [`${root}/sessions`, `${root}/jobs`]));
const NAME = /^[^/\\\p{Cc}]{1,200}$/u;

interface SessionFile {
  readonly file: string;
  readonly mimeType: "application/json" | "text/plain";
  readonly description: string;
}

const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain";

/** The files of a session that can be read. */
const SESSION_FILES: readonly SessionFile[] = [
  {
    file: "status",
    mimeType: JSON_TYPE,
    description: "The state of the session, with the call that waits for a person",
  },
  { file: "response", mimeType: TEXT_TYPE, description: "The agent's last answer" },
  { file: "response.json", mimeType: JSON_TYPE, description: "The agent's last answer with usage and cost" },
  { file: "output", mimeType: TEXT_TYPE, description: "All that the agent said and did, as one text that only grows" },
  { file: "context", mimeType: JSON_TYPE, description: "What the conversation is about" },
  { file: "error", mimeType: TEXT_TYPE, description: "What went wrong last; empty: nothing" },
  { file: "usage", mimeType: JSON_TYPE, description: "Tokens and cost" },
  { file: "changes", mimeType: JSON_TYPE, description: "What the agent changed in a worktree or snapshot of its own" },
  { file: "tools/log", mimeType: TEXT_TYPE, description: "Every tool call and what became of it" },
  { file: "tools/pending", mimeType: JSON_TYPE, description: "Tool calls that wait for a person" },
];

/** The files of jobs that can be read, beside those that they have as sessions. */
const JOB_TEMPLATES: readonly (readonly [string, string, string])[] = [
  ["containers:///sessions/{session_id}/status", JSON_TYPE, "The state of commands in a sandbox"],
  ["containers:///sessions/{session_id}/result", JSON_TYPE, "What commands wrote and how they ended"],
  ["containers:///sessions/{session_id}/output", TEXT_TYPE, "What the commands that ended wrote"],
  ["containers:///sessions/{session_id}/usage", JSON_TYPE, "What commands cost"],
  ["containers:///sessions/{session_id}/tools/pending", JSON_TYPE, "Commands that wait for a person"],
  ["containers:///providers/{provider_id}/info", JSON_TYPE, "One kind of sandbox"],
  ["containers:///providers/{provider_id}/health", JSON_TYPE, "Whether a kind of sandbox works here"],
  ["compute:///jobs/{job_id}/status", JSON_TYPE, "Whether the model has answered"],
  ["compute:///jobs/{job_id}/result", JSON_TYPE, "The model's answer with usage and cost"],
  ["compute:///jobs/{job_id}/stream", TEXT_TYPE, "The model's answer as it comes"],
  ["compute:///providers/{provider_id}/info", JSON_TYPE, "A provider: models, abilities, prices"],
  ["compute:///providers/{provider_id}/models", JSON_TYPE, "The models of a provider"],
  ["compute:///providers/{provider_id}/health", JSON_TYPE, "Whether a provider answers"],
];

const OTHER_TEMPLATES: readonly (readonly [string, string])[] = [
  ["providers/{provider_id}/info", "A provider: models, abilities, prices"],
  ["providers/{provider_id}/models", "The models of a provider"],
  ["providers/{provider_id}/health", "Whether a provider answers"],
  ["workers/{worker_id}/status", "Whether a worker is idle, busy or unhealthy"],
  ["workers/{worker_id}/isolation", "Behind what walls a worker runs"],
  ["workers/{worker_id}/sessions", "How many sessions a worker has"],
  ["workers/{worker_id}/metrics", "What a worker has done"],
];

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly description?: string;
}

export function templates(): { uriTemplate: string; name: string; description: string; mimeType: string }[] {
  return [
    ...SESSION_FILES.map(({ file, mimeType, description }) => ({
      uriTemplate: `${SCHEME}/sessions/{session_id}/${file}`,
      name: `session ${file}`,
      description,
      mimeType,
    })),
    ...OTHER_TEMPLATES.map(([path, description]) => ({
      uriTemplate: `${SCHEME}/${path}`,
      name: path.replaceAll(/\{(\w+)_id\}\//g, "").replace("/", " "),
      description,
      mimeType: JSON_TYPE,
    })),
    ...JOB_TEMPLATES.map(([uriTemplate, mimeType, description]) => ({
      uriTemplate,
      name: uriTemplate.replaceAll(/:\/\/|\{\w+\}\//g, "").replaceAll("/", " "),
      description,
      mimeType,
    })),
  ];
}

/** A page of everything that can be read: first files outside sessions, then the sessions, the newest first. */
export async function listResources(
  tree: ClaudeTree,
  cursor: string | undefined,
): Promise<{ resources: ListedResource[]; nextCursor?: string }> {
  const sessions = (await tree.list(`${ROOT}/sessions`)).map(({ name }) => name);
  const begin = cursor === undefined ? 0 : sessions.indexOf(cursor) + 1;
  if (cursor !== undefined && begin === 0)
    throw new Failure("cursor_invalid", "this is not a place in the list; begin again without a cursor");
  const page = sessions.slice(begin, begin + LIMITS.mcpListedSessions);
  const root = cursor === undefined ? await rootFiles(tree) : [];
  const last = page.at(-1);
  return {
    resources: [...root.map((path) => ({ uri: uriOf(path), name: path })), ...page.flatMap(sessionResources)],
    ...(last !== undefined && begin + page.length < sessions.length ? { nextCursor: last } : {}),
  };
}

function sessionResources(session_id: string): readonly ListedResource[] {
  return SESSION_FILES.map(({ file, mimeType, description }) => {
    const path = sessionPath(session_id, file);
    return { uri: uriOf(path), name: path, mimeType, description };
  });
}

/** The readable files outside sessions that the caller may see. */
async function rootFiles(tree: ClaudeTree): Promise<readonly string[]> {
  const found: string[] = [];
  const folders: string[] = [...ROOTS];
  for (let looked = 0; looked < LIMITS.mcpFolders; looked += 1) {
    const folder = folders.shift();
    if (folder === undefined) break;
    const entries = (await asFarAsAllowed(() => tree.list(folder))) ?? [];
    const paths = entries.map(({ name, is_dir }) => ({ path: `${folder}/${name}`, is_dir }));
    folders.push(...paths.filter(({ path, is_dir }) => is_dir && !SESSIONS.has(path)).map(({ path }) => path));
    const files = paths.filter(({ path, is_dir }) => !is_dir && !CALLED.has(path)).map(({ path }) => path);
    const stats = await Promise.all(files.map((path) => asFarAsAllowed(() => tree.stat(path))));
    found.push(...files.filter((_path, index) => stats[index]?.readable === true));
  }
  return found;
}

async function asFarAsAllowed<Found>(look: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Failure && (error.code === "forbidden" || error.code === "not_found")) return undefined;
    throw error;
  }
}

export async function readResource(
  tree: ClaudeTree,
  uri: string,
): Promise<{ contents: { uri: string; mimeType: string; text: string }[] }> {
  const path = pathOf(uri);
  const text = await readText(tree, path);
  const known = sessionFileOf(path)?.mimeType;
  return { contents: [{ uri, mimeType: known ?? (/^\s*[{[]/.test(text) ? JSON_TYPE : TEXT_TYPE), text }] };
}

/** A file as named by a caller: a resource's address, a full path, or one below `/claude`. */
export function pathOf(words: string): string {
  const named = ROOTS.find((root) => words.startsWith(`${root.slice(1)}://`));
  const below = named === undefined ? words : decoded(words.slice(named.length + 2));
  const tree = named ?? ROOTS.find((root) => below === root || below.startsWith(`${root}/`)) ?? ROOT;
  const path = (below.startsWith(`${tree}/`) || below === tree ? below.slice(tree.length) : below).replace(
    /^\/|\/$/g,
    "",
  );
  if (path === "") return tree;
  const root = path.split("/");
  if (root.some((part) => part === "." || part === ".." || !NAME.test(part)))
    throw new Failure("invalid_request", "name a file of the tree, such as /claude/sessions/<id>/status");
  return `${tree}/${root.join("/")}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new Failure("invalid_request", `${path} is not the address of a file of a tree`);
  }
}

function uriOf(path: string): string {
  const [, tree = "", ...rest] = path.split("/");
  return `${tree}:///${rest.join("/")}`;
}

/** The session and the file that an address names; undefined: not a session's file. */
export function sessionFileOf(path: string): (SessionFile & { readonly session_id: string }) | undefined {
  const [, session_id, name] = /^\/claude\/sessions\/([^/]+)\/(.+)$/.exec(path) ?? [];
  const known = SESSION_FILES.find(({ file }) => file === name);
  return session_id === undefined || known === undefined ? undefined : { ...known, session_id };
}

/** The files of a session that an event changes. */
export function changedFiles(frame: StreamFrame): readonly string[] {
  switch (frame.type) {
    case "item.delta":
      return frame.field === "text" ? ["output"] : [];
    case "item.started":
    case "item.completed":
      return isToolItem(frame.item) ? ["output", "tools/log"] : ["output"];
    case "item.updated":
      return isToolItem(frame.item) ? ["tools/log"] : ["output"];
    case "turn.completed":
    case "turn.failed":
      return ["status", "response", "response.json", "output", "context", "error", "usage"];
    case "approval.requested":
    case "approval.resolved":
    case "approval.extended":
      return ["status", "tools/pending", "tools/log"];
    case "turn.queued":
    case "turn.steered":
    case "turn.started":
    case "turn.resumed":
      return ["status"];
    case "session.updated":
      return ["status", "error"];
    case "usage.updated":
    case "budget.updated":
      return ["usage"];
    case "error":
      return ["output", "error"];
    case "thread.started":
    case "instructions.loaded":
      return [];
  }
}
