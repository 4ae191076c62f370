import { z } from "zod";
import { LIMITS } from "../limits.ts";

export const ModelPlace = z.object({ provider: z.string(), model: z.string() });
export type ModelPlace = Readonly<z.infer<typeof ModelPlace>>;

/** Where a model is asked instead when its own provider cannot be used. */
const FailoverPlace = z
  .object({
    provider: z.string().min(1).max(64),
    /** Its name there. Absent: the same. */
    model: z.string().min(1).max(200).optional(),
    /** It may cost more. Absent: it is passed over where it does. */
    dearer: z.boolean().optional(),
  })
  .strict();
export type FailoverPlace = Readonly<z.infer<typeof FailoverPlace>>;

/** `failover` of `sallyport.yaml`: for `<model>` or `<provider>/<model>`, the places that are tried, in this order. */
export const FailoverSettings = z
  .record(z.string().min(1).max(300), z.array(FailoverPlace).min(1).max(LIMITS.failoverPlaces))
  .refine((settings) => Object.keys(settings).length <= LIMITS.failoverModels, {
    message: `holds more than ${LIMITS.failoverModels} models`,
  });
export type FailoverSettings = z.infer<typeof FailoverSettings>;

/** The places that are listed for a model at a provider; its own entry wins over the model's. */
export function failoverFor(settings: FailoverSettings, { provider, model }: ModelPlace): readonly FailoverPlace[] {
  const own = `${provider}/${model}`;
  const listed = Object.hasOwn(settings, own) ? settings[own] : Object.hasOwn(settings, model) ? settings[model] : [];
  return listed ?? [];
}
