import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { WorkspaceMode } from "./walls.ts";

/** Keep to what can be proved: a renamed file is a deleted and an added one. */
const ChangeStatus = z.enum(["added", "modified", "deleted"]);

/** One file that a session changed in its worktree or snapshot. */
export const ChangeSetFile = z.object({
  /** Relative to the workspace. */
  path: z.string(),
  status: ChangeStatus,
  /** Lines. 0 if the file is binary or large. */
  additions: z.number().int(),
  deletions: z.number().int(),
  /** It is no text: there is no diff. */
  binary: z.literal(true).optional(),
  /** Too large to be compared line by line. */
  large: z.literal(true).optional(),
  /** It is a symbolic link, or was one: the diff shows where it leads. */
  link: z.literal(true).optional(),
  /** Only for a modified file: whether it can be executed is another now. */
  executable: z.boolean().optional(),
  /** The source changed since, or something stands in the way: it is not written over. */
  conflict: z.literal(true).optional(),
  /** The source is the same already. */
  in_source: z.literal(true).optional(),
});
export type ChangeSetFile = z.infer<typeof ChangeSetFile>;

/** A file of the source that a snapshot leaves out. */
const WithheldFile = z.object({
  path: z.string(),
  /** `name`, `not on the allowlist`, `not readable`, or `content:` and what it looks like. */
  because: z.string(),
});

/** What a session changed, beside the folder that it is for. */
export const ChangeList = z.object({
  session_id: z.string(),
  workspace_mode: WorkspaceMode,
  /** The folder that the changes are for. */
  source: z.string(),
  /** By path. For a session that works in the folder itself: since its first call that could change something. */
  files: z.array(ChangeSetFile),
  additions: z.number().int(),
  deletions: z.number().int(),
  conflicts: z.number().int(),
  /** Send it with what you decide: if anything changed since, nothing happens. */
  revision: z.string(),
  /** The commit of the source that the session began with, which commits go on. Absent: the source has none. */
  commit: z.string().optional(),
  /** The branch of a worktree. */
  branch: z.string().optional(),
  /** Files that the snapshot leaves out, the first of them. */
  withheld: z.array(WithheldFile),
  withheld_count: z.number().int(),
  /** Folders with a repository of their own, whose new files are in no change set. */
  not_included: z.array(z.string()),
  /** What of the changes cannot be known; absent: everything is. */
  unknown: z.string().optional(),
  /** A message for a commit, made of what was asked and changed. Absent: nothing changed. */
  proposed_message: z.string().optional(),
  /** The branch that is checked out in the folder. Only for a session that works in the folder itself. */
  current_branch: z.string().optional(),
});
export type ChangeList = z.infer<typeof ChangeList>;

/** A part of a file's change that can be chosen alone. Lines are counted from 1. */
const ChangeHunk = z.object({
  /** The same only for the same change. */
  id: z.string(),
  old_start: z.number().int(),
  old_lines: z.number().int(),
  new_start: z.number().int(),
  new_lines: z.number().int(),
});
export type ChangeHunk = z.infer<typeof ChangeHunk>;

/** What a session changed in one file. */
export const ChangeDiff = z.object({
  path: z.string(),
  status: ChangeStatus,
  /** From the base to the session's file. Empty: it is binary or large. */
  diff: z.string(),
  /** Why `diff` is not the whole of it; absent: it is. */
  note: z.string().optional(),
  /** Its parts, in the order of `diff`. Absent: it is applied, committed or discarded as a whole. */
  hunks: z.array(ChangeHunk).optional(),
  /** Of a conflict: from the base to the source's file as it is now. */
  source_diff: z.string().optional(),
  /** Of a conflict: the source's file is one that the session's filter withholds, so it is not shown. */
  source_withheld: z.literal(true).optional(),
});
export type ChangeDiff = z.infer<typeof ChangeDiff>;

const chosen = {
  /** Only these. Absent: all. */
  paths: z.array(z.string().min(1).max(4_096)).min(1).max(LIMITS.changedFiles).optional(),
  /** That of the list which was looked at. Absent: whatever there is now. */
  revision: z.string().max(100).optional(),
  /** Of these files only these parts, by their ids. Absent: whole files. */
  hunks: z
    .record(z.string().min(1).max(4_096), z.array(z.string().max(100)).min(1).max(LIMITS.chosenHunks))
    .refine((hunks) => Object.keys(hunks).length <= LIMITS.changedFiles, "names too many files")
    .optional(),
};

export const ApplyChanges = z.object(chosen).strict();
export type ApplyChanges = z.infer<typeof ApplyChanges>;

export const DiscardChanges = z.object(chosen).strict();
export type DiscardChanges = z.infer<typeof DiscardChanges>;

export const CommitChanges = z
  .object({
    ...chosen,
    /**
     * A new branch, or one that an earlier commit of the same session made. For a session that works in the folder itself also the
     * branch that is checked out there.
     */
    branch: z.string().min(1).max(200),
    message: z.string().min(1).max(LIMITS.commitMessageChars),
  })
  .strict();
export type CommitChanges = z.infer<typeof CommitChanges>;

/** What is written to document 003's `changes` as JSON. */
export const ChangesWritten = CommitChanges.partial({ branch: true, message: true })
  .extend({ action: z.enum(["apply", "commit", "discard"]) })
  .strict();
export type ChangesWritten = z.infer<typeof ChangesWritten>;

/** The `updated_input` of an approved review. Absent: the changes are applied. */
export const ReviewAnswer = CommitChanges.partial({ branch: true, message: true })
  .omit({ paths: true, hunks: true })
  .extend({ action: z.enum(["apply", "commit", "discard"]) })
  .strict();
export type ReviewAnswer = z.infer<typeof ReviewAnswer>;

/** What was decided: these files. */
export const ChangesDone = z.object({
  paths: z.array(z.string()),
  /** Of a commit. */
  branch: z.string().optional(),
  commit: z.string().optional(),
});
export type ChangesDone = z.infer<typeof ChangesDone>;
