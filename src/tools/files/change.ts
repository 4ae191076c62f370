import { LIMITS, type FileChange, type FileDiff } from "../../protocol/index.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import { errorResult, textResult, type PathUse, type ToolResult, type ToolSession } from "../tool.ts";
import { decodeText, encodeText, isBinary, lineEndings, loadFile, type FileOnDisk, type TextFile } from "./content.ts";
import { unifiedDiff } from "./diff.ts";
import { isInside, missingFolders, nearName, resolveInside, type Place } from "./paths.ts";
import { saveFile } from "./save.ts";

/** A text file that a call wants to change, as it stands now. */
export interface Subject {
  readonly use: PathUse;
  readonly place: Place;
  /** Absent: there is no such file yet. */
  readonly current: FileOnDisk | undefined;
  readonly text: TextFile;
}

/** What a call will make of a file. */
export interface Planned extends Subject {
  readonly after: string;
  /** What the model reads when it is done. */
  readonly done: string;
  /** Side effects that only the tool knows. */
  readonly effects?: readonly string[];
}

const NEW_TEXT: TextFile = { text: "", encoding: "utf8", mark: false, faithful: true };

/** Looks at the file that a call names, and refuses what cannot be changed safely. */
export async function lookAt(session: ToolSession, path: string): Promise<Subject | Refusal> {
  const use: PathUse = { path, access: "write" };
  const place = await resolveInside(session, use);
  if (isRefusal(place)) return place;
  if (place.real === session.workspace) return { refused: `${place.shown} is the workspace itself, not a file.` };
  const current = await loadFile(place);
  if (isRefusal(current)) return current;
  if (current === undefined) return { use, place, current, text: NEW_TEXT };
  return { use, place, current, text: decodeText(current.bytes) };
}

export function changedText(place: Place): string {
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

/** Makes a plan true, if the file is still as it was when the plan was made. */
export async function carryOut(
  session: ToolSession,
  path: string,
  plan: (session: ToolSession) => Promise<Planned | Refusal>,
): Promise<ToolResult> {
  const use: PathUse = { path, access: "write" };
  const place = await resolveInside(session, use);
  if (isRefusal(place)) return errorResult(place.refused);
  return session.files.exclusive(place.real, async () => {
    const planned = await plan(session);
    if (isRefusal(planned)) return errorResult(planned.refused);
    const bytes = encodeText(planned.after, planned.text);
    if (bytes.length > LIMITS.fileBytes)
      return errorResult(`The file would have ${bytes.length} bytes; at most ${LIMITS.fileBytes} can be written here.`);
    const refusal = await saveFile({ session, use, place: planned.place, bytes, current: planned.current });
    if (refusal !== undefined) return errorResult(refusal.refused);
    session.files.saw(planned.place.real, bytes);
    const change: FileChange = { path: planned.place.shown, kind: planned.current === undefined ? "add" : "update" };
    return textResult(planned.done, { changes: [change], diff: diffOf(planned).text });
  });
}

function diffOf(planned: Planned): ReturnType<typeof unifiedDiff> {
  return unifiedDiff({ path: planned.place.shown, before: planned.text.text, after: planned.after });
}

/** A plan as a person sees it. What is shown counts as seen: a change between question and answer is then refused. */
export async function describePlan(session: ToolSession, planned: Planned): Promise<FileDiff> {
  if (planned.current !== undefined) session.files.saw(planned.place.real, planned.current.bytes);
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
    added: diff.added,
    removed: diff.removed,
    effects,
  };
}

/** A change that cannot be made, as a person sees it. */
export function describeRefusal(path: string, refusal: Refusal): FileDiff {
  return {
    file_path: path,
    is_new_file: false,
    original_content: "",
    new_content: "",
    diff: "",
    added: 0,
    removed: 0,
    effects: [],
    error: refusal.refused,
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
