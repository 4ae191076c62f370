import {
  Failure,
  PairTunnel,
  PairTunnelOffer,
  type TunnelOfferView,
  type TunnelPairingCode,
  type TunnelView,
} from "../../../protocol/index.ts";
import { pairWith, TunnelRefusal, type PairingBook } from "../../../tunnels/index.ts";
import { auditRow, authorize, type Caller } from "../../access/access.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { TunnelOfferService } from "./tunnel-offer-service.ts";
import type { TunnelService } from "./tunnel-service.ts";

/** Secrets of endpoints are apart from those of offers: a machine may have both under one id. No id begins so. */
const ENDPOINT_SECRETS = "_endpoints";

interface PairedServices {
  readonly pairings: PairingBook;
  readonly tunnels: TunnelService;
  readonly offers: TunnelOfferService;
}

/** Gives two machines a pre-shared key without anybody copying it: one shows a short code, the other is told it. */
export class TunnelPairingService {
  readonly #dependencies: Dependencies;
  readonly #services: PairedServices;

  constructor(dependencies: Dependencies, services: PairedServices) {
    this.#dependencies = dependencies;
    this.#services = services;
  }

  /** A code with which a gateway can pair with an offer of this machine. */
  async offerCode(caller: Caller, id: string): Promise<TunnelPairingCode> {
    authorize(caller, "policy.write");
    const { offers, pairings } = this.#services;
    const { auth_type, dial } = await offers.get(caller, id);
    refuseOtherAuth(id, auth_type);
    if (dial !== undefined)
      throw new Failure("conflict", `this machine connects to the gateway for ${id}: the gateway shows the code`);
    await this.#audit(caller, "tunnel.pairing", id);
    return pairings.start({ id, role: "gateway" }, (sharedKey) => this.#keepForOffer(caller, id, sharedKey));
  }

  /** A code with which a machine can pair that connects to this gateway. */
  async endpointCode(caller: Caller, id: string): Promise<TunnelPairingCode> {
    authorize(caller, "policy.write");
    const { tunnels, pairings } = this.#services;
    tunnels.refuseSet(id);
    const known = tunnels.settings.find((one) => one.id === id);
    if (known === undefined) throw new Failure("not_found", `there is no tunnel ${id}`);
    const { id: _same, ...setting } = known;
    if (setting.url !== undefined)
      throw new Failure("conflict", `this gateway connects to the machine of ${id}: that machine shows the code`);
    await this.#audit(caller, "tunnel.pairing", id);
    return pairings.start({ id, role: "home" }, async (sharedKey) => {
      await tunnels.save(caller, id, { ...setting, auth: await this.#keepForEndpoint(id, sharedKey) });
      tunnels.renew(id);
    });
  }

  /** Pairs with a machine that shows a code, and adds or replaces its tunnel. */
  async pairTunnel(caller: Caller, id: string, request: PairTunnel): Promise<TunnelView> {
    authorize(caller, "policy.write");
    const { code, ...setting } = PairTunnel.parse(request);
    const { tunnels } = this.#services;
    tunnels.refuseSet(id);
    const sharedKey = await this.#pair({ url: setting.url, tunnel_id: id, role: "gateway", code });
    const view = await tunnels.save(caller, id, { ...setting, auth: await this.#keepForEndpoint(id, sharedKey) });
    tunnels.renew(id);
    await this.#audit(caller, "tunnel.paired", id);
    return view;
  }

  /** Pairs with the gateway that an offer connects to, which shows a code. */
  async pairOffer(caller: Caller, id: string, request: PairTunnelOffer): Promise<TunnelOfferView> {
    authorize(caller, "policy.write");
    const { code } = PairTunnelOffer.parse(request);
    const { auth_type, dial } = await this.#services.offers.get(caller, id);
    refuseOtherAuth(id, auth_type);
    if (dial === undefined)
      throw new Failure("conflict", `the gateway connects to this machine for ${id}: show it a code of this machine`);
    const sharedKey = await this.#pair({ url: dial, tunnel_id: id, role: "home", code });
    await this.#keepForOffer(caller, id, sharedKey);
    return this.#services.offers.get(caller, id);
  }

  async #pair(asked: Omit<Parameters<typeof pairWith>[0], "proxies">): Promise<string> {
    try {
      return await pairWith({ ...asked, proxies: this.#dependencies.tunnels.proxies });
    } catch (error) {
      if (!(error instanceof TunnelRefusal)) throw error;
      const message = this.#dependencies.redact(error.message);
      if (error.kind === "refused") throw new Failure("conflict", `not paired: ${message}`);
      throw new Failure(
        "connection_failed",
        `not paired: ${message}; check the address, and that the other side serves`,
      );
    }
  }

  async #keepForOffer(caller: Caller, id: string, sharedKey: string): Promise<void> {
    const secret_path = await this.#dependencies.tunnels.keepSecret(id, sharedKey);
    await this.#services.offers.rekey(caller, id, { type: "psk", secret_path });
  }

  async #keepForEndpoint(id: string, sharedKey: string): Promise<{ type: "psk"; secret_path: string }> {
    const secret_path = await this.#dependencies.tunnels.keepSecret(`${ENDPOINT_SECRETS}/${id}`, sharedKey);
    return { type: "psk", secret_path };
  }

  #audit(caller: Caller, action: string, target: string): Promise<void> {
    return this.#dependencies.store.commit({ audit: [auditRow(this.#dependencies, caller, { action, target })] });
  }
}

function refuseOtherAuth(id: string, auth_type: string): void {
  if (auth_type !== "psk")
    throw new Failure("conflict", `${id} uses ${auth_type} and no pre-shared key: there is nothing to pair`);
}
