import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";

interface OpenedProject {
  readonly id: string;
  /** That was opened or saved last: the server refuses to write over a newer one. */
  readonly revision: number;
}

interface CurrentProject {
  /** What the open tables came from, in this tab. Undefined: none. */
  readonly project: OpenedProject | undefined;
  readonly set: (project: OpenedProject | undefined) => void;
}

export const useCurrentProject = create<CurrentProject>()(
  persist((set) => ({ project: undefined, set: (project) => set({ project }) }), {
    name: "sallyport.workbench.project",
    storage: createJSONStorage(() => globalThis.sessionStorage),
    partialize: ({ project }) => ({ project }),
  }),
);
