import { useSyncExternalStore } from "react";
import { paletteOf, type Palette } from "./colors.ts";

/** One at a time, made anew when the page's theme changes. */
const kept: { palette?: Palette; theme?: string } = {};

const STANDARD = paletteOf(false, () => "");

function shown(): Palette {
  const root = document.documentElement;
  const theme = root.dataset["theme"] ?? "light";
  if (kept.palette === undefined || kept.theme !== theme) {
    const style = getComputedStyle(root);
    kept.palette = paletteOf(theme === "dark", (name) => style.getPropertyValue(name).trim());
    kept.theme = theme;
  }
  return kept.palette;
}

function watch(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => {
    observer.disconnect();
  };
}

/** The colours of the theme that is shown. */
export function usePalette(): Palette {
  return useSyncExternalStore(watch, shown, () => STANDARD);
}
