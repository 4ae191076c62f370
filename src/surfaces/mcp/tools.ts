import { z } from "zod";
import { ClaudeRequest, Failure, LIMITS } from "../../protocol/index.ts";
import { ROOT, sessionPath, type ClaudeTree } from "./claude-tree.ts";
import { pathOf } from "./resources.ts";
import { readStatus, WAIT_STATES, waitFor, type WaitOptions } from "./wait.ts";

/** A tool's answer: text for a model, and the same as data if it is data. */
interface ToolAnswer {
  readonly text: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface ClaudeTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly readOnly: boolean;
  readonly input: z.ZodObject;
  /** The schema of its data, for clients that read the data and not the text. More fields may be added. */
  readonly output: z.ZodObject;
  readonly run: (tree: ClaudeTree, input: unknown, waiting: WaitOptions) => Promise<ToolAnswer>;
}

const SessionId = z
  .string()
  .regex(/^[\w-]{1,100}$/, "must be the id of a session, such as ses_01jqk3v7w8x9y2z3a4b5c6")
  .describe("The session's id");

const PromptInput = z
  .object({ session_id: SessionId, prompt: z.string().min(1).max(LIMITS.promptChars).describe("What to do, in words") })
  .strict();

const WaitInput = z
  .object({
    session_id: SessionId,
    until: z
      .array(z.enum(WAIT_STATES))
      .min(1)
      .max(WAIT_STATES.length)
      .default([...WAIT_STATES])
      .describe("The states to wait for. A session that has ended is never waited for"),
    timeout_ms: z
      .number()
      .int()
      .min(0)
      .max(LIMITS.mcpWaitMaxMs)
      .default(LIMITS.mcpWaitMs)
      .describe("How long to wait at most, milliseconds"),
  })
  .strict();

const ReadInput = z
  .object({
    path: z
      .string()
      .min(1)
      .max(LIMITS.mountPathChars)
      .describe("Such as /claude/sessions/<id>/output, or /claude/policy"),
    offset: z.number().int().min(0).default(0).describe("The first byte to read"),
    limit: z
      .number()
      .int()
      .min(1)
      .max(LIMITS.mcpReadMaxBytes)
      .default(LIMITS.mcpReadBytes)
      .describe("Bytes to read at most"),
  })
  .strict();

const ForkInput = z
  .object({
    session_id: SessionId,
    after_turn: z.string().max(100).optional().describe("The turn to fork after; absent: the last one that has ended"),
  })
  .strict();

const ApproveInput = z
  .object({
    session_id: SessionId,
    request_id: z.string().min(1).max(100).describe("The question, from pending_tools of claude_wait"),
    input_hash: z.string().min(1).max(200).describe("What you were shown, from the same place"),
    approved: z.boolean().describe("True: the call runs once, exactly as it was shown"),
    feedback: z.string().max(LIMITS.feedbackChars).optional().describe("With a rejection: why, for the other agent"),
  })
  .strict();

const StopInput = z.object({ session_id: SessionId }).strict();

const CreatedOutput = z.looseObject({
  session_id: z.string().describe("The new session's id"),
  status: z.string().optional().describe("How it begins: creating"),
  status_path: z.string().optional().describe("The file that holds its state"),
});

const StatusOutput = z.looseObject({
  session_id: z.string().describe("The session's id"),
  status: z.string().describe("ready, working, idle, paused, pending_approval, complete or failed"),
});

const WaitOutput = StatusOutput.extend({
  timed_out: z.boolean().describe("True: it still works, wait again"),
  response: z.string().optional().describe("The last answer"),
  pending_tools: z.array(z.unknown()).optional().describe("The calls that wait for a person"),
});

const ReadOutput = z.looseObject({
  path: z.string().describe("The file or folder"),
  text: z.string().optional().describe("The part of the file that was read"),
  size: z.number().int().optional().describe("Bytes of the whole file"),
  offset: z.number().int().optional().describe("The first byte of the part"),
  next_offset: z.number().int().optional().describe("Where the next part begins; absent: this was the last"),
  entries: z.array(z.unknown()).optional().describe("Of a folder: what is in it"),
});

/** One tool, with its input parsed by its schema; invalid input is refused with our own message. */
export function tool<Input extends z.ZodObject>(
  parts: Omit<ClaudeTool, "input" | "run"> & {
    readonly input: Input;
    readonly run: (tree: ClaudeTree, input: z.output<Input>, waiting: WaitOptions) => Promise<ToolAnswer>;
  },
): ClaudeTool {
  return {
    ...parts,
    run: (tree, value, waiting) => {
      const parsed = parts.input.safeParse(value);
      if (parsed.success) return parts.run(tree, parsed.data, waiting);
      const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
      const [first] = issues;
      const where = first === undefined || first.path === "" ? "the arguments" : first.path;
      throw new Failure("invalid_request", `${where}: ${first?.message ?? "are not valid"}`, issues);
    },
  };
}

/** Document 003's tree as tools. `claude_approve` is only for agents, if the policy allows it: people do not answer through a model. */
export const CLAUDE_TOOLS: readonly ClaudeTool[] = [
  tool({
    name: "claude_new",
    title: "Start a session",
    description:
      "Starts a session of another agent and answers its session_id at once. It runs under policy and budget; max_cost_usd is in micro-USD. Then use claude_wait and claude_read.",
    readOnly: false,
    input: ClaudeRequest,
    output: CreatedOutput,
    run: async (tree, request) => dataAnswer(await tree.call(`${ROOT}/new`, JSON.stringify(request))),
  }),
  tool({
    name: "claude_prompt",
    title: "Send a prompt",
    description:
      "Sends a prompt to a session. It waits there while another one is worked on. Returns the state of the session.",
    readOnly: false,
    input: PromptInput,
    output: StatusOutput,
    run: async (tree, { session_id, prompt }) => {
      await tree.write(sessionPath(session_id, "prompt"), prompt);
      return asAnswer(await readStatus(tree, session_id));
    },
  }),
  tool({
    name: "claude_wait",
    title: "Wait for a session",
    description:
      "Waits until a session is idle, complete, failed or pending_approval (somebody is asked; see pending_tools), and returns its state, with its response. With timed_out it still works: wait again.",
    readOnly: true,
    input: WaitInput,
    output: WaitOutput,
    run: async (tree, request, waiting) => asAnswer({ ...(await waitFor(tree, request, waiting)) }),
  }),
  tool({
    name: "claude_approve",
    title: "Answer for a session that you began",
    description:
      "Answers a call that waits in a session that you began, where the policy lets agents do that (approvers), and never for more than you may do yourself. Otherwise it is refused and a person answers.",
    readOnly: false,
    input: ApproveInput,
    output: StatusOutput,
    run: async (tree, { session_id, ...answer }) => {
      await tree.write(sessionPath(session_id, "tools/approve"), JSON.stringify({ ...answer, as: "parent" }));
      return asAnswer(await readStatus(tree, session_id));
    },
  }),
  tool({
    name: "claude_read",
    title: "Read a file of the tree",
    description:
      "Reads any file of /claude, /containers or /compute that you may read, or lists a folder: providers/, policy, usage, sessions/<id>/{status,response,output,context,usage,tools/log,tools/pending}.",
    readOnly: true,
    input: ReadInput,
    output: ReadOutput,
    run: (tree, request) => readPart(tree, request),
  }),
  tool({
    name: "claude_fork",
    title: "Fork a session",
    description:
      "Makes a new session that begins with this one's conversation, and answers its session_id. It draws on the same budget.",
    readOnly: false,
    input: ForkInput,
    output: CreatedOutput,
    run: async (tree, { session_id, ...fork }) =>
      dataAnswer(await tree.call(sessionPath(session_id, "fork"), JSON.stringify(fork))),
  }),
  tool({
    name: "claude_stop",
    title: "Stop a session",
    description: "Ends a session for good, with whatever it is doing. Returns its state.",
    readOnly: false,
    input: StopInput,
    output: StatusOutput,
    run: async (tree, { session_id }) => {
      await tree.write(sessionPath(session_id, "ctl"), "stop");
      return asAnswer(await readStatus(tree, session_id));
    },
  }),
];

async function readPart(
  tree: ClaudeTree,
  { path: words, offset, limit }: z.output<typeof ReadInput>,
): Promise<ToolAnswer> {
  const path = pathOf(words);
  if ((await tree.stat(path)).is_dir) return asAnswer({ path, entries: await tree.list(path) });
  const bytes = await tree.read(path, { peek: true });
  const end = wholeCharacters(bytes, { offset, end: Math.min(bytes.length, offset + limit) });
  const next = end < bytes.length ? { next_offset: end } : {};
  const text = new TextDecoder().decode(bytes.subarray(offset, end));
  // Some clients show their model only the data, others only the text: the file is in both.
  return { text, data: { path, text, size: bytes.length, offset, ...next } };
}

/** Where a part ends so that no character is split; a part shorter than one character stays as it is. */
function wholeCharacters(
  bytes: Uint8Array,
  { offset, end }: { readonly offset: number; readonly end: number },
): number {
  let whole = end;
  while (whole > offset && ((bytes[whole] ?? 0) & 0b1100_0000) === 0b1000_0000) whole -= 1;
  return whole === offset ? end : whole;
}

export function dataAnswer(bytes: Uint8Array): ToolAnswer {
  return asAnswer(JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>);
}

function asAnswer(data: Readonly<Record<string, unknown>>): ToolAnswer {
  return { text: JSON.stringify(data), data };
}
