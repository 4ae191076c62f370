import type { Host, ModelFacts } from "../../engines/index.ts";
import { narrowTools, toolListed } from "../../gate/index.ts";
import type { Toolbox } from "../../tools/index.ts";
import { permit, type PermittingSession } from "../permission/permit.ts";
import type { SessionBudget } from "../budget/session-budget.ts";
import { runPermitted } from "../permission/permitted-calls.ts";
import { effectiveProfile } from "../permission/effective-profile.ts";
import type { Dependencies } from "../dependencies.ts";
import { modelFacts } from "../settings/model-facts.ts";
import type { Session } from "./session.ts";

/** What the list of tools depends on. */
interface OfferingSession extends Pick<Session, "state"> {
  readonly dependencies: Pick<Dependencies, "policy">;
}

/** What an engine's host needs of its session. */
interface HostingSession extends PermittingSession {
  readonly budget: Pick<SessionBudget, "open" | "refusal" | "funds" | "onRequest">;
  readonly dependencies: PermittingSession["dependencies"] &
    Pick<Dependencies, "engineFolder" | "models" | "newId" | "random">;
}

/** What a session gives its engine, and no more. */
export async function hostFor(session: HostingSession): Promise<Host> {
  const { dependencies } = session;
  const [{ toolbox, sandbox, modelUrl }, key] = await Promise.all([session.environment(), session.budget.open()]);
  return {
    get model() {
      const { socketUrl, post } = dependencies.models.proxy;
      const { model: name, provider } = session.state.settings;
      const facts = (model: string): ModelFacts => modelFacts(dependencies.models, { provider, model });
      return { baseUrl: modelUrl ?? socketUrl, key, name, facts, post };
    },
    toolbox: watched(session, toolbox),
    folder: dependencies.engineFolder(session.state.id),
    sandbox,
    turnId: () => session.state.turn?.id ?? "",
    newId: dependencies.newId,
    now: () => dependencies.clock.now(),
    elapsed: () => dependencies.clock.elapsed(),
    random: dependencies.random,
    sleep: (ms, signal) => sleep(dependencies, ms, signal),
    permit: (call, signal) => permit(session, call, signal),
    refusal: () => session.budget.refusal,
    onRequest: (listener) => session.budget.onRequest(listener),
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
  { dependencies, state }: OfferingSession,
  toolbox: Toolbox,
): ReturnType<Toolbox["definitions"]> {
  const profile = effectiveProfile(dependencies.policy(), state);
  const lists = [profile.tools, narrowTools(profile, state.settings)];
  return toolbox
    .definitions()
    .filter(({ name }) => lists.every((list) => list === undefined || toolListed(list, name)));
}

/** The same toolbox for permitted calls only, with the crash suite's checkpoints around each run. */
function watched(session: HostingSession, toolbox: Toolbox): Toolbox {
  const { reach } = session.dependencies;
  return {
    definitions: () => offeredTools(session, toolbox),
    facts: (tool, input) => toolbox.facts(tool, input),
    concurrent: (tool) => toolbox.concurrent(tool),
    preview: (tool, input) => toolbox.preview(tool, input),
    close: () => toolbox.close(),
    run: async (tool, input, options) => {
      const running = runPermitted(session, toolbox, { tool, input, options });
      reach("tool.running");
      const result = await running;
      reach("tool.ran");
      return result;
    },
  };
}
