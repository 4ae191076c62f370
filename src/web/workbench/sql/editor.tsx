import { closeCompletion } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useId, useLayoutEffect, useRef, type ReactNode, type RefObject } from "react";
import { editorSetup, markError } from "./editor-setup.ts";
import { SQL_LIMITS } from "./limits.ts";
import type { ErrorPlace } from "./sql-error.ts";
import type { ListedTable, SqlSource } from "./sources.ts";

/** What others do to the text: see `SqlEditor`. */
export interface EditorHandle {
  /** Writes over the selection, and takes the focus. */
  write(text: string): void;
  focus(): void;
}

interface SqlEditorProps {
  /** Of the query: each has its own steps to undo and its own cursor. */
  readonly id: string;
  readonly kind: SqlSource["kind"];
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly run: () => void;
  /** Marked in the text; absent: nothing is wrong. */
  readonly place: ErrorPlace | undefined;
  /** Whose names are proposed. */
  readonly tables: readonly ListedTable[];
  readonly handle: RefObject<EditorHandle | null>;
}

/** Colours, line numbers, and names and words while you write. Tab indents; after Escape it leaves the field. */
export function SqlEditor(props: SqlEditorProps): ReactNode {
  const { id, kind, value, place, handle } = props;
  const hint = useId();
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(props);
  useLayoutEffect(() => {
    latest.current = props;
  });
  const states = useRef(new EditorStates());
  useLayoutEffect(() => {
    if (parent.current === null) return undefined;
    // Its own styles are written at once, and need the page's leave.
    const extensions = EditorView.cspNonce.of(pageNonce());
    const made = new EditorView({ parent: parent.current, state: EditorState.create({ extensions }) });
    view.current = made;
    handle.current = {
      write: (text) => {
        made.focus();
        made.dispatch(made.state.replaceSelection(text), { userEvent: "input" });
      },
      focus: () => made.focus(),
    };
    return () => {
      handle.current = null;
      made.destroy();
    };
  }, [handle]);
  useLayoutEffect(() => {
    const { current } = view;
    const kept = states.current;
    if (current === null) return undefined;
    const key = `${id} ${kind}`;
    const links = {
      run: () => latest.current.run(),
      change: (text: string) => latest.current.onChange(text),
      tables: () => latest.current.tables,
    };
    const extensions = editorSetup(links, { kind, hint, nonce: pageNonce() });
    current.setState(kept.get(key) ?? EditorState.create({ doc: latest.current.value, extensions }));
    // What was proposed when the query was left is old.
    closeCompletion(current);
    return () => kept.keep(key, current.state);
  }, [id, kind, hint]);
  useEffect(() => {
    const { current } = view;
    const before = current?.state.doc.toString();
    if (current === null || before === value) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value } });
  }, [id, kind, value]);
  useEffect(() => {
    view.current?.dispatch({ effects: markError.of(place) });
    view.current?.contentDOM.setAttribute("aria-invalid", String(place !== undefined));
  }, [id, kind, place]);
  return (
    <div
      ref={parent}
      className="flex min-h-0 flex-1 overflow-hidden rounded-lg border border-line-strong/60 bg-raised focus-within:outline-2 focus-within:outline-(--focus)"
    >
      <span id={hint} className="sr-only">
        Control and Enter runs the query. Control and Space proposes names. Tab indents; to leave the field press
        Escape, then Tab.
      </span>
    </div>
  );
}

function pageNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
}

/** What was written into the editors of other queries, with its steps: the newest of them. */
class EditorStates {
  readonly #states = new Map<string, EditorState>();

  get(key: string): EditorState | undefined {
    return this.#states.get(key);
  }

  keep(key: string, state: EditorState): void {
    this.#states.delete(key);
    this.#states.set(key, state);
    for (const oldest of this.#states.keys()) {
      if (this.#states.size <= SQL_LIMITS.tabs) return;
      this.#states.delete(oldest);
    }
  }
}
