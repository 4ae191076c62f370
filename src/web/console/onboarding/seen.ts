import { create } from "zustand";
import { persist } from "zustand/middleware";

interface Seen {
  readonly demoNote: boolean;
  readonly dismissDemoNote: () => void;
}

/** What this person need not be told again on this device. */
export const useSeen = create<Seen>()(
  persist((set) => ({ demoNote: false, dismissDemoNote: () => set({ demoNote: true }) }), { name: "sallyport.seen" }),
);
