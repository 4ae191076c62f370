import type { CreateLongRun } from "../../../../protocol/index.ts";
import { parseDollars } from "../../../ui/dollars.ts";

/** A long run's form as typed. */
export interface LongRunFields {
  readonly name: string;
  readonly task: string;
  readonly maxCost: string;
  readonly workspace: string;
  readonly isAutonomous: boolean;
}

/** The request from these fields. Undefined: something is missing. */
export function longRunOf({ name, task, maxCost, workspace, isAutonomous }: LongRunFields): CreateLongRun | undefined {
  const most = parseDollars(maxCost);
  if (name.trim() === "" || task.trim() === "" || most === undefined) return undefined;
  const session = {
    ...(workspace.trim() === "" ? {} : { workspace: workspace.trim() }),
    ...(isAutonomous ? { autonomy: "full" as const } : {}),
  };
  return { name: name.trim(), task: task.trim(), max_cost_microusd: most, session };
}
