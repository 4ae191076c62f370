import {
  filesOf,
  type Approval,
  type CommandPart,
  type PlannedChange,
  type Preview,
  type Warning,
} from "../../protocol/index.ts";
import { leadsWhereShown } from "../../tools/index.ts";
import type { Ruled } from "./ruling.ts";
import type { Dependencies } from "../dependencies.ts";
import type { Session } from "../core/session.ts";

/** Why a question is closed and asked again. */
export const CHANGED_SINCE_SHOWN = "Changed since it was shown.";

/** The file change that a call would make now. Undefined: it changes no file itself, or it cannot. */
export async function planOf(
  session: Pick<Session, "environment">,
  { call }: Ruled,
): Promise<PlannedChange | undefined> {
  if (!call.paths.some(({ access }) => access === "write")) return undefined;
  const environment = await session.environment();
  return (await environment.toolbox.preview(call.tool, call.input)).planned;
}

/** The parts that a question showed of this input's command. Absent: it showed none, or a person wrote another command. */
export function shownParts(
  { preview }: Pick<Approval, "preview">,
  input: Approval["input"],
): readonly CommandPart[] | undefined {
  return preview.type === "command" && preview.command === input["command"] ? preview.parts : undefined;
}

/** Whether this input's command still does what its question showed. True if nothing was shown. */
export async function isSameCommand(
  session: Pick<Session, "environment">,
  { approval, input }: { readonly approval: Approval; readonly input: Approval["input"] },
): Promise<boolean> {
  const shown = shownParts(approval, input);
  if (shown === undefined) return true;
  const environment = await session.environment();
  const { preview } = await environment.toolbox.preview(approval.tool, input);
  return preview.type === "command" && leadsWhereShown(shown, preview.parts);
}

const NOT_SHOWN =
  "A part of this call is a secret that the server knows, so it is not shown, and what is not shown cannot be approved. Reject it, or approve it with an input that holds no secret.";
const SECRET_NEAR = "The file holds a secret that the server knows; it is not shown here.";

/**
 * The warnings of a question, and whether all of it can be shown. Contents beside the diff are only there to look at.
 */
export function shownIn(
  { redact }: Pick<Dependencies, "redact">,
  { input, preview, warnings }: Pick<Approval, "input" | "preview"> & { readonly warnings: readonly Warning[] },
): Pick<Approval, "warnings" | "not_approvable"> {
  const isWhole = (json: string): boolean => redact.exact(json) === json;
  const withoutContents = JSON.stringify(preview, (key, value: unknown) =>
    key === "original_content" || key === "new_content" ? undefined : value,
  );
  if (!isWhole(JSON.stringify(input)) || !isWhole(withoutContents))
    return { warnings: [{ kind: "hidden", message: NOT_SHOWN }, ...warnings], not_approvable: NOT_SHOWN };
  if (!isWhole(JSON.stringify(preview))) return { warnings: [{ kind: "hidden", message: SECRET_NEAR }, ...warnings] };
  return { warnings: [...warnings] };
}

/** Why a file change cannot be made, according to its preview. */
export function planError(preview: Preview): string | undefined {
  return filesOf(preview).find(({ error }) => error !== undefined)?.error;
}
