import type { KeyboardEvent } from "react";

/** Ctrl+Enter or ⌘+Enter in a text of several lines sends its form. */
export function sendForm(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}
