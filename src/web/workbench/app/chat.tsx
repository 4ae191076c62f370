import { Suspense, useEffect, useRef, useState, type ReactNode } from "react";
import { classes } from "../../ui/classes.ts";
import { useIsDesktop } from "../../ui/media.ts";
import { Loading } from "../../ui/states.tsx";
import { lazyPart } from "../../ui/load.ts";
import type { SallyportPanel } from "../../panel/index.ts";
import { Guarded } from "./dock/guarded.tsx";
import { EdgeHandle } from "./edge-handle.tsx";
import { useServer } from "./server.tsx";
import { SignInAgain } from "./sign-in-again.tsx";
import { useSizes, useSurface } from "./surface.ts";

const LEAST = 300;
const MOST = 720;

const ChatRoom = lazyPart(async () => (await import("./chat-room.tsx")).ChatRoom);

/** The chat at the right edge; on a phone it covers the page. Once opened it stays mounted, also when folded, so that an answer goes on. */
export function Chat(): ReactNode {
  const { isChatOpen, set } = useSurface();
  const { chatWidth, set: setSize } = useSizes();
  const isWide = useIsDesktop();
  const { isRefused } = useServer();
  const close = (): void => set({ isChatOpen: false });
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
      {isWide && isChatOpen && (
        <EdgeHandle
          label="Width of the chat"
          edge="right"
          value={chatWidth}
          least={LEAST}
          most={MOST}
          onChange={(width) => setSize({ chatWidth: width })}
        />
      )}
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
            {isRefused ? <SignInAgain close={close} /> : <ChatRoom close={close} />}
          </Suspense>
        </Guarded>
      </aside>
    </>
  );
}
