import { Failure } from "../protocol/index.ts";
import type { ModelSource } from "../sessions/index.ts";
import type { Settings } from "./settings.ts";

const CLOUD_MODEL = "claude-sonnet-5";

/** Where model calls go: the demo model that runs beside the server, or Anthropic's API. */
export function modelSource(settings: Settings, simUrl: string): ModelSource {
  return {
    defaultProvider: settings.provider.value,
    defaultModel: (provider) => (provider === "sim" ? "sim" : (settings.model.value ?? CLOUD_MODEL)),
    endpoint: (provider, model) => {
      if (provider === "sim") return { baseUrl: simUrl, key: "sim", name: model };
      if (provider !== "cloud")
        throw new Failure("invalid_request", `there is no provider ${provider}; there are: cloud, sim`);
      const key = settings.apiKey.value;
      if (key === undefined) {
        throw new Failure(
          "model_unauthenticated",
          "ANTHROPIC_API_KEY not set: set it and start the server again, or use the provider sim",
        );
      }
      return { baseUrl: settings.apiUrl.value, key, name: model };
    },
  };
}
