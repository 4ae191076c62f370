import { z } from "zod";
import { ChangeSetFile } from "./changes.ts";
import { LIMITS } from "../limits.ts";

/** A comment on a line of a change. */
const LineComment = z
  .object({
    path: z.string().min(1).max(4_096),
    /** Counted from 1. */
    line: z.number().int().min(1),
    /** `old`: the line as it was before the session. */
    side: z.enum(["old", "new"]).default("new"),
    /** The line as the person saw it. If it is another one now, nothing is sent. Absent: whatever it is now. */
    quote: z.string().max(LIMITS.quotedLineChars).optional(),
    text: z.string().trim().min(1).max(LIMITS.lineCommentChars),
  })
  .strict();

/** Comments on lines, which become the next prompt together. */
export const CommentOnChanges = z.object({ comments: z.array(LineComment).min(1).max(LIMITS.lineComments) }).strict();
export type CommentOnChanges = z.input<typeof CommentOnChanges>;
export type LineComment = z.infer<typeof LineComment>;

/** A moment whose files are known. */
const RecordedMoment = z.object({
  /** `start`, or the id of the turn after which it was recorded. */
  id: z.string(),
  /** ISO 8601. */
  at: z.string(),
  /** The first line of what was asked; empty: the beginning. */
  title: z.string(),
});

/** The moments of a session that its files can be compared with and put back to. */
export const RecordedMoments = z.object({
  session_id: z.string(),
  /** The oldest first. Empty: nothing that could change a file has run. */
  moments: z.array(RecordedMoment),
  /** Why nothing more is recorded; absent: it is. */
  note: z.string().optional(),
});
export type RecordedMoments = z.infer<typeof RecordedMoments>;

/** What differs between a session's files now and another moment or session. */
export const FileComparison = z.object({
  session_id: z.string(),
  with: z.string(),
  /** From the other one to this session's files as they are now. */
  files: z.array(ChangeSetFile),
  additions: z.number().int(),
  deletions: z.number().int(),
  /** Send it with what you decide. */
  revision: z.string(),
});
export type FileComparison = z.infer<typeof FileComparison>;

/** Puts files back to what they were at a moment. */
export const RewindFiles = z
  .object({
    to: z.string().min(1).max(100),
    /** That of the comparison which was looked at. */
    revision: z.string().max(100),
    /** Only these. Absent: all that differ. */
    paths: z.array(z.string().min(1).max(4_096)).min(1).max(LIMITS.changedFiles).optional(),
  })
  .strict();
export type RewindFiles = z.infer<typeof RewindFiles>;

/** A place that commits can be pushed to, as the repository names it. */
const PushRemote = z.object({
  name: z.string(),
  /** Without passwords. */
  url: z.string(),
  /** Why nothing is pushed there; absent: it can be. */
  refused: z.string().optional(),
  /** The program that can open a pull request there. Absent: none is installed, or none is known for this host. */
  pull_request: z.enum(["gh", "glab"]).optional(),
});

/** What can be pushed from a session, and where to. */
export const Publishing = z.object({
  session_id: z.string(),
  /** Branches with commits of this session, the newest commit of each. */
  branches: z.array(z.object({ branch: z.string(), commit: z.string() })),
  remotes: z.array(PushRemote),
});
export type Publishing = z.infer<typeof Publishing>;

const target = {
  branch: z.string().min(1).max(200),
  remote: z.string().min(1).max(200),
  /** The address that the person was shown. If the remote has another one now, nothing happens. */
  url: z.string().min(1).max(4_096),
};

export const PushBranch = z.object({ ...target, commit: z.string().min(1).max(64) }).strict();
export type PushBranch = z.infer<typeof PushBranch>;

export const OpenPullRequest = z
  .object({
    ...target,
    title: z.string().trim().min(1).max(250),
    body: z.string().max(LIMITS.commitMessageChars).default(""),
    /** The branch that it is for. Absent: the host's default. */
    base: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[^-\s][^\s]*$/)
      .optional(),
    draft: z.boolean().default(false),
  })
  .strict();
export type OpenPullRequest = z.input<typeof OpenPullRequest>;

export const Published = z.object({
  branch: z.string(),
  commit: z.string(),
  remote: z.string(),
  /** Of a pull request: where it is. */
  pull_request: z.string().optional(),
});
export type Published = z.infer<typeof Published>;
