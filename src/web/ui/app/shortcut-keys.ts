/** Keys as the browser names them (`j`, `ArrowDown`), two of them separated by a space (`g s`). */
export interface Combination {
  /** Any of these. */
  readonly keys: readonly string[];
}

/** The result of a key press: a complete combination, and those that wait for a second key. */
export interface PressedKeys<Item extends Combination> {
  readonly hit?: Item;
  readonly waiting?: string;
}

export function press<Item extends Combination>(
  items: readonly Item[],
  key: string,
  waiting: string | undefined,
): PressedKeys<Item> {
  const whole = waiting === undefined ? key : `${waiting} ${key}`;
  const hit = items.find(({ keys }) => keys.includes(whole));
  if (hit !== undefined) return { hit };
  if (waiting !== undefined) return press(items, key, undefined);
  return items.some(({ keys }) => keys.some((one) => one.startsWith(`${key} `))) ? { waiting: key } : {};
}

const SHOWN: Readonly<Record<string, string>> = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  " ": "Space",
};

/** `g s` as the caps of two keys. */
export function capsOf(keys: string): readonly string[] {
  if (keys === " ") return ["Space"];
  return keys.split(" ").map((key) => SHOWN[key] ?? key);
}
