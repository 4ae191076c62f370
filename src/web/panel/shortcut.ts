interface ShortcutKeys {
  readonly key: string;
  readonly control: boolean;
  readonly shift: boolean;
  readonly alt: boolean;
}

/** `Ctrl+Shift+I` and similar; undefined: it names no key. */
export function parseShortcut(text: string): ShortcutKeys | undefined {
  const words = text.split("+").map((word) => word.trim().toLowerCase());
  const key = words.at(-1);
  if (key === undefined || key === "") return undefined;
  const has = (...names: readonly string[]): boolean => words.slice(0, -1).some((word) => names.includes(word));
  return { key, control: has("ctrl", "control", "cmd", "meta"), shift: has("shift"), alt: has("alt", "option") };
}

type KeyPressEvent = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

/** Ctrl is Cmd on a Mac. */
export function isShortcut(keys: ShortcutKeys, event: KeyPressEvent): boolean {
  return (
    event.key.toLowerCase() === keys.key &&
    (event.ctrlKey || event.metaKey) === keys.control &&
    event.shiftKey === keys.shift &&
    event.altKey === keys.alt
  );
}
