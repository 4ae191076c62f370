import { createHash } from "node:crypto";
import {
  defined,
  Failure,
  LIMITS,
  type ChangeDiff,
  type ChangesDone,
  type ChangeSetFile,
  type FileComparison,
  type RecordedMoments,
  type RewindFiles,
} from "../../../protocol/index.ts";
import { unifiedDiff } from "../../../tools/index.ts";
import {
  changesSince,
  differing,
  discardChanges,
  filesNow,
  recordedContent,
  treeAt,
  type RecordedDifference,
  type RecordedPlace,
} from "../../../workspaces/index.ts";
import { auditRow, authorize, authorizeFor, type Caller } from "../../access/access.ts";
import { readEvents } from "../../core/journal.ts";
import { Frame } from "../../core/frames.ts";
import type { Session } from "../../core/session.ts";
import { refuseNewWork } from "../../core/storing.ts";
import { titleOfPrompt } from "../../core/title.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { Registry } from "../../lifecycle/registry.ts";
import { diffOf } from "../../workspace/change-diff.ts";
import { changedFiles, inPlace, sumOf } from "../../workspace/open-changes.ts";
import type { OpenedRecording } from "../../workspace/session-recording.ts";

interface RecordingParts {
  readonly dependencies: Dependencies;
  readonly registry: Registry;
}

/** What sessions' files were, turn by turn: compared, and put back. */
export class RecordingService {
  readonly #parts: RecordingParts;

  constructor(parts: RecordingParts) {
    this.#parts = parts;
  }

  async moments(caller: Caller, id: string): Promise<RecordedMoments> {
    const session = await this.#session(caller, "session.read", id);
    return session.recording.use(async ({ book, problem }) => {
      if (book === undefined) return { session_id: id, moments: [], ...defined({ note: problem }) };
      const turns = await Promise.all(
        book.points.map(async ({ turn_id, seq, at }) => ({
          id: turn_id,
          at: new Date(at).toISOString(),
          title: await this.#askedAt(session, seq),
        })),
      );
      const start = { id: "start", at: new Date(book.start.at).toISOString(), title: "" };
      return { session_id: id, moments: [start, ...turns], ...defined({ note: book.stopped ?? problem }) };
    });
  }

  /** `other`: a moment of this session, or another session. */
  async compare(caller: Caller, id: string, other: string): Promise<FileComparison> {
    const session = await this.#session(caller, "session.read", id);
    if (isSession(other)) return this.#compareSessions(caller, session, other);
    return session.recording.use(async (opened) => {
      const { compared, tree, base, revision } = await sinceMoment(opened, other);
      const files = await changedFiles({ tree, base, compared });
      return { session_id: id, with: other, files: [...files], ...sumOf(files), revision };
    });
  }

  async compareFile(
    caller: Caller,
    id: string,
    at: { readonly with: string; readonly path: string },
  ): Promise<ChangeDiff> {
    const session = await this.#session(caller, "session.read", id);
    const { path } = at;
    const { redact } = this.#parts.dependencies;
    if (isSession(at.with)) {
      const file = (await this.#between(caller, session, at.with)).find((one) => one.path === path);
      if (file === undefined) throw new Failure("not_found", `${path} is the same in both sessions`);
      return { path, status: file.status, diff: redact.exact(file.diff), ...defined({ note: file.note }) };
    }
    return session.recording.use(async (opened) => {
      const { compared, tree, base } = await sinceMoment(opened, at.with);
      const change = compared.find((one) => one.path === path);
      if (change === undefined) throw new Failure("not_found", `${path} is as it was`);
      const { text, note } = await diffOf(tree, base, change);
      return { path, status: change.status, diff: redact.exact(text), ...defined({ note }) };
    });
  }

  /** Puts files back to what they were at a moment. Nothing happens if anything changed since it was looked at. */
  async rewind(caller: Caller, id: string, { to, revision, paths }: RewindFiles): Promise<ChangesDone> {
    const session = await this.#session(caller, "changes.decide", id);
    refuseNewWork(this.#parts.dependencies);
    const done = await session.recording.use(async (opened) => {
      if (session.state.turn !== undefined)
        throw new Failure("conflict", `session ${id} is still working; wait for its turn to end, or interrupt it`);
      const found = await sinceMoment(opened, to);
      if (found.revision !== revision)
        throw new Failure("input_changed", "the files are no longer those that you were shown; look at them again");
      const wanted = paths === undefined ? undefined : new Set(paths);
      const changes = found.compared.filter(({ path }) => wanted === undefined || wanted.has(path));
      if (changes.length === 0) throw new Failure("conflict", "these files are as they were already");
      const names = changes.map(({ path }) => path);
      const details = { to, revision, files: names.length, paths: names.slice(0, LIMITS.withheldListed) };
      const { dependencies } = this.#parts;
      const row = auditRow(dependencies, caller, { action: "changes.rewind", target: id, details });
      await dependencies.store.commit({ audit: [row] });
      await discardChanges({ id, folder: opened.notes, workspace: opened.place.workspace }, found.base, changes);
      return { paths: names };
    });
    const files = `${done.paths.length} ${done.paths.length === 1 ? "file was" : "files were"}`;
    await session.execute({ type: "notice", message: `${files} put back by ${caller.name}.` }).catch(() => undefined);
    return done;
  }

  async #compareSessions(caller: Caller, session: Session, other: string): Promise<FileComparison> {
    const found = await this.#between(caller, session, other);
    const files = found.map(({ diff: _diff, note: _note, ...file }) => file);
    const revision = createHash("sha256").update(JSON.stringify(found)).digest("hex").slice(0, 32);
    return { session_id: session.state.id, with: other, files, ...sumOf(files), revision };
  }

  async #between(caller: Caller, session: Session, other: string): Promise<readonly ComparedFile[]> {
    const second = await this.#session(caller, "session.read", other);
    if (second === session) throw new Failure("invalid_request", "name another session than this one");
    // One after the other: two who compare each other would wait for each other.
    const look = (one: Session) => one.recording.use(async ({ place }) => ({ place, files: await filesNow(place) }));
    const [here, there] = [await look(session), await look(second)];
    return comparedFiles(differing(there.files, here.files), here.place, there.place);
  }

  async #session(caller: Caller, capability: "session.read" | "changes.decide", id: string): Promise<Session> {
    authorize(caller, capability);
    const session = await this.#parts.registry.get(id);
    authorizeFor(caller, capability, { state: session.state, what: `session ${id}` });
    if (session.state.settings.workspace_mode === "empty")
      throw new Failure("unsupported", `session ${id} works in a folder of its own, which is not recorded`);
    return session;
  }

  /** The first line of the prompt that began a turn. */
  async #askedAt(session: Session, seq: number): Promise<string> {
    const stretch = { after: seq - 1, upto: seq, limit: 1 };
    const [row] = await readEvents(this.#parts.dependencies.store.read, session.state, stretch);
    const event = row === undefined ? undefined : Frame.ofRow(row, session.state.id).value;
    return event?.type === "turn.started" ? titleOfPrompt(event.prompt.text) : "";
  }
}

function isSession(other: string): boolean {
  return other.startsWith("ses_");
}

async function sinceMoment({ place, book }: OpenedRecording, moment: string) {
  if (book === undefined) throw new Failure("not_found", "nothing was recorded of this session yet");
  const { changes, base, revision } = await changesSince(place, treeAt(book, moment));
  return { compared: inPlace(changes), base, revision, tree: { workspace: place.workspace } };
}

interface ComparedFile extends ChangeSetFile {
  readonly diff: string;
  readonly note?: string | undefined;
}

/** From the other session's files to this one's. */
async function comparedFiles(
  found: readonly RecordedDifference[],
  here: RecordedPlace,
  there: RecordedPlace,
): Promise<readonly ComparedFile[]> {
  if (found.length > LIMITS.comparedFiles)
    throw new Failure("limit_reached", `${found.length} files differ; at most ${LIMITS.comparedFiles} are compared`);
  const files: ComparedFile[] = [];
  for (const { path, from, to } of found) {
    const [old, now] = await Promise.all([
      from === undefined ? Buffer.alloc(0) : recordedContent(there, from.blob),
      to === undefined ? Buffer.alloc(0) : recordedContent(here, to.blob),
    ]);
    const status = from === undefined ? "added" : to === undefined ? "deleted" : "modified";
    const isBinary = old.includes(0) || now.includes(0);
    if (isBinary || Math.max(old.length, now.length) > LIMITS.diffedFileBytes) {
      const note = isBinary ? "the file is binary" : `the file has more than ${LIMITS.diffedFileBytes} bytes`;
      files.push({
        path,
        status,
        additions: 0,
        deletions: 0,
        diff: "",
        note,
        ...(isBinary ? { binary: true } : { large: true }),
      });
      continue;
    }
    const { text, added, removed, note } = unifiedDiff({
      path,
      before: old.toString("utf8"),
      after: now.toString("utf8"),
      of: found.length,
    });
    files.push({ path, status, additions: added, deletions: removed, diff: text, ...defined({ note }) });
  }
  return files;
}
