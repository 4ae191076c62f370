import { createHash } from "node:crypto";
import { z } from "zod";
import { TOOL_FACTS } from "../../protocol/index.ts";
import { isRefusal, type ToolRefusal } from "../refusal.ts";
import type { Tool, ToolSession } from "../tool.ts";
import { carryOut, describeChange, lookAt, plannedChange, whyNotEdit, type Planned } from "./change.ts";
import { unifiedDiff } from "./diff.ts";
import { cellName, parseNotebook, sourceText, type NotebookCell, type Notebook } from "./notebook.ts";

const NotebookEditInput = z
  .strictObject({
    notebook_path: z.string().describe("The .ipynb file: absolute, or relative to the workspace"),
    cell_id: z
      .string()
      .optional()
      .describe("The cell, as Read names it; with insert, the cell to insert after, at the start if left out"),
    new_source: z.string().describe("The cell's new source; ignored by delete"),
    cell_type: z.enum(["code", "markdown"]).optional().describe("Needed by insert; otherwise the cell keeps its type"),
    edit_mode: z.enum(["replace", "insert", "delete"]).default("replace"),
  })
  .refine((input) => input.edit_mode === "insert" || input.cell_id !== undefined, {
    path: ["cell_id"],
    message: "is needed to replace or delete a cell",
  })
  .refine((input) => input.edit_mode !== "insert" || input.cell_type !== undefined, {
    path: ["cell_type"],
    message: "is needed to insert a cell",
  });
type NotebookEditInput = z.infer<typeof NotebookEditInput>;

interface PlannedCell extends Planned {
  readonly cell: { readonly type: string; readonly before: string; readonly after: string };
}

export const notebookEdit: Tool<NotebookEditInput> = {
  name: "NotebookEdit",
  description:
    "Replaces, inserts or deletes one cell of a Jupyter notebook. Replacing the source of a code cell clears its outputs.",
  tier: TOOL_FACTS.NotebookEdit.tier,
  input: NotebookEditInput,
  paths: (input) => [{ path: input.notebook_path, access: "write" }],
  hosts: () => [],
  async preview(input, session) {
    const planned = await plan(input, session);
    const refused = isRefusal(planned);
    const cell = refused ? { type: input.cell_type ?? "", before: "", after: input.new_source } : planned.cell;
    const change = {
      path: refused ? input.notebook_path : planned.place.shown,
      before: cell.before,
      after: cell.after,
    };
    const preview = {
      type: "notebook" as const,
      file: await describeChange(session, input.notebook_path, planned),
      ...(input.cell_id === undefined ? {} : { cell_id: input.cell_id }),
      cell_type: cell.type,
      edit_mode: input.edit_mode,
      old_source: cell.before,
      new_source: cell.after,
      diff: refused ? "" : unifiedDiff(change).text,
    };
    return { preview, warnings: [], planned: plannedChange(planned) };
  },
  execute: (input, context) => carryOut(context, input.notebook_path, (session) => plan(input, session)),
};

async function plan(input: NotebookEditInput, session: ToolSession): Promise<PlannedCell | ToolRefusal> {
  if (!input.notebook_path.endsWith(".ipynb"))
    return { refused: `${input.notebook_path} is not a notebook (.ipynb). Use Edit for other files.` };
  const subject = await lookAt(session, input.notebook_path);
  if (isRefusal(subject)) return subject;
  const problem = whyNotEdit(subject, session);
  if (problem !== undefined) return { refused: problem };
  const { text } = subject.text;
  const notebook = parseNotebook(text);
  if (isRefusal(notebook)) return { refused: `${subject.place.shown} is ${notebook.refused}` };
  const changed = changeCells(notebook, input);
  if (isRefusal(changed)) return changed;
  const after = write({ ...notebook, cells: changed.cells }, text);
  const effects = write(notebook, text) === text ? [] : ["writes the notebook's JSON in its own layout"];
  return { ...subject, after, done: changed.done, effects, cell: changed.cell };
}

/** With the file's own indentation and last newline. */
function write(notebook: Notebook, like: string): string {
  const indent = /^[[{]\r?\n([ \t]+)/.exec(like)?.[1];
  return (
    JSON.stringify(notebook, undefined, indent ?? (like.includes("\n") ? 1 : 0)) + (like.endsWith("\n") ? "\n" : "")
  );
}

interface ChangedCells {
  readonly cells: NotebookCell[];
  readonly done: string;
  readonly cell: PlannedCell["cell"];
}

function changeCells(notebook: Notebook, input: NotebookEditInput): ChangedCells | ToolRefusal {
  const cells = [...notebook.cells];
  const index = input.cell_id === undefined ? -1 : cells.findIndex((cell, at) => cellName(cell, at) === input.cell_id);
  const old = cells[index];
  if (input.cell_id !== undefined && old === undefined)
    return {
      refused: `No cell ${input.cell_id} in the notebook. Its cells: ${cells.map(cellName).slice(0, 50).join(", ")}`,
    };
  if (input.edit_mode === "insert" || old === undefined) return insertCell(notebook, input, index);
  const before = sourceText(old.source);
  if (input.edit_mode === "delete") {
    cells.splice(index, 1);
    return { cells, done: `Deleted cell ${cellName(old, index)}`, cell: { type: old.cell_type, before, after: "" } };
  }
  const type = input.cell_type ?? old.cell_type;
  if (before === input.new_source && type === old.cell_type)
    return { refused: "The cell has this source already: there is nothing to change." };
  const source = typeof old.source === "string" ? input.new_source : lines(input.new_source);
  cells[index] = withoutResults({ ...old, cell_type: type, source });
  return { cells, done: `Replaced cell ${cellName(old, index)}`, cell: { type, before, after: input.new_source } };
}

function insertCell(notebook: Notebook, input: NotebookEditInput, after: number): ChangedCells {
  const cells = [...notebook.cells];
  const type = input.cell_type ?? "code";
  const hasIds = notebook.nbformat > 4 || (notebook.nbformat === 4 && notebook.nbformat_minor >= 5);
  const cell: NotebookCell = {
    cell_type: type,
    ...(type === "code" ? { execution_count: null } : {}),
    ...(hasIds ? { id: newCellId(notebook, input) } : {}),
    metadata: {},
    ...(type === "code" ? { outputs: [] } : {}),
    source: lines(input.new_source),
  };
  cells.splice(after + 1, 0, cell);
  const done = `Inserted cell ${cellName(cell, after + 1)}`;
  return { cells, done, cell: { type, before: "", after: input.new_source } };
}

/** Derived from the content, so that what is previewed is what is written. */
function newCellId(notebook: Notebook, input: NotebookEditInput): string {
  const taken = notebook.cells.map(cellName);
  const seed = JSON.stringify([taken, input.cell_id, input.new_source]);
  return createHash("sha256").update(seed).digest("hex").slice(0, 8);
}

/** A cell's output belongs to its old source; other cells than code have no such fields at all. */
function withoutResults(cell: NotebookCell): NotebookCell {
  if (cell.cell_type === "code") return { ...cell, execution_count: null, outputs: [] };
  const { outputs: _outputs, execution_count: _count, ...rest } = cell;
  return rest;
}

/** A notebook stores a source as lines with their newlines. */
function lines(source: string): string[] {
  return source === "" ? [] : source.split(/(?<=\n)/);
}
