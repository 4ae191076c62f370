import { expect } from "vitest";
import { untilTurnEnds } from "../../support/app.ts";
import { worldOf } from "../mount/world.ts";
import type { Tour } from "./tour.ts";

const CALL = { accept: "application/json" } as const;
const SAY = 'sim: [{"say":"Yes."}]';

/** Jobs over REST, and every file of `/containers` and `/compute`. */
export async function tourOfJobs(tour: Tour): Promise<void> {
  const { contract, app } = tour;
  const requests = {
    Container: { commands: [["echo", "hi"], "exit 2"], autonomy: "full", timeout_ms: 5_000 },
    Computation: { prompt: SAY, messages: [{ role: "user", text: "Hello." }] },
  };
  for (const [name, body] of Object.entries(requests)) {
    const { id } = await contract.get<{ id: string }>(`create${name}`, { body });
    await untilTurnEnds(app.client, id);
    await contract.get(`get${name}`, { params: { id } });
    await contract.get(`list${name}s`, { query: { limit: "10" } });
    await contract.get(`stop${name}`, { params: { id } });
    await contract.get(`delete${name}`, { params: { id } });
  }
  await tourOfContainers(tour);
  await tourOfCompute(tour);
}

async function tourOfContainers({ contract, app }: Tour): Promise<void> {
  const { admin } = worldOf(app);
  for (const folder of ["", "Providers", "Sessions"]) await contract.get(`listContainers${folder}Folder`);
  const provider = { params: { provider: "local" } };
  await contract.get("listContainersProviderFolder", provider);
  for (const file of ["Info", "Health"]) await contract.get(`readContainersProvider${file}`, provider);
  for (const file of ["Policy", "Usage"]) await contract.get(`readContainers${file}`);
  await contract.get("writeContainersPolicy", { body: { max_memory_mb: 2_048, max_concurrent: null } });
  await contract.get("sendContainersPolicy", { body: { max_memory_mb: null }, headers: CALL });
  const body = { commands: ["touch x"] };
  for (const answered of [true, false]) {
    const { session_id } = await contract.get<{ session_id: string }>("callContainersNew", { body, headers: CALL });
    const params = { id: session_id };
    const folder = `/containers/sessions/${session_id}`;
    await contract.get("listContainersSessionFolder", { params });
    await contract.get("listContainersSessionToolsFolder", { params });
    await admin.until(folder, "pending_approval");
    await contract.get("readContainersSessionStatus", { params });
    expect((await contract.send("readContainersSessionResult", { params })).status).toBe(409);
    await contract.get("readContainersSessionToolsPending", { params });
    const verb = answered ? "write" : "send";
    const answer = answered ? { approved: true } : "reject not today";
    await contract.get(`${verb}ContainersSessionToolsApprove`, { params, body: answer });
    await admin.until(folder, "complete", "failed");
    for (const file of ["Result", "Output", "Usage"]) await contract.get(`readContainersSession${file}`, { params });
    await contract.get("readContainersSessionOutput", { params, query: { follow: "1" } });
    await contract.get("readContainersSessionOutput", { params, query: { watch: "1" } });
    await contract.get(`${verb}ContainersSessionCtl`, { params, body: "stop" });
  }
  const open = { body: { kind: "interactive", autonomy: "full" }, headers: CALL };
  const { session_id } = await contract.get<{ session_id: string }>("callContainersNew", open);
  const params = { id: session_id };
  await contract.get("callContainersSessionExec", { params, body: { command: "echo hi" }, headers: CALL });
  await contract.get("writeContainersSessionExec", { params, body: { command: "echo more" } });
  await contract.get("writeContainersNew", { body: { ...body, autonomy: "full" } });
}

async function tourOfCompute({ contract, app }: Tour): Promise<void> {
  const { admin } = worldOf(app);
  for (const folder of ["", "Providers", "Jobs"]) await contract.get(`listCompute${folder}Folder`);
  const provider = { params: { provider: "sim" } };
  await contract.get("listComputeProviderFolder", provider);
  for (const file of ["Info", "Models", "Health"]) await contract.get(`readComputeProvider${file}`, provider);
  for (const file of ["Policy", "Usage"]) await contract.get(`readCompute${file}`);
  await contract.get("writeComputePolicy", { body: { max_timeout_ms: 60_000, max_concurrent: null } });
  await contract.get("sendComputePolicy", { body: { max_timeout_ms: 600_000 }, headers: CALL });
  const body = { model: "sim", kind: "complete", input: { prompt: SAY } };
  const { job_id } = await contract.get<{ job_id: string }>("callComputeNew", { body, headers: CALL });
  const params = { id: job_id };
  await contract.get("listComputeJobFolder", { params });
  await admin.until(`/compute/jobs/${job_id}`, "complete", "failed");
  for (const file of ["Status", "Result", "Stream"]) await contract.get(`readComputeJob${file}`, { params });
  await contract.get("readComputeJobStream", { params, query: { watch: "1" } });
  await contract.get("writeComputeJobCtl", { params, body: "stop" });
  await contract.get("sendComputeJobCtl", { params, body: "stop" });
  await contract.get("writeComputeNew", { body });
}
