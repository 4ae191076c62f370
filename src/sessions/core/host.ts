import type { Host } from "../../engines/index.ts";
import { narrowTools, toolListed } from "../../gate/index.ts";
import type { Toolbox } from "../../tools/index.ts";
import { permit } from "../permission/permit.ts";
import { runPermitted } from "../permission/permitted-calls.ts";
import { effectiveProfile } from "../permission/effective-profile.ts";
import type { Dependencies } from "../dependencies.ts";
import type { Session } from "./session.ts";

/** What a session gives its engine, and no more. */
export async function hostFor(session: Session): Promise<Host> {
  const { dependencies } = session;
  const [{ toolbox, sandbox, modelUrl }, key] = await Promise.all([session.environment(), session.budget.open()]);
  return {
    get model() {
      const { socketUrl, post } = dependencies.models.proxy;
      return { baseUrl: modelUrl ?? socketUrl, key, name: session.state.settings.model, post };
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
    funds: (signal) => session.budget.funds(signal),
  };
}

function sleep(dependencies: Dependencies, ms: number, signal: AbortSignal): Promise<void> {
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
export function offeredTools({ dependencies, state }: Session, toolbox: Toolbox): ReturnType<Toolbox["definitions"]> {
  const profile = effectiveProfile(dependencies.policy(), state);
  const lists = [profile.tools, narrowTools(profile, state.settings)];
  return toolbox
    .definitions()
    .filter(({ name }) => lists.every((list) => list === undefined || toolListed(list, name)));
}

/** The same toolbox for permitted calls only, with the crash suite's checkpoints around each run. */
function watched(session: Session, toolbox: Toolbox): Toolbox {
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
