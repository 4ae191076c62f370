import { z } from "zod";
import { LIMITS } from "./limits.ts";
import { PrincipalRef } from "./access/principals.ts";

/** Where the rows of a project's table are. They are never in the project. */
const ProjectSource = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("sample"), id: z.string().max(100) }),
  z.strictObject({ kind: z.literal("address"), address: z.string().max(2_000) }),
  /** A file of somebody's computer, or a table that was made in the page: who opens the project opens it again. */
  z.strictObject({ kind: z.literal("computer") }),
]);

const ProjectTable = z.strictObject({
  name: z.string().max(LIMITS.workbenchNameChars),
  columns: z.array(z.string().max(LIMITS.workbenchNameChars)).max(LIMITS.workbenchProjectColumns),
  source: ProjectSource,
  /** The layout as the page writes it: only the page reads it. */
  layout: z.string().max(LIMITS.workbenchLayoutChars),
});
export type ProjectTable = z.infer<typeof ProjectTable>;

const ProjectQuery = z.strictObject({
  name: z.string().min(1).max(LIMITS.workbenchNameChars),
  /** The id of what is asked. */
  source: z.string().max(500),
  sql: z.string().max(LIMITS.workbenchProjectBytes),
});
export type ProjectQuery = z.infer<typeof ProjectQuery>;

/** What the workbench shows: tables by where they come from, how each is looked at, and the queries. No rows. */
const ProjectContent = z.strictObject({
  tables: z.array(ProjectTable).max(LIMITS.workbenchProjectTables),
  /** The table that is shown, by its place. */
  shown: z.int().nonnegative(),
  queries: z.array(ProjectQuery).max(LIMITS.workbenchProjectQueries),
});
export type ProjectContent = z.infer<typeof ProjectContent>;

export const ProjectSummary = z.object({
  id: z.string(),
  name: z.string().trim().min(1).max(LIMITS.workbenchProjectNameChars),
  /** Grows by one with each change. */
  revision: z.int().positive(),
  tables: z.int().nonnegative(),
  queries: z.int().nonnegative(),
  /** Of its content as JSON. */
  bytes: z.int().nonnegative(),
  created_at: z.string(),
  created_by: PrincipalRef,
  updated_at: z.string(),
  updated_by: PrincipalRef,
});
export type ProjectSummary = z.infer<typeof ProjectSummary>;

export const WorkbenchProject = ProjectSummary.extend({ content: ProjectContent });
export type WorkbenchProject = z.infer<typeof WorkbenchProject>;

/** `revision`: that of the project that it replaces; absent: there is none of this id yet. `content` absent: only the name changes. */
export const SaveProject = z.strictObject({
  name: ProjectSummary.shape.name,
  revision: z.int().positive().optional(),
  content: ProjectContent.optional(),
});
export type SaveProject = z.infer<typeof SaveProject>;
