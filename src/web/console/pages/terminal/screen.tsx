import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useRef, type ReactNode } from "react";
import { useConnection } from "../../../ui/app/connection.tsx";
import { wordsOf } from "../../../ui/states.tsx";
import { t } from "../../../ui/language/t.ts";

const SCROLLBACK = 5_000;

/** The terminal itself: from its first to its last character. */
export function TerminalScreen({
  session,
  onEnd,
}: {
  readonly session: string;
  /** Called with why, once. */
  readonly onEnd: (why: string) => void;
}): ReactNode {
  const { openShell } = useConnection();
  const place = useRef<HTMLDivElement>(null);
  const told = useRef(onEnd);
  told.current = onEnd;
  useEffect(() => {
    if (place.current === null) return undefined;
    const terminal = new Terminal({
      scrollback: SCROLLBACK,
      cursorBlink: false,
      screenReaderMode: true,
      fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
      fontSize: 14,
      theme: { background: "#101418", foreground: "#e6e8ea" },
    });
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    openIn(place.current, terminal);
    fit.fit();
    const size = { columns: terminal.cols, rows: terminal.rows };
    const shell = openShell({
      session,
      size,
      events: {
        opened: () => terminal.focus(),
        output: (text) => terminal.write(text),
        ended: (failure) => told.current(failure === undefined ? t("The shell has ended.") : wordsOf(failure)),
      },
    });
    terminal.onData((text) => shell.type(text));
    terminal.onResize(({ cols, rows }) => shell.resize({ columns: cols, rows }));
    const observer = new ResizeObserver(() => fit.fit());
    observer.observe(place.current);
    return () => {
      observer.disconnect();
      shell.close();
      terminal.dispose();
    };
  }, [openShell, session]);
  return (
    <div className="min-h-64 flex-1 overflow-hidden rounded-lg border bg-[#101418] p-2">
      <div ref={place} dir="ltr" role="group" aria-label={t("Terminal")} className="h-full" />
    </div>
  );
}

/**
 * Opens the terminal, which adds styles to the page. The page takes only those with its own number, and the terminal has no option for
 * that: for this moment each new one gets it.
 */
function openIn(place: HTMLElement, terminal: Terminal): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
  const make = document.createElement.bind(document);
  const numbered = (...given: Parameters<typeof make>): HTMLElement => {
    const made = make(...given);
    if (made instanceof HTMLStyleElement) made.nonce = nonce;
    return made;
  };
  Object.assign(document, { createElement: numbered });
  try {
    terminal.open(place);
  } finally {
    Reflect.deleteProperty(document, "createElement");
  }
}
