import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";
import type { ReshapeKind } from "./reshape/kinds.ts";

/** Windows over the page. */
export type OpenDialog =
  | { readonly kind: "url" }
  /** How a text file is read. `replaces`: the view that the new one replaces. */
  | { readonly kind: "import"; readonly file: File; readonly replaces?: string | undefined }
  | { readonly kind: "column" }
  /** `name`: of the column that is changed. */
  | { readonly kind: "change-column"; readonly name: string }
  | { readonly kind: "reshape"; readonly by: ReshapeKind }
  | { readonly kind: "save-layout" }
  | { readonly kind: "projects" }
  | { readonly kind: "move"; readonly viewerId: string };

interface Surface {
  readonly asked: OpenDialog | undefined;
  /** The viewer whose properties are shown. */
  readonly sheet: string | undefined;
  /** The viewer that fills the dock. */
  readonly maximised: string | undefined;
  /** On a phone: the one viewer that is seen. Absent: the grid. */
  readonly front: string | undefined;
  /** Grows each time that the grid's search is asked for. */
  readonly findAsked: number;
  readonly isSqlOpen: boolean;
  readonly isChatOpen: boolean;
  readonly set: (change: Partial<Omit<Surface, "set">>) => void;
}

/** Which parts of the page are open, besides tables and viewers. After a reload the chat is as before, so that it goes on. */
export const useSurface = create<Surface>()(
  persist(
    (set) => ({
      asked: undefined,
      sheet: undefined,
      maximised: undefined,
      front: undefined,
      findAsked: 0,
      isSqlOpen: false,
      isChatOpen: false,
      set: (change) => set(change),
    }),
    {
      name: "sallyport.workbench.surface",
      storage: createJSONStorage(() => globalThis.sessionStorage),
      partialize: ({ isChatOpen }) => ({ isChatOpen }),
    },
  ),
);

interface SurfaceSizes {
  /** CSS pixels. */
  readonly chatWidth: number;
  readonly sqlHeight: number;
  readonly set: (change: Partial<Omit<SurfaceSizes, "set">>) => void;
}

/** A person's preferences on one device. */
export const useSizes = create<SurfaceSizes>()(
  persist((set) => ({ chatWidth: 380, sqlHeight: 340, set: (change) => set(change) }), {
    name: "sallyport.workbench.sizes",
  }),
);

interface Downloads {
  /** Puts a ' before texts that a spreadsheet would take for a formula. */
  readonly safeForSpreadsheets: boolean;
  readonly set: (change: Partial<Omit<Downloads, "set">>) => void;
}

/** How tables are saved, on one device. */
export const useDownloads = create<Downloads>()(
  persist((set) => ({ safeForSpreadsheets: false, set: (change) => set(change) }), {
    name: "sallyport.workbench.downloads",
  }),
);

/** Opens a window after the menu that asked for it has returned the focus, so that closing the window restores it. */
export function ask(asked: OpenDialog): void {
  setTimeout(() => setTimeout(() => useSurface.getState().set({ asked })));
}

/** Opens the search of the grid, which must be in sight. */
export function askToFind(): void {
  const { findAsked, set } = useSurface.getState();
  set({ maximised: undefined, front: undefined, findAsked: findAsked + 1 });
}
