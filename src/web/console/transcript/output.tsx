import { useLayoutEffect, useMemo, useRef, type ReactNode, type RefObject } from "react";
import type { ContentBlock } from "../../../protocol/index.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ansiPieces, carriedTo } from "./ansi.ts";
import { useReach, useRevealed } from "./folds.tsx";
import { linesOf, SHOWN_LINES, windowOf } from "./lines.ts";
import { t } from "../../ui/language/t.ts";

/** A command's or tool's output: the newest lines, with a way to the others. Only the shown lines are in the page. */
export function Output({
  id,
  text,
  label,
  atEnd = false,
}: {
  /** Names it within the session. */
  readonly id: string;
  readonly text: string;
  readonly label: string;
  /** Opens at its end, and stays there while it grows and nobody scrolls up. */
  readonly atEnd?: boolean;
}): ReactNode {
  const box = useEnd(atEnd, text);
  const lines = useMemo(() => linesOf(text), [text]);
  const [from, setFrom] = useReach(`lines-${id}`);
  const wanted = useWantedLine(id, lines);
  const shown = windowOf(lines.length, from ?? wanted);
  useLineInSight(box, wanted === undefined ? undefined : (wanted - shown.from) / (shown.to - shown.from));
  const part = useMemo(
    () => ansiPieces(carriedTo(lines, shown.from) + lines.slice(shown.from, shown.to).join("\n")),
    [lines, shown.from, shown.to],
  );
  if (text === "") return <p className="text-sm text-faint">{t("No output")}</p>;
  return (
    <div className="rounded-lg border bg-sunken">
      <div className="flex items-center gap-2 border-b px-2 py-0.5 text-xs text-faint">
        <span className="me-auto">
          {lines.length > SHOWN_LINES
            ? t("Lines {from} to {to} of {total}", {
                from: String(shown.from + 1),
                to: String(shown.to),
                total: lines.length,
              })
            : `${String(lines.length)} ${lines.length === 1 ? "line" : "lines"}`}
        </span>
        {shown.from > 0 && (
          <Button size="small" variant="quiet" onClick={() => setFrom(shown.from - SHOWN_LINES)}>
            {t("Earlier")}
          </Button>
        )}
        {shown.to < lines.length && (
          <Button size="small" variant="quiet" onClick={() => setFrom(shown.to)}>
            {t("Later")}
          </Button>
        )}
        <CopyButton text={text} label={t("Copy {label}", { label })} />
      </div>
      <pre
        ref={box}
        tabIndex={0}
        aria-label={label}
        className="max-h-96 overflow-auto px-3 py-2 text-[13px] leading-snug whitespace-pre-wrap break-words"
      >
        {part.map((piece, index) => (
          <span
            // The pieces have no names, and never change their order.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            style={{
              ...(piece.color === undefined ? {} : { color: piece.color }),
              ...(piece.bold ? { fontWeight: 600 } : {}),
              ...(piece.italic ? { fontStyle: "italic" } : {}),
              ...(piece.underline ? { textDecoration: "underline" } : {}),
            }}
          >
            {piece.text}
          </span>
        ))}
      </pre>
    </div>
  );
}

/** The first line with the text that a search leads to. Absent: none. */
function useWantedLine(id: string, lines: readonly string[]): number | undefined {
  const { ids, text } = useRevealed();
  const wanted = ids.at(-1) === id ? text.toLowerCase() : "";
  return useMemo(() => {
    const line = wanted === "" ? -1 : lines.findIndex((one) => one.toLowerCase().includes(wanted));
    return line < 0 ? undefined : line;
  }, [lines, wanted]);
}

/** Scrolls to a line by its share of the height: wrapped lines make it slightly inexact. */
function useLineInSight(box: RefObject<HTMLPreElement | null>, part: number | undefined): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && part !== undefined)
      element.scrollTop = element.scrollHeight * part - element.clientHeight / 2;
  }, [box, part]);
}

/** Within this distance counts as "at the end", px. */
const NEAR = 40;

function useEnd(isWanted: boolean, text: string): RefObject<HTMLPreElement | null> {
  const box = useRef<HTMLPreElement>(null);
  const isThere = useRef(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || !isWanted) return undefined;
    if (isThere.current) element.scrollTop = element.scrollHeight;
    const onScroll = (): void => {
      isThere.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, [isWanted, text]);
  return box;
}

/** A tool's result: text as output, pictures as pictures. */
export function Blocks({
  id,
  blocks,
  label,
  atEnd = false,
}: {
  readonly id: string;
  readonly blocks: readonly ContentBlock[];
  readonly label: string;
  readonly atEnd?: boolean;
}): ReactNode {
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const images = blocks.flatMap((block) => (block.type === "image" ? [block] : []));
  return (
    <div className="space-y-2">
      {(text !== "" || images.length === 0) && <Output id={id} text={text} label={label} atEnd={atEnd} />}
      {images.map((image, index) => (
        <img
          // oxlint-disable-next-line react/no-array-index-key
          key={index}
          src={`data:${image.media_type};base64,${image.data}`}
          alt={t("{label}, picture {index}", { label, index: String(index + 1) })}
          className="max-h-96 max-w-full rounded-lg border object-contain"
        />
      ))}
    </div>
  );
}
