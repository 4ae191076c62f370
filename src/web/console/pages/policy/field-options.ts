import { t } from "../../../ui/language/t.ts";

/** From what asks most to what asks least. */
export const AUTONOMIES = [
  { value: "read_only", label: t("read only: only what Allow lists") },
  { value: "restricted", label: t("restricted: everything needs approval") },
  { value: "supervised", label: t("supervised: changes need approval") },
  { value: "full", label: t("full: runs without asking") },
] as const;

/** From no wall to the strongest. */
export const SANDBOXES = [
  { value: "local", label: t("local: no walls") },
  { value: "seatbelt", label: t("seatbelt: a profile of macOS") },
  { value: "bubblewrap", label: t("bubblewrap: Linux namespaces") },
  { value: "container", label: t("container") },
  { value: "gvisor", label: t("gvisor: a container with its own kernel") },
  { value: "firecracker", label: t("firecracker: a virtual machine") },
] as const;

export const WORKSPACE_MODES = [
  { value: "direct", label: t("direct: the folder itself") },
  { value: "worktree", label: t("worktree: a git branch of its own") },
  { value: "snapshot", label: t("snapshot: a filtered copy") },
  { value: "empty", label: t("empty: a new folder of its own") },
] as const;
