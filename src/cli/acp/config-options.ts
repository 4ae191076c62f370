import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import { Failure, type ConfigureSession, type SessionSettings } from "../../protocol/index.ts";
import { modeNamed, modesOf } from "./modes.ts";

/** The settings of a session that an editor can change. */
export type Configurable = Pick<SessionSettings, "model" | "autonomy" | "permission_mode" | "ask_reads">;

const [ASK, SKIP] = ["ask", "allow"];

/** The options that an editor shows. `models`: those that the session can switch to. */
export function configOptions(settings: Configurable, models: readonly string[]): SessionConfigOption[] {
  const { currentModeId, availableModes } = modesOf(settings);
  const names = models.includes(settings.model) ? models : [settings.model, ...models];
  return [
    {
      id: "mode",
      name: "Mode",
      description: "What the agent may do without asking",
      category: "mode",
      type: "select",
      currentValue: currentModeId,
      options: availableModes.map(({ id, name, description = null }) => ({ value: id, name, description })),
    },
    {
      id: "model",
      name: "Model",
      description: "From the next prompt on",
      category: "model",
      type: "select",
      currentValue: settings.model,
      options: names.map((name) => ({ value: name, name })),
    },
    {
      id: "reads",
      name: "Reading files",
      description: "Whether the agent asks before it reads",
      type: "select",
      currentValue: settings.ask_reads === true ? ASK : SKIP,
      options: [
        { value: SKIP, name: "Without asking" },
        { value: ASK, name: "Ask first" },
      ],
    },
  ];
}

/** What a choice changes. Throws a Failure if there is no such option or value. */
export function changeOf(configId: string, value: string | boolean): ConfigureSession {
  switch (configId) {
    case "mode":
      return { permission_mode: modeOf(value) };
    case "model":
      if (typeof value !== "string" || value === "") break;
      // The server decides which models exist: the offered ones need not be all.
      return { model: value };
    case "reads":
      if (value !== ASK && value !== SKIP) break;
      return { ask_reads: value === ASK };
    default:
      throw new Failure("invalid_request", `there is no option ${configId}; there are: mode, model, reads`);
  }
  throw new Failure("invalid_request", `${configId} cannot be ${String(value)}`);
}

export function modeOf(value: string | boolean): NonNullable<Configurable["permission_mode"]> {
  const mode = typeof value === "string" ? modeNamed(value) : undefined;
  if (mode === undefined) throw new Failure("invalid_request", `there is no mode ${String(value)}`);
  return mode;
}
