import type { Engine } from "../../engines/index.ts";
import { installCommand, programOfEngine } from "../../engines/vendor/programs.ts";
import type { EngineView } from "../../protocol/index.ts";

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
