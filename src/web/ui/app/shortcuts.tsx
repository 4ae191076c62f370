import { createContext, Fragment, use, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { Dialog } from "../dialog.tsx";
import { useSettings } from "./settings.ts";
import { capsOf, press, type Combination } from "./shortcut-keys.ts";
import { t } from "../language/t.ts";

/** `keys` work alone, without Ctrl, Alt or ⌘, and never while somebody types or a window or menu is open. */
export interface Shortcut extends Combination {
  readonly label: string;
  /** Absent: the browser or the focused element handles it; only listed. False: this key was not meant for us. */
  readonly run?: (event: KeyboardEvent) => void | false;
}

interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

interface Register {
  put(key: symbol, group: ShortcutGroup): void;
  drop(key: symbol): void;
  readonly showHelp: () => void;
}

const SECOND_KEY_MS = 1_200;
const ELSEWHERE =
  "input, textarea, select, [contenteditable=''], [contenteditable='true'], [role=dialog], [role=alertdialog], [role=menu], [role=listbox], [role=textbox]";
const Context = createContext<Register | undefined>(undefined);

/** Wraps everything: handles keys, and lists them with `?`. */
export function Shortcuts({ children }: { readonly children: ReactNode }): ReactNode {
  const groups = useRef(new Map<symbol, ShortcutGroup>());
  const [shown, setShown] = useState<readonly ShortcutGroup[] | undefined>(undefined);
  const showHelp = useCallback(() => setShown([...groups.current.values()]), []);
  useKeys(groups, showHelp);
  const register = useMemo<Register>(
    () => ({
      put: (key, group) => void groups.current.set(key, group),
      drop: (key) => void groups.current.delete(key),
      showHelp,
    }),
    [showHelp],
  );
  return (
    <Context value={register}>
      {children}
      <Help groups={shown ?? []} open={shown !== undefined} onClose={() => setShown(undefined)} />
    </Context>
  );
}

/** The keys of a page or part of one, while it is shown. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const register = use(Context);
  const [key] = useState(() => Symbol(title));
  useEffect(() => {
    register?.put(key, { title, shortcuts });
  });
  useEffect(() => () => register?.drop(key), [register, key]);
}

/** Opens the list of keys. */
export function useShortcutHelp(): () => void {
  return use(Context)?.showHelp ?? (() => undefined);
}

function useKeys(groups: { readonly current: ReadonlyMap<symbol, ShortcutGroup> }, showHelp: () => void): void {
  const waiting = useRef<{ readonly key: string; readonly until: number } | undefined>(undefined);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const inUse = event.target instanceof Element && event.target.closest(ELSEWHERE) !== null;
      if (inUse || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented)
        return;
      if (event.key === "Shift" || !useSettings.getState().shortcuts) return;
      const all = [...groups.current.values()].flatMap(({ shortcuts }) => shortcuts);
      const help: Shortcut = { keys: ["?"], label: "", run: showHelp };
      const before = waiting.current;
      const first = before !== undefined && Date.now() < before.until ? before.key : undefined;
      const { hit, waiting: next } = press([...all.filter(({ run }) => run !== undefined), help], event.key, first);
      waiting.current = next === undefined ? undefined : { key: next, until: Date.now() + SECOND_KEY_MS };
      if (hit?.run !== undefined && hit.run(event) !== false) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [groups, showHelp]);
}

function Help({
  groups,
  open,
  onClose,
}: {
  readonly groups: readonly ShortcutGroup[];
  readonly open: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const { shortcuts, set } = useSettings();
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={t("Keyboard shortcuts")}
      description={t("Not active while you type in a field.")}
    >
      <div className="space-y-5">
        {groups.map(({ title, shortcuts: list }) => (
          <section key={title}>
            <h3 className="mb-1 text-sm font-semibold">{title}</h3>
            <dl className="divide-y">
              {list.map(({ keys, label }) => (
                <div key={label} className="flex items-center justify-between gap-4 py-1.5 text-sm">
                  <dt className="text-soft">{label}</dt>
                  <dd className="flex items-center gap-1.5 text-xs text-faint">
                    <Caps keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <label className="flex items-center gap-2.5 border-t pt-4 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-(--accent)"
            checked={shortcuts}
            onChange={(event) => set({ shortcuts: event.target.checked })}
          />
          {t("Enable single-key shortcuts on this device")}
        </label>
      </div>
    </Dialog>
  );
}

function Caps({ keys }: { readonly keys: readonly string[] }): ReactNode {
  return keys.map((one, index) => (
    <Fragment key={one}>
      {index > 0 && t("or")}
      {capsOf(one).map((cap, place) => (
        <kbd
          key={`${cap}${String(place)}`}
          className="min-w-6 rounded border border-line-strong/50 bg-panel px-1.5 py-0.5 text-center text-ink"
        >
          {cap}
        </kbd>
      ))}
    </Fragment>
  ));
}
