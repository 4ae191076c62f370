import { z } from "zod";
import { KNOWN_AGENTS, OWN_WORK_FOLDER, type AgentProgram } from "../../engines/acp/agents.ts";
import { LIMITS } from "../../protocol/index.ts";
import type { Environment } from "./settings.ts";

const word = z.string().max(LIMITS.pathChars);
const variable = z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of a variable");
const variables = z
  .record(variable, word)
  .refine((each) => Object.keys(each).length <= LIMITS.agentWords, `has at most ${LIMITS.agentWords} variables`);

/** An agent that speaks the Agent Client Protocol. What is not said of a known one is as it is known. */
const AgentSetting = z
  .object({
    /** Its name for people. */
    title: z.string().min(1).max(100).optional(),
    /** The program and its arguments. A text is the program alone. */
    command: z.union([z.string().min(1).max(LIMITS.pathChars), z.array(word).min(1).max(LIMITS.agentWords)]).optional(),
    env: variables.optional(),
    /** Variables of the server's own environment that it gets, by the name that it knows them under. */
    env_from: z.record(variable, variable).optional(),
    /** How it asks models at the model proxy. */
    wire: z.enum(["anthropic", "openai"]).optional(),
    /** It asks models elsewhere; policy must allow it. */
    unmetered: z.boolean().optional(),
    /** Whether it has our tools or its own. */
    tools: z.enum(["sallyport", "own"]).optional(),
    authenticate: z.string().min(1).max(100).optional(),
    mode: z.string().min(1).max(100).optional(),
    /** Whether it may read and write files, and run commands, through Sallyport, with tools of its own. */
    client_files: z.boolean().optional(),
    client_terminal: z.boolean().optional(),
  })
  .strict()
  .refine(({ wire, unmetered }) => wire === undefined || unmetered !== true, {
    path: ["unmetered"],
    error: "does not go with wire: an agent that asks models at the model proxy is metered",
  });

/** Agents by their names. */
export const AgentSettings = z
  .record(
    z.string().regex(/^[a-z0-9](?:-?[a-z0-9]){0,31}$/, "must be lower case letters, digits and single dashes"),
    AgentSetting,
  )
  .refine((agents) => Object.keys(agents).length <= LIMITS.agentsNamed, `has at most ${LIMITS.agentsNamed} agents`)
  .superRefine((agents, context) => {
    for (const [name, agent] of Object.entries(agents)) {
      if (KNOWN_AGENTS.some((known) => known.name === name)) continue;
      const missing = agent.command === undefined ? "command" : undefined;
      const unclear = agent.wire === undefined && agent.unmetered !== true ? "wire" : undefined;
      for (const field of [missing, unclear])
        if (field !== undefined)
          context.addIssue({
            code: "custom",
            path: [name, field],
            message: field === "wire" ? "is missing: name wire, or say unmetered: true" : "is missing",
          });
    }
  });
export type AgentSettings = z.infer<typeof AgentSettings>;

/** The agents that the settings name. */
export function agentsOf(settings: AgentSettings, environment: Environment): readonly AgentProgram[] {
  return Object.entries(settings).map(([name, setting]) => agentOf(name, setting, environment));
}

function agentOf(name: string, setting: z.infer<typeof AgentSetting>, environment: Environment): AgentProgram {
  const known = KNOWN_AGENTS.find((agent) => agent.name === name);
  const { command, env_from = {}, wire, unmetered, client_files, client_terminal } = setting;
  const passed = Object.entries(env_from).flatMap(([inside, outside]) => {
    const value = environment[outside];
    return value === undefined || value === "" ? [] : [[inside, value] as const];
  });
  const tools = setting.tools ?? known?.tools ?? "own";
  return {
    ...known,
    name,
    title: setting.title ?? known?.title ?? name,
    command: command === undefined ? (known?.command ?? []) : [command].flat(),
    program: command === undefined ? known?.program : undefined,
    env: { ...known?.env, ...setting.env, ...Object.fromEntries(passed) },
    wire: unmetered === true ? undefined : (wire ?? known?.wire),
    tools,
    // With tools of its own it works in the workspace, and has them all.
    workFolder: tools === "sallyport" ? (known?.workFolder ?? OWN_WORK_FOLDER) : undefined,
    sessionMeta: tools === "sallyport" ? known?.sessionMeta : undefined,
    authenticate: setting.authenticate ?? known?.authenticate,
    mode: setting.mode ?? known?.mode,
    client: {
      files: client_files ?? known?.client?.files,
      terminal: client_terminal ?? known?.client?.terminal,
    },
  };
}
