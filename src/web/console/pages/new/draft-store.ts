import { create } from "zustand";
import { createJSONStorage, persist, type StateStorage } from "zustand/middleware";
import { EMPTY, type Draft } from "./draft.ts";

interface StoredDraft {
  readonly draft: Draft;
  /** The template that it came from; absent: none. */
  readonly template: string | undefined;
  readonly change: (change: Partial<Draft>) => void;
  readonly start: (draft: Draft, template: string | undefined) => void;
  readonly clear: () => void;
}

/** What does not fit is not stored; the form works without it. */
const roomy: StateStorage = {
  getItem: (name) => globalThis.sessionStorage.getItem(name),
  setItem: (name, value) => {
    try {
      globalThis.sessionStorage.setItem(name, value);
    } catch {
      globalThis.sessionStorage.removeItem(name);
    }
  },
  removeItem: (name) => globalThis.sessionStorage.removeItem(name),
};

/** The form as it was left, for this tab: visiting another page or reloading loses nothing. */
export const useDraft = create<StoredDraft>()(
  persist(
    (set) => ({
      draft: EMPTY,
      template: undefined,
      change: (change) => set(({ draft }) => ({ draft: { ...draft, ...change } })),
      start: (draft, template) => set({ draft, template }),
      clear: () => set({ draft: EMPTY, template: undefined }),
    }),
    {
      name: "sallyport.draft",
      storage: createJSONStorage(() => roomy),
      merge: (kept, now) => ({
        ...now,
        ...(kept as Partial<StoredDraft>),
        draft: { ...EMPTY, ...(kept as Partial<StoredDraft>).draft },
      }),
    },
  ),
);
