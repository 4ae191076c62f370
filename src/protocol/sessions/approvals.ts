import { z } from "zod";
import { ChangeSetFile } from "./changes.ts";
import { ErrorDetail } from "../errors.ts";
import { ImageBlock } from "../journal/content.ts";
import { LIMITS } from "../limits.ts";
import { Shortage } from "../models/money.ts";
import { PrincipalRef } from "../access/principals.ts";

/** How much harm a tool can do, least first: reads, network reads, changes of a user's page, workspace writes, execution. */
export const Tier = z.enum(["read", "network", "page", "write", "execute"]);
export type Tier = z.infer<typeof Tier>;

/** One file's change as a person sees it. `diff` is unified, 3 lines of context, headers `--- a/<path>` and `+++ b/<path>`. */
export const FileDiff = z.object({
  file_path: z.string(),
  is_new_file: z.boolean(),
  original_content: z.string(),
  new_content: z.string(),
  diff: z.string(),
  /** The diff is too long and was cut; the call's input has all of it. */
  cut: z.literal(true).optional(),
  added: z.number().int(),
  removed: z.number().int(),
  /** Side effects beyond the text, in words: "creates folder src/new", "keeps mode 755". */
  effects: z.array(z.string()),
  /** Why this change cannot be made as asked; the diff is then empty. */
  error: z.string().optional(),
});
export type FileDiff = z.infer<typeof FileDiff>;

/** One simple command of a shell line, as it will really run. */
export const CommandPart = z.object({
  /** The words with quotes expanded; a word that only the shell can know stays as written. */
  argv: z.array(z.string()),
  /** The program's name without its folder; empty when it is only known at run time. */
  program: z.string(),
  /** Where the program was found; absent when it was not (a builtin, or missing). */
  resolved: z.string().optional(),
  /** Unwrapped wrappers, outermost first: `sudo`, `env`, `xargs`. */
  wrappers: z.array(z.string()),
  /** Variables set for this command. */
  assignments: z.array(z.string()),
  redirects: z.array(z.object({ operator: z.string(), target: z.string() })),
  /** Words that look like paths, resolved against the working folder. */
  paths: z.array(z.object({ word: z.string(), path: z.string(), inside: z.boolean() })),
  hosts: z.array(z.string()),
  text: z.string(),
});
export type CommandPart = z.infer<typeof CommandPart>;

export const WarningKind = z.enum([
  "sudo",
  "delete",
  "pipe",
  "redirect",
  "network",
  "outside_workspace",
  "dynamic_command",
  "background",
  "dangerous",
  "unparseable",
  /** A part is hidden: it is a secret that the server knows. */
  "hidden",
]);
export const Warning = z.object({ kind: WarningKind, message: z.string() });
export type Warning = z.infer<typeof Warning>;

export const QuestionOption = z.object({ label: z.string(), description: z.string(), preview: z.string().optional() });
export const Question = z.object({
  question: z.string(),
  header: z.string(),
  options: z.array(QuestionOption),
  multiSelect: z.boolean(),
  /** An address that the person is asked to open. Absent: none. */
  link: z.string().optional(),
});
export type Question = z.infer<typeof Question>;

/** The page that a browser tool would act on, as it was when the question was asked. */
export const PagePreview = z.object({
  /** Absent: no page is open. */
  url: z.string().optional(),
  title: z.string().optional(),
  /** The element as HTML, cut. Absent: the call names none, or there is none. */
  element: z.string().optional(),
  /** Of the element and what is around it, or of the page. Absent: it could not be taken. */
  picture: ImageBlock.optional(),
});
export type PagePreview = z.infer<typeof PagePreview>;

export const Preview = z.discriminatedUnion("type", [
  z.object({ type: z.literal("diff"), file: FileDiff, details: z.record(z.string(), z.unknown()) }),
  z.object({ type: z.literal("multi_diff"), files: z.array(FileDiff), details: z.record(z.string(), z.unknown()) }),
  z.object({
    type: z.literal("command"),
    command: z.string(),
    description: z.string().optional(),
    timeout_ms: z.number(),
    cwd: z.string(),
    background: z.boolean(),
    parts: z.array(CommandPart),
    /** Set when the line could not be parsed; `parts` is then empty. */
    parse_error: z.string().optional(),
  }),
  z.object({
    type: z.literal("notebook"),
    file: FileDiff,
    cell_id: z.string().optional(),
    cell_type: z.string(),
    edit_mode: z.enum(["replace", "insert", "delete"]),
    old_source: z.string(),
    new_source: z.string(),
    diff: z.string(),
  }),
  z.object({ type: z.literal("question"), questions: z.array(Question) }),
  /** A spending limit was reached: raise it? */
  z.object({
    type: z.literal("budget"),
    summary: z.string(),
    shortage: Shortage,
    /** The limit that an approval sets, unless `updated_input.limit_microusd` names another. */
    proposed_limit_microusd: z.number().int(),
  }),
  /** A program in the sandbox wants to reach a host that no rule allows. `host`: as the program wrote it, in ASCII. */
  z.object({ type: z.literal("network"), summary: z.string(), host: z.string(), port: z.number().int() }),
  /** What the session changed in its worktree or snapshot, as a whole. */
  z.object({
    type: z.literal("changes"),
    summary: z.string(),
    /** The folder that the changes are for. */
    source: z.string(),
    /** By path, the first of them, each with its unified diff. Absent: it has none, or it does not fit. */
    files: z.array(ChangeSetFile.extend({ diff: z.string().optional() })),
    file_count: z.number().int(),
    additions: z.number().int(),
    deletions: z.number().int(),
    conflicts: z.number().int(),
    /** The commit of the source that a commit would go on. Absent: there is none, so nothing can be committed. */
    commit: z.string().optional(),
    /** Files or diffs are left out: the session's changes have all of them. */
    cut: z.literal(true).optional(),
  }),
  /** `page`: of a browser tool. */
  z.object({ type: z.literal("generic"), summary: z.string(), page: PagePreview.optional() }),
]);
export type Preview = z.infer<typeof Preview>;
export type ReviewPreview = Extract<Preview, { type: "changes" }>;

export const ApprovalStatus = z.enum(["pending", "approved", "rejected", "timed_out", "cancelled"]);
export type ApprovalStatus = z.infer<typeof ApprovalStatus>;
/** How an approval ended. `cancelled`: its turn was interrupted or its session closed before anybody answered. */
export const Outcome = z.enum(["approved", "rejected", "timed_out", "cancelled"]);
export type Outcome = z.infer<typeof Outcome>;

/** What happens when nobody answers in time: `deny` tells the model; `park` keeps the question open indefinitely. */
export const Unattended = z.enum(["deny", "park"]);
export type Unattended = z.infer<typeof Unattended>;

/** A file change that was shown: the file, its old content and its new content. It runs only if all of this still holds. */
export const PlannedChange = z.object({
  /** Absolute, all links resolved. */
  real_path: z.string(),
  /** SHA-256 of the current content, in hex; "absent": there is no such file. */
  before: z.string(),
  /** Permission bits of the current file, octal ("644"). Absent: there is none. */
  mode: z.string().optional(),
  /** Number of hard links of the current file. Absent: there is none. */
  links: z.number().int().optional(),
  /** SHA-256 of the new content, in hex. */
  after: z.string(),
});
export type PlannedChange = z.infer<typeof PlannedChange>;

/** How far a rule for the session reaches: one call, a program with any arguments, a folder, the workspace, every call of the tool. */
const RuleReach = z.enum(["exact", "arguments", "folder", "workspace", "tool"]);

/** A rule that "approve for the session" can add. */
export const OfferedRule = z.object({
  rule: z.string(),
  reach: RuleReach,
  /** What it allows, in words for people. */
  allows: z.string(),
});
export type OfferedRule = z.infer<typeof OfferedRule>;

/** A durable question to a person about one exact tool call. */
export const Approval = z.object({
  id: z.string(),
  session_id: z.string(),
  turn_id: z.string(),
  item_id: z.string(),
  tool: z.string(),
  tool_use_id: z.string(),
  tier: Tier,
  input: z.record(z.string(), z.unknown()),
  /** SHA-256 over the canonical JSON of tool and input: the answer must name it. */
  input_hash: z.string(),
  preview: Preview,
  /** What a file tool will change, as `preview` shows it. Absent: the tool changes no file itself, or the preview says why it cannot. */
  planned: PlannedChange.optional(),
  /** Of an MCP server's tool: identifies what the server said of it when the question was asked. */
  definition: z.string().optional(),
  /** The approval of the same call that this one replaces: what that one showed had changed. */
  replaces: z.string().optional(),
  warnings: z.array(Warning),
  /** Why it can only be rejected, or approved with another input. Absent: it can be approved. */
  not_approvable: z.string().optional(),
  /** Why it is asked: the pipeline's rule. */
  reason: z.string(),
  /** The exact rule that "approve for the session" would add; absent if none can be shown safely. */
  session_rule: z.string().optional(),
  /** The rule for every call of the tool, which can be picked instead; absent: none. */
  broader_rule: z.string().optional(),
  /** Every rule that can be picked instead, `session_rule` among them, the narrowest first. Absent: none. */
  session_rules: z.array(OfferedRule).optional(),
  unattended: Unattended,
  created_at: z.string(),
  /** Absent when parked. */
  expires_at: z.string().optional(),
  status: ApprovalStatus,
  resolved_at: z.string().optional(),
  resolved_by: PrincipalRef.optional(),
  feedback: z.string().optional(),
  scope: z.enum(["once", "session"]).optional(),
  /** The rule that the answer added. Absent: none, or it was there already. */
  granted_rule: z.string().optional(),
  updated_input: z.record(z.string(), z.unknown()).optional(),
  interrupt: z.boolean().optional(),
  /** Set on reading one approval: the file is not what was shown any more, so it must be shown anew before it can be approved. */
  outdated: z.literal(true).optional(),
});
export type Approval = z.infer<typeof Approval>;

export const Decision = z
  .object({
    decision: z.enum(["approve", "reject"]),
    input_hash: z.string(),
    scope: z.enum(["once", "session"]).optional(),
    /** With the scope `session`: the rule to add, one of the approval's `session_rules`. Absent: `session_rule`. */
    rule: z.string().max(LIMITS.ruleChars).optional(),
    updated_input: z.record(z.string(), z.unknown()).optional(),
    feedback: z.string().max(LIMITS.feedbackChars).optional(),
    /** With `reject`: end the turn too. */
    interrupt: z.boolean().optional(),
    /** With `interrupt`: waiting prompts do not begin before `resume`. Absent: the next one begins. */
    hold_queue: z.boolean().optional(),
  })
  .strict();
export type Decision = z.infer<typeof Decision>;

/** Several answers at once, each bound to what was shown. */
export const DecisionBatch = z
  .object({
    decisions: z
      .array(Decision.safeExtend({ id: z.string().max(100) }))
      .min(1)
      .max(LIMITS.decisionsPerBatch)
      .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, "each approval may be named once"),
  })
  .strict();
export type DecisionBatch = z.infer<typeof DecisionBatch>;

/** What became of each answer, in the order they were sent. Either the approval after it, or why it was left out. */
export const DecisionResults = z.object({
  results: z.array(z.object({ id: z.string(), approval: Approval.optional(), error: ErrorDetail.optional() })),
});
export type DecisionResults = z.infer<typeof DecisionResults>;

/** More time for a question. `ms`: from now on; absent: as long as it had at first. */
export const ExtendApproval = z
  .object({ ms: z.number().int().min(1_000).max(LIMITS.approvalExtensionMs).optional() })
  .strict();
export type ExtendApproval = z.infer<typeof ExtendApproval>;

/** Takes back a rule that somebody granted for the session. */
export const RevokeGrant = z.object({ rule: z.string().min(1).max(LIMITS.ruleChars) }).strict();
export type RevokeGrant = z.infer<typeof RevokeGrant>;
