import type { Policy, SessionSettings } from "../../protocol/index.ts";

/** What a session needs of a worker, as texts that are equal when one fits the other. */
export interface WorkerShapes {
  /** With the engine's own program in it: everything that the program is started with. Limits and metadata are not part of it. */
  readonly program: string;
  /** Without: exactly its sandbox, network and workspace, and what of the machine can be read there. */
  readonly sandbox: string;
}

export function shapesOf(settings: SessionSettings, policy: Policy): WorkerShapes {
  const { metadata: _notes, max_cost_microusd: _money, worker: _pin, ...others } = settings;
  const { engine, workspace, workspace_mode, repo_filter, sandbox, network, profile } = others;
  // A mount without a profile of its own has the default one.
  const rules = [policy.profiles[profile], policy.profiles[policy.default_profile]];
  return {
    program: JSON.stringify(["program", others, rules]),
    sandbox: JSON.stringify([
      "sandbox",
      { engine, workspace, workspace_mode, repo_filter, sandbox, network, profile },
      rules,
    ]),
  };
}
