import type { Engine } from "../../engines/index.ts";
import { installCommand, programOfEngine } from "../../engines/vendor/programs.ts";
import { Failure, type EngineView } from "../../protocol/index.ts";

/** Refuses an engine that there is not, or whose program is missing: the words say what to do. */
export function checkEngine(engines: ReadonlyMap<string, Engine>, id: string): void {
  const engine = engines.get(id);
  if (engine === undefined)
    throw new Failure("unsupported", `there is no engine ${id}; there are: ${[...engines.keys()].join(", ")}`);
  const missing = engine.missing?.();
  if (missing !== undefined) throw new Failure("unsupported", missing);
}

export function viewEngine(engine: Engine): EngineView {
  const { id, wires, capabilities } = engine;
  const advice = engine.missing?.();
  const program = advice === undefined ? undefined : programOfEngine(id);
  return {
    id,
    available: advice === undefined,
    ...(advice === undefined ? {} : { advice }),
    ...(program === undefined ? {} : { install: installCommand(program) }),
    wires: [...wires],
    ...(engine.unmetered === true ? { unmetered: true as const } : {}),
    capabilities: { ...capabilities },
  };
}
