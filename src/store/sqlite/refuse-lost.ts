import type { OpenDatabase } from "./binding.ts";
import { refuseLost } from "./record.ts";
import { refuseNewer } from "./schema.ts";

/** On a connection that cannot write: a log that was cut is not folded in before somebody has said so. */
export function refuseWhatIsLost(open: OpenDatabase, path: string): void {
  const database = open(path, { readOnly: true });
  try {
    refuseNewer(database);
    refuseLost(path, database);
  } finally {
    database.close();
  }
}
