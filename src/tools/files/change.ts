import { createHash } from "node:crypto";
import { isInside } from "../../gate/index.ts";
import { LIMITS, type FileChange, type FileDiff, type PlannedChange } from "../../protocol/index.ts";
import { isRefusal, type ToolRefusal } from "../refusal.ts";
import {
  errorResult,
  textResult,
  type PathUse,
  type ToolContext,
  type ToolPreview,
  type ToolResult,
  type ToolSession,
} from "../tool.ts";
import { decodeText, encodeText, isBinary, lineEndings, loadFile, type FileOnDisk, type TextFile } from "./content.ts";
import { unifiedDiff } from "./diff.ts";
import { missingFolders, nearName, resolveInside, type UsablePath } from "./paths.ts";
import { saveFile } from "./save.ts";

/** A text file that a call wants to change, with its current content. */
export interface Subject {
  readonly use: PathUse;
  readonly place: UsablePath;
  /** Absent: there is no such file yet. */
  readonly current: FileOnDisk | undefined;
  readonly text: TextFile;
}

/** What a call will turn a file into. */
export interface Planned extends Subject {
  readonly after: string;
  /** What the model reads when it is done. */
  readonly done: string;
  /** Side effects that only the tool knows. */
  readonly effects?: readonly string[];
}

const UNCHANGED = {
  is_new_file: false,
  original_content: "",
  new_content: "",
  diff: "",
  added: 0,
  removed: 0,
  effects: [],
};
const NEW_TEXT: TextFile = { text: "", encoding: "utf8", mark: false, faithful: true };

/** Reads the file that a call names, and refuses what cannot be changed safely. */
export async function lookAt(session: ToolSession, path: string): Promise<Subject | ToolRefusal> {
  const use: PathUse = { path, access: "write" };
  const place = await resolveInside(session, use);
  if (isRefusal(place)) return place;
  if (place.real === session.workspace) return { refused: `${place.shown} is the workspace itself, not a file.` };
  const current = await loadFile(place);
  if (isRefusal(current)) return current;
  if (current === undefined) return { use, place, current, text: NEW_TEXT };
  return { use, place, current, text: decodeText(current.bytes) };
}

export function changedText(place: UsablePath): string {
  return `File has been modified since it was read: ${place.shown}. Read it again before you change it.`;
}

/** Why the file's text cannot be edited; undefined when it can. A file that was never read may be edited: the edit itself proves that its text is known. */
export function whyNotEdit(subject: Subject, session: ToolSession): string | undefined {
  const { current, place, text } = subject;
  if (current === undefined) return `File does not exist: ${place.shown}`;
  if (session.files.check(place.real, current.bytes) === "changed") return changedText(place);
  if (isBinary(current.bytes)) return `Cannot edit binary file: ${place.shown}`;
  if (!text.faithful) return `${place.shown} is not valid UTF-8; an edit would damage it. Change it with Bash instead.`;
  return undefined;
}

/** What is compared with the file when the plan is carried out. Undefined for a change that cannot be made. */
export function plannedChange(planned: Planned | ToolRefusal): PlannedChange | undefined {
  if (isRefusal(planned)) return undefined;
  const { current, place, text } = planned;
  const after = sha256(encodeText(planned.after, text));
  if (current === undefined) return { real_path: place.real, before: "absent", after };
  const { bytes, mode, links } = current;
  return { real_path: place.real, before: sha256(bytes), mode: mode.toString(8), links, after };
}

export function isSamePlan(left: PlannedChange | undefined, right: PlannedChange | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return (
    left.real_path === right.real_path &&
    left.before === right.before &&
    left.mode === right.mode &&
    left.links === right.links &&
    left.after === right.after
  );
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Carries out a plan, if the file is unchanged since the plan was made, and the plan is the approved one. */
export async function carryOut(
  session: ToolContext,
  path: string,
  plan: (session: ToolSession) => Promise<Planned | ToolRefusal>,
): Promise<ToolResult> {
  const use: PathUse = { path, access: "write" };
  const place = await resolveInside(session, use);
  if (isRefusal(place)) return refusedResult(place);
  return session.files.exclusive(place.real, async () => {
    const planned = await plan(session);
    if (isRefusal(planned)) return refusedResult(planned);
    const approved = session.permission?.approved;
    if (approved !== undefined && !isSamePlan(approved.planned, plannedChange(planned)))
      return refusedResult({ refused: `${planned.place.shown} changed since it was shown.`, changed: true });
    const bytes = encodeText(planned.after, planned.text);
    if (bytes.length > LIMITS.fileBytes)
      return errorResult(`The file would have ${bytes.length} bytes; at most ${LIMITS.fileBytes} can be written here.`);
    const refusal = await saveFile({ session, use, place: planned.place, bytes, current: planned.current });
    if (refusal !== undefined) return refusedResult(refusal);
    session.files.saw(planned.place.real, bytes);
    const change: FileChange = { path: planned.place.shown, kind: planned.current === undefined ? "add" : "update" };
    return textResult(planned.done, { changes: [change], diff: diffOf(planned).text });
  });
}

/** The preview of a change of one file. `path`: as the model wrote it; `details`: what it says besides the diff. */
export async function previewChange<Plan extends Planned>(
  session: ToolSession,
  path: string,
  { planned, details }: { readonly planned: Plan | ToolRefusal; readonly details: (planned: Plan) => object },
): Promise<ToolPreview> {
  const shown = isRefusal(planned)
    ? { error: planned.refused, file_path: path }
    : { file_path: planned.place.shown, ...details(planned) };
  const file = await describeChange(session, path, planned);
  return { preview: { type: "diff", file, details: shown }, warnings: [], planned: plannedChange(planned) };
}

function refusedResult({ refused, changed }: ToolRefusal): ToolResult {
  return errorResult(refused, changed === undefined ? {} : { changed });
}

function diffOf(planned: Planned): ReturnType<typeof unifiedDiff> {
  return unifiedDiff({ path: planned.place.shown, before: planned.text.text, after: planned.after });
}

/** A change as a person sees it; one that cannot be made shows why. */
export async function describeChange(
  session: ToolSession,
  path: string,
  planned: Planned | ToolRefusal,
): Promise<FileDiff> {
  if (isRefusal(planned)) return { ...UNCHANGED, file_path: path, error: planned.refused };
  const diff = diffOf(planned);
  const effects = [...(await effectsOf(session, planned)), ...(planned.effects ?? [])];
  if (diff.note !== undefined) effects.push(diff.note);
  const shown = (text: string): string => (text.length <= LIMITS.previewContentChars ? text : "");
  for (const [name, text] of [
    ["old", planned.text.text],
    ["new", planned.after],
  ] as const)
    if (shown(text) !== text)
      effects.push(`the ${name} text has ${text.length} characters and is shown by the diff alone`);
  return {
    file_path: planned.place.shown,
    is_new_file: planned.current === undefined,
    original_content: shown(planned.text.text),
    new_content: shown(planned.after),
    diff: diff.text,
    ...(diff.note === undefined ? {} : { cut: true }),
    added: diff.added,
    removed: diff.removed,
    effects,
  };
}

async function effectsOf(session: ToolSession, planned: Planned): Promise<readonly string[]> {
  const { current, place, text } = planned;
  const effects: string[] = [];
  for (const folder of await missingFolders(place.real))
    effects.push(`creates folder ${nearName(session.workspace, folder)}`);
  if (isInside(session.workspace, place.shown) && place.real !== place.shown)
    effects.push(`writes through a link to ${nearName(session.workspace, place.real)}`);
  if (current === undefined) return effects;
  if ((current.mode & 0o7111) !== 0) effects.push(`keeps mode ${current.mode.toString(8)}`);
  if (lineEndings(text.text) === "crlf" && lineEndings(planned.after) === "crlf")
    effects.push("keeps CRLF line endings");
  if (text.mark) effects.push("keeps the byte order mark");
  if (current.links > 1) effects.push(`leaves the old content under ${current.links - 1} other name(s) of the file`);
  return effects;
}
