import { create } from "zustand";
import { persist } from "zustand/middleware";

interface SeenNotes {
  /** The note about the demo model was dismissed. */
  readonly demoNote: boolean;
  /** The server's last answer; absent: none yet. */
  readonly demo: boolean | undefined;
  readonly dismissDemoNote: () => void;
}

/** Notes this person has seen on this device, and what keeps the page from jumping at the next visit. */
export const useSeen = create<SeenNotes>()(
  persist((set) => ({ demoNote: false, demo: undefined, dismissDemoNote: () => set({ demoNote: true }) }), {
    name: "sallyport.seen",
  }),
);
