import type { Piped, Sandbox } from "../sandbox.ts";
import type { HeldPlace } from "./messages.ts";
import type { Supervisor } from "./supervisor.ts";

interface HoldingSandbox extends Sandbox {
  /** Whether a program of it belongs to the next server: it needs the sandbox's folder. */
  readonly hasLeft: boolean;
}

/** The same sandbox, whose programs outlive the server where that is asked for. */
export function holdingSandbox(
  sandbox: Sandbox,
  options: { readonly supervisor: Supervisor; readonly session_id: string; readonly place: HeldPlace },
): HoldingSandbox {
  const { supervisor, session_id, place } = options;
  const running = new Set<Piped>();
  const keep = <Program extends Piped>(program: Program): Program => {
    running.add(program);
    void program.exit.then(() => running.delete(program));
    return program;
  };
  return {
    kind: sandbox.kind,
    searchPath: sandbox.searchPath,
    get busy() {
      return sandbox.busy || running.size > 0;
    },
    spawn: (request) => sandbox.spawn(request),
    open: async (request) => {
      const { argv, cwd, env = {}, hold } = request;
      if (hold === undefined) return sandbox.open(request);
      return keep(await supervisor.open({ session_id, place, argv: [...argv], cwd, env, ...hold }));
    },
    holds: true,
    get hasLeft() {
      return [...running].some(({ held }) => held?.isLeft === true);
    },
    takeUp: async () => {
      const program = await supervisor.takeUp(session_id);
      return program === undefined ? undefined : keep(program);
    },
    async close() {
      // What is left to the next server is no longer here to be ended.
      await Promise.all([...running].map((program) => program.kill()));
      await sandbox.close();
    },
  };
}
