import { Failure, isTunnelProvider, type ProviderStatus, type ProviderView } from "../../protocol/index.ts";
import type { Provider } from "../providers.ts";
import { WIRES } from "../proxy.ts";

/** A provider as shown to people: whether it has a key and the key's name, never the key. */
export async function viewProvider(
  provider: Provider,
  { defaultProvider, status }: { readonly defaultProvider: string; readonly status: ProviderStatus },
): Promise<ProviderView> {
  const wires = WIRES.filter((wire) => provider.baseUrl[wire] !== undefined);
  const credential = await credentialOf(provider);
  return {
    id: provider.id,
    is_default: provider.id === defaultProvider,
    wires,
    hosts: Object.fromEntries(wires.map((wire) => [wire, hostOf(provider.baseUrl[wire] ?? "")])),
    default_model: provider.defaultModel,
    free: provider.free,
    status: credential.credential === "missing" ? "unavailable" : status,
    ...(provider.login === undefined ? {} : { own_login: provider.login }),
    ...credential,
  };
}

async function credentialOf(
  provider: Provider,
): Promise<Pick<ProviderView, "credential" | "credential_names" | "message">> {
  try {
    const names = (await provider.credentials()).map(({ name }) => name);
    return { credential: names.length === 0 ? "not_needed" : "found", credential_names: names };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { credential: "missing", credential_names: [], message: error.message };
  }
}

function hostOf(address: string): string {
  if (address.startsWith("unix:")) return "unix";
  if (isTunnelProvider(address)) return "tunnel";
  return URL.canParse(address) ? new URL(address).host : "?";
}
