import { script } from "../../support/app.ts";
import { makeBrowserKeys, messageIn, openPushService } from "../../support/push-service.ts";
import { until } from "../../support/until.ts";
import type { Tour } from "./tour.ts";

/** Being told of questions, answering from a notification, and a phone's token. */
export async function tourOfNotifications({ contract, app }: Tour): Promise<void> {
  await using service = await openPushService();
  const browser = makeBrowserKeys();
  const { id } = await contract.get<{ id: string }>("createNotificationTarget", {
    body: { kind: "push", endpoint: `${service.url}/1`, keys: browser.keys, answers: "direct", events: ["question"] },
  });
  await contract.get("createNotificationTarget", { body: { kind: "webhook", url: "https://hooks.example.net/a" } });
  const prompt = { text: script({ tool: "Bash", input: { command: "echo hello" } }) };
  await app.client.createSession({ prompt, ask_reads: true });
  await until(() => service.received.length > 0);
  const [post] = service.received;
  const { how: _how, ...answer } = (post === undefined ? undefined : messageIn(post, browser).answer) ?? {};
  await contract.get("answerNotification", { body: { ...answer, decision: "approve" } });
  await contract.get("testNotificationTarget", { params: { id } });
  const { targets } = await contract.get<{ targets: readonly { id: string }[] }>("getNotifications");
  for (const target of targets) await contract.get("deleteNotificationTarget", { params: { id: target.id } });
  const made = await contract.get<{ id: string; code: string }>("createPairing", { body: { role: "viewer" } });
  await contract.get("redeemPairing", { body: { code: made.code } });
  await contract.get("getPairing", { params: { id: made.id } });
  await contract.get("deletePairing", { params: { id: made.id } });
}
