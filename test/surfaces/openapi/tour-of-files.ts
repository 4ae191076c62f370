import { expect } from "vitest";
import { script } from "../../support/app.ts";
import { worldOf } from "../mount/world.ts";
import type { Tour } from "./tour.ts";

const CALL = { accept: "application/json" } as const;

/** Every file of document 003 that holds something, and every one that can be written. */
export async function tourOfFiles(tour: Tour): Promise<void> {
  const { contract } = tour;
  for (const folder of ["", "Auth", "Pool", "Providers", "ProvidersTunnel", "Proxy", "Sessions", "Workers"])
    await contract.get(`listClaude${folder}Folder`);
  await contract.get("listClaudeFolder", { query: { stat: "1" } });
  for (const file of (
    "AuthChallenge AuthStatus AuthTunnels PoolConfig PoolMetrics PoolStatus ProvidersTunnelEndpoints ProvidersTunnelHealth " +
    "ProvidersTunnelInfo ProxyAllowlist ProxyMetrics ProxyStatus Policy Usage"
  ).split(" ")) {
    await contract.get(`readClaude${file}`);
    await contract.get(`readClaude${file}`, { query: { stat: "1" } });
  }
  const provider = { params: { provider: "sim" } };
  await contract.get("listClaudeProviderFolder", provider);
  for (const file of ["Info", "Models", "Health"]) await contract.get(`readClaudeProvider${file}`, provider);
  const hosts = await contract.get<readonly string[]>("readClaudeProxyAllowlist");
  await contract.get("writeClaudeProxyAllowlist", { body: hosts });
  await contract.get("sendClaudeProxyAllowlist", { body: hosts, headers: CALL });
  await contract.get("writeClaudePolicy", { body: { default_autonomy: "supervised", max_concurrent: null } });
  await contract.get("sendClaudePolicy", { body: { max_concurrent: null }, headers: CALL });
  await contract.get("sendClaudePolicy", { body: { max_concurrent: null } });
  await contract.get("writeClaudePoolConfig", { body: { max_workers: 100 } });
  await contract.get("sendClaudePoolConfig", { body: { idle_timeout_secs: 60 }, headers: CALL });
  await tourOfIdentity(tour);
  await tourOfSessionFiles(tour);
}

async function tourOfSessionFiles({ contract, app }: Tour): Promise<void> {
  const { admin } = worldOf(app);
  const { session_id } = await contract.get<{ session_id: string }>("callClaudeNew", {
    body: { model: "sim", initial_prompt: script({ tool: "Bash", input: { command: "touch x" } }, { say: "Done." }) },
    headers: CALL,
  });
  await contract.get("writeClaudeNew", { body: { model: "sim", tools: [{ name: "Read" }] } });
  await contract.get("callClaudeNew", { body: { model: "sim" } });
  const params = { id: session_id };
  const folder = `/claude/sessions/${session_id}`;
  await contract.get("listClaudeSessionFolder", { params });
  await contract.get("listClaudeSessionToolsFolder", { params });
  await admin.until(folder, "pending_approval");
  await contract.get("readClaudeSessionStatus", { params });
  const { workers } = await app.client.workers();
  const worker = { params: { worker: workers.find((one) => one.session_id === session_id)?.id ?? "" } };
  await contract.get("listClaudeWorkerFolder", worker);
  for (const file of ["Status", "Isolation", "Sessions", "Metrics"])
    await contract.get(`readClaudeWorker${file}`, worker);
  expect((await contract.send("readClaudeSessionResponse", { params })).status).toBe(409);
  await contract.get("readClaudeSessionToolsPending", { params });
  await contract.get("writeClaudeSessionToolsApprove", { params, body: { approved: true } });
  await admin.outputUntilIdle(folder);
  await contract.get("writeClaudeSessionPrompt", { params, body: script({ say: "Again." }) });
  await admin.outputUntilIdle(folder);
  await contract.get("sendClaudeSessionPrompt", {
    params,
    body: script({ tool: "Bash", input: { command: "touch y" } }),
    headers: CALL,
  });
  await admin.until(folder, "pending_approval");
  await contract.get("readClaudeSessionToolsPending", { params });
  await contract.get("sendClaudeSessionToolsApprove", { params, body: "reject not today" });
  await admin.outputUntilIdle(folder);
  for (const file of ["Response", "ResponseJson", "Output", "Context", "Error", "Usage", "ToolsLog"]) {
    await contract.get(`readClaudeSession${file}`, { params });
    await contract.get(`readClaudeSession${file}`, { params, query: { stat: "1" } });
  }
  await contract.get("readClaudeSessionOutput", { params, query: { follow: "1", until: "idle", offset: "3" } });
  await contract.get("callClaudeSessionFork", { params, body: {}, headers: CALL });
  await contract.get("writeClaudeSessionFork", { params, body: {} });
  await contract.get("writeClaudeSessionCtl", { params, body: "pause" });
  await contract.get("sendClaudeSessionCtl", { params, body: "stop" });
  // The session has ended, so the watch ends too.
  const chunks = await contract.get<readonly object[]>("readClaudeSessionOutput", { params, query: { watch: "1" } });
  expect(chunks.length).toBeGreaterThan(5);
}

/** `/identity`, and how a tunnel is told who somebody is. */
async function tourOfIdentity({ contract }: Tour): Promise<void> {
  await contract.get("listIdentityFolder");
  const { npub: pubkey } = await contract.get<{ npub: string }>("readIdentityPubkey");
  const data = "hello";
  const call = <Answer>(file: string, body: unknown): Promise<Answer> =>
    contract.get<Answer>(`callIdentity${file}`, { body, headers: CALL });
  const { signature } = await call<{ signature: string }>("Sign", { data });
  await contract.get("callIdentitySign", { body: data, headers: CALL });
  await contract.get("writeIdentitySign", { body: { data } });
  for (const name of ["call", "write"])
    await contract.get(`${name}IdentityVerify`, { body: { data, signature, pubkey } });
  const { ciphertext } = await call<{ ciphertext: string }>("Encrypt", { pubkey, plaintext: data });
  await contract.get("writeIdentityEncrypt", { body: { pubkey, plaintext: data } });
  for (const name of ["call", "write"]) await contract.get(`${name}IdentityDecrypt`, { body: { pubkey, ciphertext } });
  const tunnel = { id: "tour", url: "wss://tour.example.org/tunnel", auth: "nostr" };
  await contract.get("writeClaudeAuthTunnels", { body: [tunnel] });
  await contract.get("sendClaudeAuthTunnels", { body: [tunnel], headers: CALL });
  for (const name of ["write", "send"]) {
    const [challenge] =
      await contract.get<readonly { challenge: string; tunnel_id: string }[]>("readClaudeAuthChallenge");
    const signed = await call<{ signature: string; pubkey: string }>("Sign", { data: challenge?.challenge ?? "" });
    await contract.get(`${name}ClaudeAuthChallenge`, {
      body: {
        challenge: challenge?.challenge,
        signature: signed.signature,
        pubkey: signed.pubkey,
        tunnel_id: challenge?.tunnel_id,
      },
    });
  }
  await contract.get("readClaudeAuthTunnels");
  await contract.get("readClaudeAuthStatus");
  await contract.get("writeClaudeAuthTunnels", { body: [] });
}
