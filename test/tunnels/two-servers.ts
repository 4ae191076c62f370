import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CreateTunnelOffer, SaveTunnel } from "../../src/protocol/index.ts";
import { openTestApp, type TestApp } from "../support/app.ts";
import { openPricedApp, type PricedApp } from "../support/priced-app.ts";
import { openBadNetwork, type BadNetwork } from "./bad-network.ts";

/** The machine with the models, a gateway elsewhere, and a network between them that can fail. */
export interface TwoServers {
  readonly home: PricedApp;
  readonly gateway: TestApp;
  readonly network: BadNetwork;
  /** The address at which the gateway reaches home. */
  readonly url: string;
  /** Makes the offer at home and the endpoint at the gateway, and waits until they are connected. */
  pair(id: string, offer?: Partial<CreateTunnelOffer>, tunnel?: Partial<SaveTunnel>): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openTwoServers(environment: Readonly<Record<string, string>> = {}): Promise<TwoServers> {
  const home = await openPricedApp(environment);
  const gateway = await openTestApp({ ...environment, SALLYPORT_PROVIDER: "sim" });
  const network = await openBadNetwork(() => Number(new URL(home.serving.url).port));
  const url = `ws://127.0.0.1:${network.port}/tunnel`;
  return {
    home,
    gateway,
    network,
    url,
    pair: async (id, offer, tunnel) => {
      const { secret } = await home.client.tunnels.offer({ id, auth: "psk", ...offer });
      if (secret !== undefined) await keepSecret(gateway.place.home, id, secret);
      const auth = secret === undefined ? "none" : { type: "psk" as const, secret_path: `tunnels/${id}` };
      await gateway.client.tunnels.save(id, { url, auth, ...tunnel });
      await gateway.client.tunnels.test(id);
    },
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await network.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** As an admin puts it there by hand. */
export async function keepSecret(home: string, id: string, secret: string): Promise<void> {
  const file = join(home, "secrets", "tunnels", id);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, secret, { mode: 0o600 });
}
