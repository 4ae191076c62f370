import { createContext, use, useCallback, useMemo, useRef, useState, type ReactNode } from "react";
import { laterPart } from "./later-part.tsx";

export interface TextToTell {
  readonly id: number;
  readonly tone: "ok" | "warn" | "bad";
  readonly text: string;
}

export interface Tell {
  readonly ok: (text: string) => void;
  /** Something happened that nobody here did. */
  readonly warn: (text: string) => void;
  readonly bad: (text: string) => void;
}

const KEPT = 5;
const Later = laterPart(async () => (await import("./toast-list.tsx")).ToastList);
const Context = createContext<Tell | undefined>(undefined);

/** Short words about something that was done; read out by screen readers. */
export function Toasts({
  top = "top-16",
  children,
}: {
  /** The class of its distance from the top: below the page's bars, so that it covers no button. */
  readonly top?: string;
  readonly children: ReactNode;
}): ReactNode {
  const [told, setTold] = useState<readonly TextToTell[]>([]);
  const [wasTold, setWasTold] = useState(false);
  const next = useRef(0);
  Later.useSoon();
  const add = useCallback((tone: TextToTell["tone"], text: string) => {
    next.current += 1;
    const id = next.current;
    setWasTold(true);
    setTold((before) => [...before, { id, tone, text }].slice(-KEPT));
  }, []);
  const tell = useMemo<Tell>(
    () => ({
      ok: (text) => add("ok", text),
      warn: (text) => add("warn", text),
      bad: (text) => add("bad", text),
    }),
    [add],
  );
  const drop = (id: number): void => setTold((before) => before.filter((toast) => toast.id !== id));
  return (
    <Context value={tell}>
      {children}
      {wasTold && <Later.Part props={{ told, top, onDrop: drop }} />}
    </Context>
  );
}

export function useTell(): Tell {
  const tell = use(Context);
  if (tell === undefined) throw new Error("no toasts around this component");
  return tell;
}
