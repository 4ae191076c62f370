import { useEffect } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { failureIn } from "../../../protocol/failure.ts";
import type { NotificationAnswer } from "../../../protocol/index.ts";
import { wordsOf } from "../../ui/states.tsx";
import { useTell } from "../../ui/toasts.tsx";
import { KEYS } from "../app/feed.tsx";
import { t } from "../../ui/language/t.ts";

/** Removes the answer of a notification's button from the address; undefined: there is none. */
function takeAnswer(): NotificationAnswer | undefined {
  const { hash } = globalThis.location;
  if (!hash.startsWith("#answer=")) return undefined;
  const address = new URL(globalThis.location.href);
  address.hash = "";
  globalThis.history.replaceState(globalThis.history.state, "", address);
  try {
    // The server checks it: without the notification's ticket it is worth nothing.
    return JSON.parse(decodeURIComponent(hash.slice("#answer=".length))) as NotificationAnswer;
  } catch {
    return undefined;
  }
}

/** Once the page is in sight: on a phone, after it was unlocked. */
function inSight(): Promise<void> {
  if (document.visibilityState === "visible") return Promise.resolve();
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.visibilityState !== "visible") return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
  });
}

async function send(answer: NotificationAnswer): Promise<void> {
  const response = await fetch("/api/notifications/answers", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(answer),
  });
  if (response.ok) return;
  throw (
    failureIn(await response.json().catch(() => undefined)) ??
    new Error(t("The server answered {status}.", { status: response.status }))
  );
}

/** Gives the answer that somebody chose in a notification, and says what became of it. */
export function useNotificationAnswer(): void {
  const tell = useTell();
  const queries = useQueryClient();
  useEffect(() => {
    const give = (): void => {
      const answer = takeAnswer();
      if (answer === undefined) return;
      inSight()
        .then(() => send(answer))
        .then(
          () => tell.ok(answer.decision === "approve" ? "Approved." : "Rejected."),
          (error: unknown) => tell.warn(t("Your answer was not taken: {words}", { words: wordsOf(error) })),
        )
        .finally(() => void queries.invalidateQueries({ queryKey: KEYS.approvals }));
    };
    give();
    globalThis.addEventListener("hashchange", give);
    return () => globalThis.removeEventListener("hashchange", give);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- what it uses never changes
  }, []);
}
