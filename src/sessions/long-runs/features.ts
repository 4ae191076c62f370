import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { LIMITS, type Feature, type FeatureCount } from "../../protocol/index.ts";

const FEATURE_LIST = "feature_list.json";

const Listed = z
  .array(z.looseObject({ description: z.string().default(""), passes: z.boolean().default(false) }))
  .max(LIMITS.features);

/** The features of a workspace. Undefined: there is no list that can be read. The agent wrote it: it only counts for when to stop. */
export async function readFeatures(workspace: string): Promise<readonly Feature[] | undefined> {
  try {
    // Never through a link, and never waiting for a pipe.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const file = await open(join(workspace, FEATURE_LIST), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const { size } = await file.stat();
      if (size > LIMITS.featureListBytes || !(await file.stat()).isFile()) return undefined;
      const parsed = Listed.safeParse(JSON.parse(await file.readFile("utf8")));
      if (!parsed.success) return undefined;
      return parsed.data.map(({ description, passes }) => ({
        description: description.slice(0, LIMITS.featureChars),
        passes,
      }));
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

export function countOf(features: readonly Feature[] | undefined): FeatureCount | undefined {
  if (features === undefined) return undefined;
  return { passing: features.filter(({ passes }) => passes).length, total: features.length };
}
