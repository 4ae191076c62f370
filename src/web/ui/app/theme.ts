import { useSyncExternalStore } from "react";
import { useSettings } from "./settings.ts";

const dark = globalThis.matchMedia("(prefers-color-scheme: dark)");

/** The current theme: the person's choice, or the system's. */
function shownTheme(): "light" | "dark" {
  const { theme } = useSettings.getState();
  if (theme !== "system") return theme;
  return dark.matches ? "dark" : "light";
}

/** Keeps the page in the theme that was chosen. */
export function followTheme(): void {
  const apply = (): void => {
    document.documentElement.dataset["theme"] = shownTheme();
  };
  apply();
  dark.addEventListener("change", apply);
  useSettings.subscribe(apply);
}

export function useShownTheme(): "light" | "dark" {
  return useSyncExternalStore((changed) => {
    dark.addEventListener("change", changed);
    const stop = useSettings.subscribe(changed);
    return () => {
      dark.removeEventListener("change", changed);
      stop();
    };
  }, appliedTheme);
}

/** Reading the query itself during rendering would lose its change event: Chromium then notifies nobody. */
function appliedTheme(): "light" | "dark" {
  return document.documentElement.dataset["theme"] === "dark" ? "dark" : "light";
}
