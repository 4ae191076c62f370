const KEPT_PROMPTS = 50;
const draftKey = (id: string): string => `sallyport.draft.${id}`;
const HISTORY = "sallyport.prompts";

/** Unsent input, for as long as the tab is open. */
export function readDraft(id: string): string {
  return globalThis.sessionStorage.getItem(draftKey(id)) ?? "";
}

export function keepDraft(id: string, text: string): void {
  if (text === "") globalThis.sessionStorage.removeItem(draftKey(id));
  else globalThis.sessionStorage.setItem(draftKey(id), text);
}

/** Prompts sent from this tab, oldest first. */
export function readHistory(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(globalThis.sessionStorage.getItem(HISTORY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

export function remember(text: string): void {
  const kept = [...readHistory().filter((one) => one !== text), text].slice(-KEPT_PROMPTS);
  globalThis.sessionStorage.setItem(HISTORY, JSON.stringify(kept));
}
