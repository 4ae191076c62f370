import { createHmac } from "node:crypto";
import { until } from "../../support/until.ts";
import type { Tour } from "./tour.ts";

const SAY = 'sim: [{"say":"Yes."}]';

/** Long runs, schedules and webhooks. */
export async function tourOfUnattended({ contract, app }: Tour): Promise<void> {
  const template = { name: "Mine", session: { prompt: SAY } };
  await contract.get("saveTemplate", { params: { id: "mine" }, body: template });
  await contract.get("longRunTemplates");
  const run = await contract.get<{ id: string }>("startLongRun", {
    body: { name: "a", task: "b", max_cost_microusd: 9, initializer: "mine", coder: "mine", pause_s: 3_600 },
  });
  const params = { id: run.id };
  await until(async () => (await app.client.longRuns.get(run.id)).steps.length === 1);
  for (const operation of ["listLongRuns", "getLongRun", "pauseLongRun", "continueLongRun", "stopLongRun"])
    await contract.get(operation, operation === "listLongRuns" ? {} : { params });
  await contract.get("deleteLongRun", { params });
  const schedule = await contract.get<{ id: string }>("createSchedule", {
    body: { name: "a", template: "mine", cron: "0 7 * * mon", time_zone: "Europe/Madrid" },
  });
  await contract.get("listSchedules");
  for (const operation of ["pauseSchedule", "continueSchedule", "runSchedule", "readScheduleHistory", "deleteSchedule"])
    await contract.get(operation, { params: { id: schedule.id } });
  const { id } = await contract.get<{ id: string }>("createWebhook", { body: { name: "a", template: "mine" } });
  const { secret } = await contract.get<{ secret: string }>("rotateWebhook", { params: { id } });
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signature = createHmac("sha256", key).update(`msg_1.${timestamp}.{}`).digest("base64");
  await contract.get("deliverWebhook", {
    params: { id },
    body: {},
    headers: { "webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` },
  });
  await contract.get("listWebhooks");
  for (const operation of ["pauseWebhook", "continueWebhook", "readWebhookHistory", "deleteWebhook"])
    await contract.get(operation, { params: { id } });
  await contract.get("deleteTemplate", { params: { id: "mine" } });
}
