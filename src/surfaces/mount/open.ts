import { JobKind, type AccessLevel, type MountSettings, type ShownQuestions } from "../../protocol/index.ts";
import type { SurfaceOptions } from "../surface.ts";
import { ClaudeFiles } from "./claude-files.ts";
import { CallerMemory, type MountContext } from "./context.ts";
import { FileTimes } from "./file-times.ts";
import { Namespace } from "./namespace.ts";
import { OutputIndex } from "./output-index.ts";
import { ShownTexts } from "./shown.ts";

/** Where the tree of document 003 is unless settings say otherwise. */
const DEFAULT_MOUNT = "/claude";

/** Where the caller's key is. */
const IDENTITY_MOUNT = "/identity";

/** The same with its siblings: where commands run, and where models are asked. */
export const DEFAULT_MOUNTS: readonly string[] = [
  DEFAULT_MOUNT,
  ...JobKind.options.map((kind) => `/${kind}`),
  IDENTITY_MOUNT,
];

function kindOf(path: string): MountContext["kind"] {
  if (path === IDENTITY_MOUNT) return "identity";
  return JobKind.options.find((kind) => path === `/${kind}`) ?? "claude";
}

export interface OpenMounts {
  readonly files: Namespace;
  readonly contexts: readonly MountContext[];
}

/** Mounts what the settings say; without any, `/claude` and its siblings with the general policy. */
export function openMounts({ gateway, metrics, log, mount }: SurfaceOptions): OpenMounts {
  const settings: MountSettings = mount?.settings ?? {};
  const files = new Namespace();
  const shown = new ShownTexts(mount?.folder);
  const outputs = new OutputIndex(gateway, shown);
  const errors = new CallerMemory<string>();
  const questions = new CallerMemory<ShownQuestions>();
  const making = new Map<string, Promise<void>>();
  const paths = new Set([...DEFAULT_MOUNTS, ...Object.keys(settings)]);
  const siblings = new Set(
    Object.values(settings).flatMap((one) => (one?.type === "claude" ? (one.tunnels ?? []).map(({ id }) => id) : [])),
  );
  const contexts = [...paths].map((path): MountContext => ({
    gateway,
    metrics,
    log,
    path,
    kind: kindOf(path),
    // A sibling's policy is its profile; there is nothing else to set of it.
    setting: kindOf(path) === "claude" ? settings[path] : undefined,
    siblings,
    shown,
    outputs,
    times: new FileTimes(mount?.now ?? Date.now),
    errors,
    questions,
    making,
  }));
  for (const context of contexts)
    files.mount({ path: context.path, files: new ClaudeFiles(context), access: accessOf(context, settings) });
  return { files, contexts };
}

/** Of what costs money there is a budget; keys are only used. */
function accessOf({ kind }: MountContext, settings: MountSettings): AccessLevel {
  return kind === "identity" ? (settings["/identity"]?.access ?? "sign_only") : "budgeted";
}
