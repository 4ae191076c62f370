import { z } from "zod";
import { BridgeProvider, Failure, ThreadMapping } from "../../protocol/index.ts";
import type { Environment, Setting } from "./settings.ts";

/** Document 002's socket, in sallyport.yaml. */
export const BridgeFileSettings = z
  .object({
    /** Of new runs. */
    profile: z.string().min(1).max(100).optional(),
    /** Of clients that select none. */
    provider: BridgeProvider.optional(),
    mapping: ThreadMapping.optional(),
    /** Whether runs without `cwd` begin in the root of the repository. */
    repository_root: z.boolean().optional(),
  })
  .strict();

export interface BridgeSettings {
  /** Of new runs; absent: the policy's default. */
  readonly profile?: string | undefined;
  /** Of clients that select none; absent: the first that can be used. */
  readonly provider?: BridgeProvider | undefined;
  readonly mapping?: ThreadMapping | undefined;
  /** Whether runs without `cwd` begin in the root of the repository; absent: they do. */
  readonly repositoryRoot?: boolean | undefined;
}

export function bridgeSettingsOf(
  environment: Environment,
  file: z.infer<typeof BridgeFileSettings> | undefined,
): { readonly bridge?: Setting<BridgeSettings> } {
  const profile = environment["SALLYPORT_BRIDGE_PROFILE"] || undefined;
  const variable = "SALLYPORT_BRIDGE_PROVIDER";
  const named = environment[variable] || undefined;
  const provider = BridgeProvider.optional().safeParse(named);
  if (!provider.success)
    throw new Failure("invalid_request", `${variable} must be one of ${BridgeProvider.options.join(", ")}`);
  const fromEnvironment = profile !== undefined || named !== undefined;
  if (!fromEnvironment && file === undefined) return {};
  const value = {
    profile: profile ?? file?.profile,
    provider: provider.data ?? file?.provider,
    mapping: file?.mapping,
    repositoryRoot: file?.repository_root,
  };
  return { bridge: { value, origin: fromEnvironment ? "environment" : "file" } };
}
