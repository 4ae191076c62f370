import { LoaderCircle, WifiOff } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import type { LiveStatus } from "../../../client/index.ts";
import { useLiveStatus } from "../../ui/app/connection.tsx";
import { t } from "../../ui/language/t.ts";

/** Shown only while the live connection is lost. Overlays the page, so that nothing moves. */
export function ConnectionBar(): ReactNode {
  const status = useLiveStatus();
  const lost = useLost(status);
  const seconds = useSecondsUntil(lost ? status.retry_at : undefined);
  const offline = status.state === "offline";
  return (
    <div
      aria-live="polite"
      className="pointer-events-none fixed inset-x-0 top-16 z-40 flex justify-center px-3 md:start-52"
    >
      {lost && (
        <p className="flex max-w-2xl items-start gap-2.5 rounded-lg border border-warn/40 bg-warn-soft px-3.5 py-2 text-sm text-warn shadow-lg">
          {offline ? (
            <WifiOff aria-hidden className="mt-0.5 size-4 shrink-0" />
          ) : (
            <LoaderCircle aria-hidden className="mt-0.5 size-4 shrink-0 animate-spin" />
          )}
          <span>
            <strong className="font-semibold">
              {offline ? t("You are offline.") : t("The connection to the server was lost.")}
            </strong>{" "}
            {/* Read out each second it would drown everything else. */}
            <span aria-hidden>{offline ? t("Waiting for the network.") : againWords(seconds)}</span>{" "}
            {t("Nothing is lost. The page catches up when the server is back.")}
          </span>
        </p>
      )}
    </div>
  );
}

const againWords = (seconds: number): string =>
  seconds > 0 ? t("Trying again in {seconds} s.", { seconds: String(seconds) }) : t("Trying again …");

/** The first connection of a page is not a loss; a reconnect is, until it is open. */
function useLost({ state }: LiveStatus): boolean {
  const [lost, setLost] = useState(false);
  useEffect(() => {
    if (state !== "connecting") setLost(state === "waiting" || state === "offline");
  }, [state]);
  return lost;
}

function useSecondsUntil(at: number | undefined): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (at === undefined) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [at]);
  return at === undefined ? 0 : Math.max(0, Math.ceil((at - now) / 1_000));
}
