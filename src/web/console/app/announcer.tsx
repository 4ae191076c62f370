import type { ReactNode } from "react";
import { create } from "zustand";
import { t } from "../../ui/language/t.ts";

interface Announcement {
  readonly text: string;
  /** The same text twice is read out twice. */
  readonly times: number;
}

const useSaid = create<Announcement>()(() => ({ text: "", times: 0 }));

/** Makes a screen reader say something, wherever the focus is. */
export function announce(text: string): void {
  useSaid.setState(({ times }) => ({ text, times: times + 1 }));
}

/** One for the whole page: a live region must exist before it changes. */
export function Announcer(): ReactNode {
  const { text, times } = useSaid();
  return (
    <div role="status" aria-live="polite" aria-label={t("News")} className="sr-only">
      <p key={times}>{text}</p>
    </div>
  );
}
