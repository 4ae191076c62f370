import { create } from "zustand";
import { persist } from "zustand/middleware";
import type { Language } from "../language/languages.ts";

export type Theme = "light" | "dark" | "system";

/** `system`: the first of the browser's languages that the console has. */
export type LanguageChoice = Language | "system";

interface ConsoleSettings {
  readonly theme: Theme;
  /** Read in the head of the console's page, before anything is painted. */
  readonly language: LanguageChoice;
  /** Browser notifications for questions; only if the browser permits them too. */
  readonly notify: boolean;
  /** The server tells this browser by itself, also while the console is closed. */
  readonly push: boolean;
  readonly diffLayout: "split" | "unified";
  /** Single-key shortcuts: people who dictate or use other tools may not want them. */
  readonly shortcuts: boolean;
  /** The other sessions are shown beside the conversation. */
  readonly sessionsBeside: boolean;
  readonly set: (change: Partial<Omit<ConsoleSettings, "set">>) => void;
}

/** One person's preferences on one device. */
export const useSettings = create<ConsoleSettings>()(
  persist(
    (set) => ({
      theme: "system",
      language: "system",
      notify: false,
      push: false,
      diffLayout: "split",
      shortcuts: true,
      sessionsBeside: true,
      set: (change) => set(change),
    }),
    { name: "sallyport.settings" },
  ),
);
