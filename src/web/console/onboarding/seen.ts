import { create } from "zustand";
import { persist } from "zustand/middleware";

interface SeenNotes {
  /** The note about the demo model was dismissed. */
  readonly demoNote: boolean;
  /** What the server said last; absent: it was never asked from here. */
  readonly demo: boolean | undefined;
  readonly dismissDemoNote: () => void;
}

/** What this person need not be told again on this device, and what keeps the page from jumping at the next visit. */
export const useSeen = create<SeenNotes>()(
  persist((set) => ({ demoNote: false, demo: undefined, dismissDemoNote: () => set({ demoNote: true }) }), {
    name: "sallyport.seen",
  }),
);
