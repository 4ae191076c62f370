import type { Tour } from "./tour.ts";

/** Tunnels of a server with itself, paired in both directions. */
export async function tourOfPairing({ contract, app }: Tour): Promise<void> {
  const url = `${app.serving.url.replace("http", "ws")}/tunnel`;
  const here = { params: { id: "here" } };
  await contract.get("createTunnelOffer", { body: { id: "here", auth: "psk" } });
  const shown = await contract.get<{ code: string }>("showTunnelOfferCode", here);
  await contract.get("pairTunnel", { ...here, body: { url, code: shown.code } });
  await contract.get("pauseTunnelOffer", here);
  await contract.get("continueTunnelOffer", here);
  const back = { params: { id: "back" } };
  await contract.get("saveTunnel", {
    ...back,
    body: { auth: { type: "psk", secret_path: "tunnels/_endpoints/back" } },
  });
  const { code } = await contract.get<{ code: string }>("showTunnelCode", back);
  await contract.get("createTunnelOffer", { body: { id: "back", auth: "psk", dial: url } });
  await contract.get("pairTunnelOffer", { ...back, body: { code } });
  for (const place of [here, back]) {
    await contract.get("revokeTunnelOffer", place);
    await contract.get("deleteTunnel", place);
  }
}
