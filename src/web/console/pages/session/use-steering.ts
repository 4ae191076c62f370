import type { SessionView } from "../../../../protocol/index.ts";
import { useEngines } from "../../app/engines.ts";

/** Whether a prompt can go into the running turn: there is one, and its engine takes it. */
export function useSteering({ turn_id, settings }: Pick<SessionView, "turn_id" | "settings">): boolean {
  const engines = useEngines();
  const engine = engines.data?.find(({ id }) => id === settings.engine);
  return turn_id !== undefined && engine?.capabilities["steer"] === true;
}
