import {
  lazy,
  Suspense,
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from "react";
import { classes } from "../../console/ui/classes.ts";
import { useDesk } from "../../console/ui/media.ts";
import { Loading } from "../../console/ui/states.tsx";
import type { SallyportPanel } from "../../panel/index.ts";
import { Guarded } from "./dock/guarded.tsx";
import { useSurface } from "./surface.ts";

const LEAST = 300;
const MOST = 720;
const STEP = 24;

const ChatRoom = lazy(async () => ({ default: (await import("./chat-room.tsx")).ChatRoom }));

/** The chat at the right edge, on a phone over the page. Once it was opened it stays, folded or not, so that an answer goes on. */
export function Chat(): ReactNode {
  const { isChatOpen, chatWidth, set } = useSurface();
  const isWide = useDesk();
  const [wasOpened, setOpened] = useState(isChatOpen);
  const [attempt, setAttempt] = useState(0);
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isChatOpen) return;
    setOpened(true);
    // It may have closed itself.
    place.current?.querySelector<SallyportPanel>("sallyport-panel")?.toggle(true);
  }, [isChatOpen]);
  if (!wasOpened && !isChatOpen) return undefined;
  return (
    <>
      {isWide && isChatOpen && <WidthHandle />}
      <aside
        ref={place}
        aria-label="Chat with Claude"
        hidden={!isChatOpen}
        className={classes(
          "flex-col bg-paper",
          isChatOpen && "flex",
          isWide ? "shrink-0 border-l" : "fixed inset-x-0 bottom-0 z-40 h-[88dvh] rounded-t-2xl border-t shadow-2xl",
        )}
        style={isWide ? { width: chatWidth } : {}}
      >
        <Guarded key={attempt} title="The chat could not be opened" onRetry={() => setAttempt(attempt + 1)}>
          <Suspense fallback={<Loading label="Opening the chat" />}>
            <ChatRoom close={() => set({ isChatOpen: false })} />
          </Suspense>
        </Guarded>
      </aside>
    </>
  );
}

function WidthHandle(): ReactNode {
  const { chatWidth, set } = useSurface();
  const widen = (width: number): void => set({ chatWidth: Math.min(MOST, Math.max(LEAST, Math.round(width))) });
  const onPointerDown = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    handle.focus();
    const from = event.clientX;
    const onMove = (next: globalThis.PointerEvent): void => widen(chatWidth + from - next.clientX);
    const onEnd = (): void => {
      handle.removeEventListener("pointermove", onMove);
      handle.removeEventListener("lostpointercapture", onEnd);
    };
    handle.addEventListener("pointermove", onMove);
    handle.addEventListener("lostpointercapture", onEnd);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: STEP, ArrowRight: -STEP };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    widen(chatWidth + step);
  };
  return (
    <div
      role="separator"
      tabIndex={0}
      aria-label="Width of the chat"
      aria-orientation="vertical"
      aria-valuenow={chatWidth}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      className="-mr-1 z-20 w-1.5 shrink-0 cursor-col-resize touch-none hover:bg-accent/50 focus-visible:bg-accent"
    />
  );
}
