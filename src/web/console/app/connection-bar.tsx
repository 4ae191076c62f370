import { LoaderCircle, WifiOff } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { useLiveStatus } from "./connection.tsx";

/** Shown only while the live connection is down: what happens now, and that nothing is lost. */
export function ConnectionBar(): ReactNode {
  const status = useLiveStatus();
  const down =
    status.state === "waiting" || status.state === "offline" || (status.state === "connecting" && status.attempt > 0);
  const seconds = useSecondsUntil(down ? status.retry_at : undefined);
  return (
    <div aria-live="polite" className={down ? "sticky top-0 z-40" : ""}>
      {down && (
        <p className="flex items-center gap-2 border-b bg-warn-soft px-4 py-2 text-sm text-warn">
          {status.state === "offline" ? (
            <WifiOff aria-hidden className="size-4" />
          ) : (
            <LoaderCircle aria-hidden className="size-4 animate-spin" />
          )}
          <span>
            {status.state === "offline" ? "This device is offline." : "The connection to the server was lost."}{" "}
            {seconds > 0
              ? `Trying again in ${seconds} s.`
              : status.state === "offline"
                ? "Waiting for the network."
                : "Trying again …"}{" "}
            Nothing is lost: what happens meanwhile is shown when it is back.
          </span>
        </p>
      )}
    </div>
  );
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
