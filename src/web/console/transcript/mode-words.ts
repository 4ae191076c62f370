import type { Autonomy, PermissionMode } from "../../../protocol/index.ts";
import { t } from "../../ui/language/t.ts";

const AUTONOMY_NAMES: Readonly<Record<Autonomy, string>> = {
  read_only: t("Read-only"),
  restricted: t("Ask for everything"),
  supervised: t("Ask"),
  full: t("Full"),
};

/** Absent: the autonomy says it. */
const MODE_NAMES: Readonly<Partial<Record<PermissionMode, string>>> = {
  plan: t("Plan"),
  dontAsk: t("Never ask"),
  acceptEdits: t("Accept edits"),
  bypassPermissions: t("Full"),
  sdk: t("Ask"),
  toolApproval: t("Ask"),
  mcpApproval: t("Ask"),
  mcpProxy: t("Ask"),
};

/** What an agent may do unasked, in the words that people choose it by. */
export function modeWords(settings: {
  readonly permission_mode?: PermissionMode | undefined;
  readonly autonomy: Autonomy;
}): string {
  const { permission_mode: mode, autonomy } = settings;
  return (mode === undefined ? undefined : MODE_NAMES[mode]) ?? AUTONOMY_NAMES[autonomy];
}
