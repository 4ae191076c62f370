import { create } from "zustand";
import { persist } from "zustand/middleware";

export type Theme = "light" | "dark" | "system";

interface ConsoleSettings {
  readonly theme: Theme;
  /** Browser notifications for questions; only where the browser permits them too. */
  readonly notify: boolean;
  readonly diffLayout: "split" | "unified";
  /** Single keys do something: who dictates or uses other tools may want none of that. */
  readonly shortcuts: boolean;
  readonly set: (change: Partial<Pick<ConsoleSettings, "theme" | "notify" | "diffLayout" | "shortcuts">>) => void;
}

/** What one person likes on one device. */
export const useSettings = create<ConsoleSettings>()(
  persist(
    (set) => ({ theme: "system", notify: false, diffLayout: "split", shortcuts: true, set: (change) => set(change) }),
    { name: "sallyport.settings" },
  ),
);
