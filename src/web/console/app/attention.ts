import { useEffect, useRef } from "react";
import type { Approval } from "../../../protocol/index.ts";
import { useSettings } from "./settings.ts";

const TITLE = "Sallyport";

/** The tab's title counts what waits; a question that is new is also told by the browser, if the person wants that. */
export function useAttention(approvals: readonly Approval[] | undefined): void {
  const told = useRef<ReadonlySet<string> | undefined>(undefined);
  useEffect(() => {
    // Not known yet: what waited before is no news.
    if (approvals === undefined) return;
    document.title = approvals.length === 0 ? TITLE : `(${approvals.length}) ${TITLE}`;
    const before = told.current;
    told.current = new Set(approvals.map(({ id }) => id));
    if (before === undefined || document.hasFocus() || !useSettings.getState().notify) return;
    for (const approval of approvals) if (!before.has(approval.id)) notify(approval);
  }, [approvals]);
}

function notify(approval: Approval): void {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  const note = new Notification(`${approval.tool} waits for you`, { body: approval.reason, tag: approval.id });
  note.addEventListener("click", () => {
    globalThis.focus();
    globalThis.location.assign(`/approvals?id=${encodeURIComponent(approval.id)}`);
  });
}

/** The browser asks the person once; what it answered is kept. */
export async function permitNotifications(wanted: boolean): Promise<void> {
  const granted = wanted && "Notification" in globalThis && (await Notification.requestPermission()) === "granted";
  useSettings.getState().set({ notify: granted });
}
