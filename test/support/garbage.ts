import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** How many of these objects something still holds. */
export async function stillHeld(references: readonly WeakRef<object>[]): Promise<number> {
  // What a reference was made for or asked for stays until its task has ended.
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  collect();
  return references.filter((reference) => reference.deref() !== undefined).length;
}
