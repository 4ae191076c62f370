import { z } from "zod";
import { TunnelAuth, TunnelEndpoint } from "../dialects/mount/settings.ts";
import { CreateKey, KeyBounds } from "../access/keys.ts";
import { MicroUsd, Price } from "../models/money.ts";

/** The path of the server's port at which the other side of a tunnel connects. */
export const TUNNEL_PATH = "/tunnel";
/** Providers behind tunnels begin so; the endpoint's id follows. */
export const TUNNEL_PREFIX = "tunnel:";
/** Where a gateway reads an endpoint's models and their prices, over the tunnel. */
export const TUNNEL_MODELS_PATH = "/sallyport/models";

/** The engine of sessions that run at the other end of their provider's tunnel. */
export const TUNNEL_ENGINE = "tunnel";

export function isTunnelProvider(provider: string): boolean {
  return provider.startsWith(TUNNEL_PREFIX);
}

const TunnelId = z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/, "must be a name of letters, digits, _, . and -");

/** How one side of a tunnel is connected. */
export const TunnelLinkState = z.enum(["connected", "interrupted", "waiting", "refused"]);
export type TunnelLinkState = z.infer<typeof TunnelLinkState>;

/** Another person's machine that answers model requests here. Absent `url`: it connects to this server. */
export const SaveTunnel = TunnelEndpoint.omit({ id: true }).partial({ url: true });
export type SaveTunnel = z.infer<typeof SaveTunnel>;

export const TunnelView = z.object({
  id: z.string(),
  /** Absent: the other side connects to this server. */
  url: z.string().optional(),
  auth_type: z.string(),
  /** The provider that sessions name. */
  provider: z.string(),
  allowed_agents: z.array(z.string()),
  rate_limit: z.object({ requests_per_minute: z.number(), tokens_per_minute: z.number() }).optional(),
  /** `settings`: under `mounts` in sallyport.yaml; `stored`: added here. */
  from: z.enum(["settings", "stored"]),
  state: TunnelLinkState,
  /** What is wrong, and what to do. Absent: nothing is. */
  message: z.string().optional(),
  models: z.array(z.string()),
  open_requests: z.number().int(),
});
export type TunnelView = z.infer<typeof TunnelView>;

export const TunnelReport = z.object({
  id: z.string(),
  status: z.enum(["ok", "unreachable", "refused"]),
  message: z.string(),
  models: z.array(z.string()),
  latency_ms: z.number().int().nonnegative().optional(),
});
export type TunnelReport = z.infer<typeof TunnelReport>;

/** `home.example.org` or `home.example.org:8443`. */
const ConsoleAddress = z
  .string()
  .max(260)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+(?::\d{1,5})?$/, {
    error:
      "must be a host with a dot in its name, in small letters, and a port where that is not 443: home.example.org:8443",
  });

/** What this machine offers to one remote party. Its principal is made with it, and its key's limits hold. */
export const CreateTunnelOffer = CreateKey.omit({ name: true, token_id: true, expires_in_s: true })
  .extend({
    id: TunnelId,
    auth: z.union([TunnelAuth, z.literal("psk")]),
    /** Public keys that may use it, hex or npub. Absent: all that can authenticate. */
    allowed_agents: z.array(z.string().min(1).max(200)).max(1_000).optional(),
    /** Whole sessions may run here, with this machine's engines. Absent: models only. */
    sessions: z.boolean().default(false),
    /** The engine of sessions that name none. Absent: `loop`. */
    engine: z.string().min(1).max(100).optional(),
    /** The profile of its sessions and the bound of its principal. Absent: the policy's default. */
    profile: z.string().min(1).max(200).optional(),
    /** This machine connects there. Absent: the other side connects to this machine. */
    dial: z
      .url({ protocol: /^wss?$/, error: "must be an address that begins with wss:// or ws://" })
      .max(2_000)
      .optional(),
    /** Where people reach this machine's console through the other side: a host, with its port where that is not 443. Absent: nowhere. */
    console: ConsoleAddress.optional(),
  })
  .strict();
export type CreateTunnelOffer = z.input<typeof CreateTunnelOffer>;

export const TunnelOfferView = z.object({
  id: z.string(),
  auth_type: z.string(),
  allowed_agents: z.array(z.string()),
  sessions: z.boolean(),
  /** The engine of sessions that name none. Absent: `loop`. */
  engine: z.string().optional(),
  profile: z.string().optional(),
  dial: z.string().optional(),
  /** Where people reach this machine's console through the other side. Absent: nowhere. */
  console: z.string().optional(),
  /** SHA-256 of the certificate that they see there. Absent: there is no such console, or its certificate cannot be used. */
  console_fingerprint: z.string().optional(),
  created_at: z.string(),
  /** Its principal's token and key: usage and sessions are found by them. */
  token_id: z.string(),
  key_id: z.string(),
  bounds: KeyBounds,
  spent_microusd: MicroUsd,
  reserved_microusd: MicroUsd,
  state: TunnelLinkState,
  message: z.string().optional(),
  open_requests: z.number().int(),
  /** Requests since the server started. */
  requests: z.number().int(),
  last_request_at: z.string().optional(),
  /** Its owner lets nobody connect for now. */
  paused: z.boolean(),
  /** Who is connected now. */
  parties: z.array(z.object({ since: z.string(), pubkey: z.string().optional() })),
  /** Until when a pairing code is open. Absent: none is. */
  pairing_until: z.string().optional(),
});
export type TunnelOfferView = z.infer<typeof TunnelOfferView>;

/** `secret`: a pre-shared key that was made with the offer; shown this once. */
export const TunnelOfferCreated = TunnelOfferView.extend({ secret: z.string().optional() });
export type TunnelOfferCreated = z.infer<typeof TunnelOfferCreated>;

/** Where else than at the server's own port the other sides connect. */
export const TunnelListener = z
  .object({ host: z.string().min(1).max(255).default("127.0.0.1"), port: z.number().int().min(0).max(65_535) })
  .strict();
export type TunnelListener = z.infer<typeof TunnelListener>;

/** A model of an endpoint as its owner lists it. The price is the owner's. */
export const TunnelModel = z.object({ id: z.string().min(1).max(256), price: Price.optional() });
export type TunnelModel = z.infer<typeof TunnelModel>;
export const TunnelModels = z.object({
  default_model: z.string().max(256),
  free: z.boolean(),
  wires: z.array(z.enum(["anthropic", "openai"])).min(1),
  openai_api: z.enum(["responses", "chat"]),
  models: z.array(TunnelModel).max(2_000),
  /** Whole sessions may run there. Absent: an older home, which does not say so. */
  sessions: z.boolean().optional(),
});
export type TunnelModels = z.infer<typeof TunnelModels>;
