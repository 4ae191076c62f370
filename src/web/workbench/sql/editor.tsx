import { useId, useLayoutEffect, useRef, type KeyboardEvent, type ReactNode, type RefObject } from "react";
import type { ErrorPlace } from "./sql-error.ts";

interface EditorEditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly run: () => void;
  /** Marked in the text and beside its line; absent: nothing is wrong. */
  readonly place: ErrorPlace | undefined;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

const INDENT = "  ";
/** The field and what lies under it must break and measure alike. */
const TEXT = "font-mono text-[13px] leading-5 whitespace-pre p-2";

/** A text field with line numbers. Tab indents; after Escape it leaves the field, as everywhere else. */
export function SqlEditor({ value, onChange, run, place, field }: EditorEditorProps): ReactNode {
  const hint = useId();
  const under = useRef<HTMLDivElement>(null);
  const isLeaving = useRef(false);
  const lines = value.split("\n").length;
  const follow = (): void => {
    const [top, left] = [field.current?.scrollTop ?? 0, field.current?.scrollLeft ?? 0];
    if (under.current === null) return;
    under.current.style.transform = `translate(${-left}px, ${-top}px)`;
    const numbers = under.current.parentElement?.previousElementSibling?.firstElementChild;
    if (numbers instanceof HTMLElement) numbers.style.transform = `translateY(${-top}px)`;
  };
  useLayoutEffect(follow);
  const key = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    } else if (event.key === "Tab" && !isLeaving.current && !event.ctrlKey && !event.altKey) {
      event.preventDefault();
      indent(event.currentTarget, event.shiftKey);
    }
    isLeaving.current = event.key === "Escape" || (isLeaving.current && event.key === "Shift");
  };
  return (
    <div className="flex min-h-0 flex-1 overflow-hidden rounded-lg border border-line-strong/60 bg-raised focus-within:outline-2 focus-within:outline-(--focus)">
      <div aria-hidden className="shrink-0 overflow-hidden border-r bg-panel text-right text-faint select-none">
        <div className={`${TEXT} tabular-nums`}>
          {Array.from({ length: lines }, (_, index) => (
            <div key={index} className={place?.line === index + 1 ? "font-semibold text-bad" : undefined}>
              {index + 1}
            </div>
          ))}
        </div>
      </div>
      <div className="relative min-w-0 flex-1 overflow-hidden">
        <div aria-hidden ref={under} className={`${TEXT} absolute top-0 left-0 text-transparent`}>
          {place !== undefined && <Marked value={value} offset={place.offset} />}
        </div>
        <textarea
          ref={field}
          aria-label="SQL"
          aria-describedby={hint}
          aria-invalid={place !== undefined}
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          wrap="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={key}
          onScroll={follow}
          className={`${TEXT} absolute inset-0 size-full resize-none bg-transparent text-ink outline-none`}
        />
        <span id={hint} className="sr-only">
          Control and Enter runs the query. Tab indents; to leave the field press Escape, then Tab.
        </span>
      </div>
    </div>
  );
}

/** From the place where it is wrong to the end of the word. */
function Marked({ value, offset }: { readonly value: string; readonly offset: number }): ReactNode {
  const length = /^[\p{L}\p{N}_]+|^"[^"\n]*"?|^[^\n]/u.exec(value.slice(offset))?.[0].length ?? 0;
  return (
    <>
      {value.slice(0, offset)}
      <mark className="rounded-sm bg-bad-soft text-transparent underline decoration-bad decoration-wavy decoration-2 underline-offset-4">
        {length === 0 ? " " : value.slice(offset, offset + length)}
      </mark>
    </>
  );
}

/** As the browser's own typing, so that its undo knows of it. */
function indent(field: HTMLTextAreaElement, isBack: boolean): void {
  const { selectionStart: start, selectionEnd: end, value } = field;
  if (!isBack && start === end) return typed(field, INDENT);
  const from = value.lastIndexOf("\n", start - 1) + 1;
  const lines = value.slice(from, end).split("\n");
  const changed = lines.map((line) => (isBack ? line.replace(/^ {1,2}/, "") : INDENT + line)).join("\n");
  field.setSelectionRange(from, end);
  typed(field, changed);
  field.setSelectionRange(from, from + changed.length);
}

/** Writes over the selection. */
export function typed(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  // oxlint-disable-next-line typescript/no-deprecated -- nothing else keeps the field's undo
  if (document.execCommand("insertText", false, text)) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
