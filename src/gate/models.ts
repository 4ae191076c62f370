import { Failure, globMatches, isTunnelProvider } from "../protocol/index.ts";

/** Which models a session may use, as globs in which `*` stands for anything. Absent or empty: all. */
export interface ModelRules {
  readonly allowed_providers?: readonly string[] | undefined;
  readonly allowed_models?: readonly string[] | undefined;
  /** Wins over `allowed_models`. */
  readonly blocked_models?: readonly string[] | undefined;
}

/** Why this model may not be used there; undefined when it may. */
export function refusedModel(
  rules: ModelRules,
  wanted: { readonly provider: string; readonly model: string },
): Failure | undefined {
  const { provider, model } = wanted;
  const { allowed_providers = [], allowed_models = [], blocked_models = [] } = rules;
  if (
    !isOnList(allowed_providers, provider) &&
    !(isTunnelProvider(provider) && isOnList(allowed_providers, "tunnel"))
  ) {
    return new Failure(
      "provider_not_allowed",
      `the policy does not allow the provider ${provider}; it allows: ${allowed_providers.join(", ")}`,
    );
  }
  const blocking = blocked_models.find((glob) => globMatches(glob, model));
  if (blocking !== undefined)
    return new Failure("model_not_allowed", `the policy blocks the model ${model} (${blocking}); choose another one`);
  if (isOnList(allowed_models, model)) return undefined;
  return new Failure(
    "model_not_allowed",
    `the policy does not allow the model ${model}; it allows: ${allowed_models.join(", ")}`,
  );
}

function isOnList(globs: readonly string[], name: string): boolean {
  return globs.length === 0 || globs.some((glob) => globMatches(glob, name));
}
