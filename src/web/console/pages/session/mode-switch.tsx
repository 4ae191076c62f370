import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, type ReactNode } from "react";
import type { PermissionMode, SessionView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Select } from "../../../ui/field.tsx";
import { wordsOf } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { freshKey } from "../../app/fresh-key.ts";
import { sessionChanged } from "../../app/feed.tsx";
import { modeWords } from "../../transcript/mode-words.ts";
import { mostAutonomy, usePolicy } from "../new/data.ts";
import { t } from "../../../ui/language/t.ts";

/** From the least to the most that the agent may do unasked. */
const MODES = [
  { mode: "plan", label: t("Plan"), says: t("Plan: the agent only reads and proposes.") },
  { mode: "sdk", label: t("Ask"), says: t("Ask: every change waits for your approval.") },
  {
    mode: "acceptEdits",
    label: t("Accept edits"),
    says: t("Accept edits: files of the workspace change without asking."),
  },
  { mode: "bypassPermissions", label: t("Full"), says: t("Full: runs without asking. Policy blocks still apply.") },
] as const satisfies readonly { readonly mode: PermissionMode; readonly label: string; readonly says: string }[];
type SwitchedMode = (typeof MODES)[number]["mode"];

/** How a session asks, as one of the modes; undefined: it is none of them. */
function modeOf({ permission_mode, autonomy }: SessionView["settings"]): SwitchedMode | undefined {
  if (permission_mode !== undefined && permission_mode !== "default")
    return MODES.find(({ mode }) => mode === permission_mode)?.mode;
  if (autonomy === "supervised") return "sdk";
  return autonomy === "full" ? "bypassPermissions" : undefined;
}

/** What the agent may do unasked, from its next call on. The server allows no more than the policy gives the person. */
export function ModeSwitch({ session }: { readonly session: SessionView }): ReactNode {
  const { client, me } = useConnection();
  const queries = useQueryClient();
  const tell = useTell();
  const { data: policy } = usePolicy();
  const most = mostAutonomy(policy?.profiles[session.settings.profile], me.role);
  const offered = MODES.filter(({ mode }) => most === "full" || mode === "plan" || mode === "sdk");
  const current = modeOf(session.settings);
  const { mutate } = useMutation({
    mutationFn: (mode: SwitchedMode) => client.configure(session.id, { permission_mode: mode }, { key: freshKey() }),
    onSuccess: (changed, mode) => {
      sessionChanged(queries, changed);
      tell.ok(MODES.find((one) => one.mode === mode)?.says ?? "");
    },
    onError: (error) => tell.bad(wordsOf(error)),
  });
  useModeKey(() => {
    const at = offered.findIndex(({ mode }) => mode === current);
    const next = offered[(at + 1) % offered.length];
    if (next !== undefined) mutate(next.mode);
  });
  return (
    <Select
      aria-label={t("Mode")}
      title={t("What the agent may do without asking (Alt+M switches)")}
      aria-keyshortcuts="Alt+M"
      className="h-8! w-auto! min-w-16 sm:shrink-0 py-0! text-xs!"
      value={current ?? ""}
      onChange={({ target }) => {
        const picked = MODES.find(({ mode }) => mode === target.value);
        if (picked !== undefined) mutate(picked.mode);
      }}
    >
      {current === undefined && <option value="">{modeWords(session.settings)}</option>}
      {offered.map(({ mode, label }) => (
        <option key={mode} value={mode}>
          {label}
        </option>
      ))}
    </Select>
  );
}

/** Alt+M, in the prompt box too. By its place on the keyboard: on a Mac the same keys write another letter. */
function useModeKey(next: () => void): void {
  const latest = useRef(next);
  useEffect(() => {
    latest.current = next;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.code !== "KeyM") return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
