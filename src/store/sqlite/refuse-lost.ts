import type { OpenDatabase } from "./binding.ts";
import { refuseLost } from "./record.ts";
import { refuseNewer } from "./schema.ts";

/** On a read-only connection: a truncated log must not be folded in before somebody has agreed. */
export function refuseWhatIsLost(open: OpenDatabase, path: string): void {
  const database = open(path, { readOnly: true });
  try {
    refuseNewer(database);
    refuseLost(path, database);
  } finally {
    database.close();
  }
}
