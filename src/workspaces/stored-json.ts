import { basename } from "node:path";
import { z } from "zod";
import { Failure } from "../protocol/index.ts";

/** Reads what was stored beside a session's files. A damaged file is a failure that names it: nobody guesses what was in it. */
export function parseStored<Schema extends z.ZodType>(
  schema: Schema,
  { text, path }: { readonly text: string; readonly path: string },
): z.infer<Schema> {
  const parsed = schema.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  throw new Failure(
    "workspace_missing",
    `${basename(path)}, which says what the files of this session are, is damaged; put it back from a backup, or delete the session`,
  );
}

/** Values by names that people give: `z.record` loses one that is called `__proto__`. */
export function byName<Schema extends z.ZodType>(schema: Schema): z.ZodType<Record<string, z.infer<Schema>>> {
  return z.custom<Record<string, z.infer<Schema>>>(
    (value) =>
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((one) => schema.safeParse(one).success),
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
