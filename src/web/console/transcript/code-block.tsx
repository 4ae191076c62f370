import { useEffect, useRef, useState, type ReactNode } from "react";
import { useShownTheme } from "../../ui/app/theme.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { diffWorker } from "../approval/diff/worker-client.ts";
import type { ColouredLine } from "../code/highlighter.ts";
import { t } from "../../ui/language/t.ts";

/** Longer code has no colours: it would keep the worker from diffs. */
const COLOURED_CHARS = 100_000;

/** Code with its language, its colours once they are there, and a button that copies it. */
export function CodeBlock({ code, language }: { readonly code: string; readonly language: string }): ReactNode {
  const theme = useShownTheme();
  const colours = useColours(code, language);
  return (
    <div className="my-3 overflow-hidden rounded-lg border bg-panel first:mt-0 last:mb-0">
      <div className="flex h-9 items-center justify-between border-b pe-1 ps-3 text-xs text-soft">
        <span className="font-mono">{language}</span>
        <CopyButton label={t("Copy code")} text={code} />
      </div>
      <pre className="bg-raised p-3 text-sm leading-5 whitespace-pre-wrap [overflow-wrap:anywhere] [tab-size:4]">
        <code>{colours.length === 0 ? code : coloured(code, colours, theme)}</code>
      </pre>
    </div>
  );
}

/** Line by line. Colours of an earlier state of a line are not used. */
function coloured(code: string, colours: readonly ColouredLine[], theme: "light" | "dark"): ReactNode {
  return code.split("\n").map((line, index) => {
    const known = colours[index] ?? [];
    const pieces = known.map(({ text }) => text).join("") === line ? known : [{ text: line }];
    // Code only grows: a line keeps its place.
    return (
      <span key={index}>
        {index > 0 && "\n"}
        {pieces.map((piece, place) => (
          <span key={place} style={{ color: piece[theme] }}>
            {piece.text}
          </span>
        ))}
      </span>
    );
  });
}

/** Asks for one state of the code at a time: what arrives meanwhile is asked for afterwards. */
function useColours(code: string, language: string): readonly ColouredLine[] {
  const [colours, setColours] = useState<readonly ColouredLine[]>([]);
  const latest = useRef({ code, language, left: false, busy: false });
  useEffect(() => {
    const state = latest.current;
    state.left = false;
    return () => {
      state.left = true;
    };
  }, []);
  useEffect(() => {
    const state = Object.assign(latest.current, { code, language });
    const ask = async (): Promise<void> => {
      state.busy = true;
      for (let asked = ""; asked !== state.code && !state.left;) {
        asked = state.code;
        setColours(await diffWorker.colour(asked, state.language));
      }
      state.busy = false;
    };
    if (!state.busy && language !== "" && code.length <= COLOURED_CHARS) void ask();
  }, [code, language]);
  return colours;
}
