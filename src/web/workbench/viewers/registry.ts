import type { ViewerDefinition } from "./viewer.ts";

export { checkLook, wholeLook } from "./look.ts";

/** Every type of viewer that the workbench has, in the order in which they are offered. */
export const VIEWERS: readonly ViewerDefinition[] = [];

/** By its name, in any letters. */
export function definitionOf(type: string): ViewerDefinition | undefined {
  const wanted = type.trim().toLowerCase();
  return VIEWERS.find((definition) => definition.type.toLowerCase() === wanted);
}
