import { z } from "zod";
import { LIMITS, type ContentBlock } from "../../protocol/index.ts";
import { shorten } from "../preview.ts";
import { reasonOf, type ToolRefusal } from "../refusal.ts";
import { errorResult, type ToolResult } from "../tool.ts";

const Source = z.union([z.string(), z.array(z.string())]);
const Output = z.looseObject({
  output_type: z.string(),
  text: Source.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
  traceback: z.array(z.string()).optional(),
});
const NotebookCell = z.looseObject({
  cell_type: z.string(),
  id: z.string().optional(),
  source: Source,
  outputs: z.array(Output).optional(),
});
/** The parts of a Jupyter notebook that we read; everything else passes through. */
const Notebook = z.looseObject({
  cells: z.array(NotebookCell),
  nbformat: z.number().int(),
  nbformat_minor: z.number().int(),
});
export type Notebook = z.infer<typeof Notebook>;
export type NotebookCell = z.infer<typeof NotebookCell>;

export function parseNotebook(text: string): Notebook | ToolRefusal {
  try {
    const raw: unknown = JSON.parse(text);
    const parsed = Notebook.safeParse(raw);
    // Not the schema's result: that has its keys in another order, and the file must keep its own.
    if (parsed.success) return raw as Notebook;
    const [issue] = parsed.error.issues;
    return { refused: `not a notebook of format 4: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}` };
  } catch (error) {
    return { refused: `not JSON: ${reasonOf(error)}` };
  }
}

export function sourceText(source: z.infer<typeof Source>): string {
  return typeof source === "string" ? source : source.join("");
}

/** The name of a cell: its id, or its position if the format has no ids. */
export function cellName(cell: NotebookCell, index: number): string {
  return cell.id ?? `cell-${index}`;
}

/** The cells as the model sees them: source, then outputs, images as images. `offset` counts from 1. */
export function renderNotebook(
  notebook: Notebook,
  window: { readonly offset?: number | undefined; readonly limit?: number | undefined },
): ToolResult {
  const first = Math.max(1, window.offset ?? 1) - 1;
  const end = window.limit === undefined ? notebook.cells.length : first + window.limit;
  if (notebook.cells.length === 0)
    return { content: [{ type: "text", text: "The notebook has no cells." }], is_error: false };
  if (first >= notebook.cells.length)
    return errorResult(
      `Offset ${first + 1} is beyond the end of the notebook, which has ${notebook.cells.length} cell(s).`,
    );
  const page = new NotebookBlocks();
  for (const [index, cell] of notebook.cells.entries()) {
    if (index < first || index >= end) continue;
    if (page.isFull) {
      page.text(`(The notebook goes on: read with offset ${index + 1}.)`);
      break;
    }
    page.text(`[cell ${cellName(cell, index)}: ${cell.cell_type}]\n${sourceText(cell.source)}`);
    for (const output of cell.outputs ?? []) showOutput(page, output);
  }
  return { content: page.blocks, is_error: false };
}

/** Texts and images in order, neighbouring texts in one block. */
class NotebookBlocks {
  readonly blocks: ContentBlock[] = [];
  #characters = 0;
  #images = 0;
  #imageCharacters = 0;

  get isFull(): boolean {
    return this.#characters >= LIMITS.readBytes;
  }

  text(text: string): void {
    this.#characters += text.length;
    const last = this.blocks.at(-1);
    if (last?.type === "text") this.blocks[this.blocks.length - 1] = { type: "text", text: `${last.text}\n\n${text}` };
    else this.blocks.push({ type: "text", text });
  }

  image(media_type: "image/png" | "image/jpeg", data: string): void {
    this.#images += 1;
    this.#imageCharacters += data.length;
    if (this.#images > LIMITS.notebookImages || this.#imageCharacters > (LIMITS.imageBytes * 4) / 3)
      this.text(`[output: ${media_type}, not shown: too big or too many]`);
    else this.blocks.push({ type: "image", media_type, data });
  }
}

function showOutput(page: NotebookBlocks, output: z.infer<typeof Output>): void {
  const show = (text: string): void => page.text(`[output]\n${shorten(text, LIMITS.notebookOutputChars)}`);
  if (output.traceback !== undefined || output.ename !== undefined) {
    show(withoutColours([`${output.ename ?? ""}: ${output.evalue ?? ""}`, ...(output.traceback ?? [])].join("\n")));
    return;
  }
  if (output.text !== undefined) show(withoutColours(sourceText(output.text)));
  for (const media of ["image/png", "image/jpeg"] as const) {
    const data = Source.safeParse(output.data?.[media]);
    if (!data.success) continue;
    page.image(media, sourceText(data.data).replaceAll(/\s/g, ""));
    return;
  }
  const plain = Source.safeParse(output.data?.["text/plain"]);
  if (plain.success) show(sourceText(plain.data));
}

function withoutColours(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the escape character is what is looked for
  return text.replaceAll(/\u001B\[[0-9;]*m/g, "");
}
