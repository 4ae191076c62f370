import type { Host, ModelFacts } from "../../engines/index.ts";
import { callListed, narrowTools } from "../../gate/index.ts";
import type { LoadedInstructions } from "../../instructions/index.ts";
import { Failure, SKILL_TOOL } from "../../protocol/index.ts";
import type { RunToolOptions, Toolbox } from "../../tools/index.ts";
import { permit, type PermittingSession } from "../permission/permit.ts";
import type { SessionBudget } from "../budget/session-budget.ts";
import { nestedInstructions, runPermitted } from "../permission/permitted-calls.ts";
import { effectiveProfile } from "../permission/effective-profile.ts";
import type { Dependencies } from "../dependencies.ts";
import { modelFacts } from "../settings/model-facts.ts";
import type { Session } from "./session.ts";
import { toolModel } from "./tool-model.ts";

/** What the list of tools depends on. */
interface OfferingSession extends Pick<Session, "state"> {
  readonly instructions: { readonly current: Pick<LoadedInstructions, "skills" | "repository"> };
  readonly dependencies: Pick<Dependencies, "policy">;
}

/** What an engine's host needs of its session. */
interface HostingSession extends PermittingSession {
  readonly instructions: OfferingSession["instructions"] & PermittingSession["instructions"];
  readonly budget: Pick<SessionBudget, "open" | "refusal" | "funds" | "onRequest">;
  readonly dependencies: PermittingSession["dependencies"] &
    Pick<Dependencies, "engineFolder" | "models" | "newId" | "random">;
}

/** What a session gives its engine, and no more. */
export async function hostFor(session: HostingSession): Promise<Host> {
  const { dependencies } = session;
  const [{ toolbox, sandbox, modelUrl, modelHttpUrl }, key] = await Promise.all([
    session.environment(),
    session.budget.open(),
  ]);
  const model = (): Host["model"] => {
    const { socketUrl, tcpUrl, post } = dependencies.models.proxy;
    const { model: name, provider } = session.state.settings;
    const facts = (one: string): ModelFacts => modelFacts(dependencies.models, { provider, model: one });
    return { baseUrl: modelUrl ?? socketUrl, httpUrl: modelHttpUrl ?? tcpUrl, key, name, facts, post };
  };
  return {
    get model() {
      return model();
    },
    toolbox: watched(session, toolbox, toolModel(model)),
    folder: dependencies.engineFolder(session.state.id),
    sandbox,
    turnId: () => session.state.turn?.id ?? "",
    newId: dependencies.newId,
    now: () => dependencies.clock.now(),
    elapsed: () => dependencies.clock.elapsed(),
    random: dependencies.random,
    sleep: (ms, signal) => sleep(dependencies, ms, signal),
    identify: (engine_session_id) =>
      // A session that has just ended has no use for it.
      void session.execute({ type: "identify", engine_session_id }).catch(() => undefined),
    permit: (call, signal) => permit(session, call, signal),
    nested: async ({ agent, paths }) => {
      const environment = await session.environment();
      const real = await Promise.all(paths.map((path) => environment.resolve(path).catch(() => undefined)));
      return nestedInstructions(
        session,
        agent,
        real.filter((path) => path !== undefined),
      );
    },
    refusal: () => session.budget.refusal,
    isAsking: () => session.activity.isAsking,
    onRequest: (listener) => session.budget.onRequest(listener),
    reserveTurn: async (signal) => {
      const { model: name } = session.state.settings;
      const reserved = await dependencies.models.proxy.reserveTurn(key, { model: name, signal });
      return reserved instanceof Failure ? reserved.toBody().error : reserved;
    },
    funds: (signal) => session.budget.funds(signal),
  };
}

function sleep(dependencies: Pick<Dependencies, "clock">, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = dependencies.clock.after(ms, done);
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) done();
  });
}

/** The tools that the model is told about: the gate refuses the others anyway. */
export function offeredTools(
  { dependencies, state, instructions }: OfferingSession,
  toolbox: Toolbox,
): ReturnType<Toolbox["definitions"]> {
  const profile = effectiveProfile(dependencies.policy(), state);
  const lists = [profile.tools, narrowTools(profile, state.settings)];
  return toolbox.definitions().filter(({ name }) => {
    if (name === SKILL_TOOL && instructions.current.skills.length === 0) return false;
    const { tier, definition } = toolbox.traits(name);
    return lists.every((list) => list === undefined || callListed(list, { tool: name, tier, definition }));
  });
}

/** The same toolbox for permitted calls only, with the crash suite's checkpoints around each run. */
function watched(session: HostingSession, toolbox: Toolbox, model: RunToolOptions["model"]): Toolbox {
  const { reach } = session.dependencies;
  return {
    definitions: () => offeredTools(session, toolbox),
    facts: (tool, input) => toolbox.facts(tool, input),
    traits: (tool) => toolbox.traits(tool),
    preview: (tool, input) => toolbox.preview(tool, input),
    close: () => toolbox.close(),
    run: async (tool, input, options) => {
      const running = runPermitted(session, toolbox, { tool, input, options: { ...options, model } });
      reach("tool.running");
      const result = await running;
      reach("tool.ran");
      return result;
    },
  };
}
