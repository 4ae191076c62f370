import type { SallyportClient } from "../client/index.ts";
import { shellWord, type JournalEvent, type StreamFrame } from "../protocol/index.ts";
import { ApprovalInbox } from "./ask/inbox.ts";
import type { GlobalFlags } from "./connect.ts";
import type { CommandContext } from "./context.ts";

import { editorOf } from "./terminal/editor.ts";
import { Keyboard } from "./terminal/keyboard.ts";

/** Shows frames: a transcript for people, lines of JSON for programs. */
export interface Viewer {
  take(frame: StreamFrame): void;
}

/** One line of JSON per journaled event; live frames only on request. */
export class JsonLines implements Viewer {
  readonly #write: (text: string) => void;
  readonly #deltas: boolean;

  constructor(write: (text: string) => void, deltas: boolean) {
    this.#write = write;
    this.#deltas = deltas;
  }

  take(frame: StreamFrame): void {
    if (this.#deltas || "seq" in frame) this.#write(`${JSON.stringify(frame)}\n`);
  }
}

export interface FollowTurnOptions {
  readonly context: CommandContext;
  readonly client: SallyportClient;
  readonly session_id: string;
  readonly after: number;
  readonly viewer: Viewer;
  /** A person can be asked: there is a terminal, and the output is not for a program. */
  readonly interactive: boolean;
  readonly hint: (approval_id: string) => string;
  readonly known: { readonly seq: number; readonly pending: readonly string[] };
  readonly signal: AbortSignal;
  readonly onInterrupt: () => void;
}

/** Shows a session and asks its questions, until the last event or an abort. */
export async function follow(
  options: FollowTurnOptions,
  isLast: (event: JournalEvent) => boolean,
): Promise<JournalEvent | undefined> {
  const { context, client, viewer, signal } = options;
  const { surroundings, screen } = context;
  const keyboard = options.interactive
    ? new Keyboard({
        input: surroundings.input,
        screen: surroundings.errors,
        terminal: true,
        onInterrupt: options.onInterrupt,
      })
    : undefined;
  const edit = editorOf(surroundings.environment);
  const asking = keyboard === undefined ? undefined : { keyboard, screen, edit, now: surroundings.now };
  const inbox = new ApprovalInbox({ client, screen, asking, hint: options.hint, known: options.known });
  try {
    for await (const frame of client.watch(options.session_id, { after: options.after, signal })) {
      viewer.take(frame);
      if (!("seq" in frame)) continue;
      inbox.take(frame);
      if (isLast(frame)) return frame;
    }
    return undefined;
  } finally {
    await inbox.close();
    keyboard?.close();
  }
}

/** The command that answers an approval from another terminal. */
export function approveHint(name: string, flags: GlobalFlags, url: string): (approval_id: string) => string {
  const home = flags.home === undefined ? "" : ` --home ${shellWord(flags.home)}`;
  const server = flags.server === undefined ? "" : ` --server ${shellWord(url)}`;
  return (approval_id) => `${name}${home}${server} approve ${approval_id}`;
}
