import type { SallyportClient } from "../../../client/index.ts";
import type { NotificationEvent, NotificationSettings, NotificationTargetView } from "../../../protocol/index.ts";
import { t } from "../../ui/language/t.ts";

/** Whether this browser can be told while the console is closed. */
export type PushSupport = "yes" | "insecure" | "unsupported" | "denied" | "install";

export function pushSupport(): PushSupport {
  if (!globalThis.isSecureContext) return "insecure";
  if (!("serviceWorker" in navigator) || !("PushManager" in globalThis) || !("Notification" in globalThis))
    // On iPhones and iPads only installed pages have it.
    return /iPhone|iPad/.test(navigator.userAgent) ? "install" : "unsupported";
  return Notification.permission === "denied" ? "denied" : "yes";
}

/** The target that is this browser; undefined: it is not told. */
export async function thisDevice(settings: NotificationSettings): Promise<NotificationTargetView | undefined> {
  const subscription = await ownSubscription();
  if (subscription === null) return undefined;
  const hash = await hashOf(subscription.endpoint);
  return settings.targets.find(({ endpoint_hash }) => endpoint_hash === hash);
}

/** Asks the person and the browser, then tells the server. Throws an error in words for people. */
export async function turnOn(
  client: SallyportClient,
  { push_key }: NotificationSettings,
  events: readonly NotificationEvent[],
): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error(t("Your browser does not allow notifications for this site. Change that in its site settings."));
  const { pushManager } = await navigator.serviceWorker.ready;
  const key = bytesOf(push_key);
  const known = await pushManager.getSubscription();
  // Another server, or a home that was made anew, had another key.
  if (known !== null && !isSame(known.options.applicationServerKey, key)) await known.unsubscribe();
  const subscription = await pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: key })
    .catch((error: unknown) => {
      throw new Error(t("Your browser could not reach its push service. Check its settings and your network."), {
        cause: error,
      });
    });
  await tellServer(client, subscription, events);
}

export async function turnOff(client: SallyportClient, device: NotificationTargetView | undefined): Promise<void> {
  if (device !== undefined) await client.notifications.remove(device.id);
  await (await ownSubscription())?.unsubscribe();
}

/** For somebody who signs out here: this browser is told nothing more. */
export async function forgetDevice(client: SallyportClient): Promise<void> {
  if ((await ownSubscription()) === null) return;
  await turnOff(client, await thisDevice(await client.notifications.settings()));
}

async function tellServer(
  client: SallyportClient,
  subscription: PushSubscription,
  events: readonly NotificationEvent[],
): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  const [p256dh, auth] = [keys?.["p256dh"], keys?.["auth"]];
  if (endpoint === undefined || p256dh === undefined || auth === undefined)
    throw new Error(t("Your browser did not say how it can be reached."));
  await client.notifications.add({
    kind: "push",
    name: deviceName(),
    endpoint,
    keys: { p256dh, auth },
    events: [...events],
    // A phone may show buttons on its lock screen: there the console answers, once it is unlocked and in sight.
    answers: globalThis.matchMedia("(pointer: coarse)").matches ? "unlocked" : "direct",
  });
}

async function ownSubscription(): Promise<PushSubscription | null> {
  if (pushSupport() !== "yes") return null;
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

const BROWSERS = [
  [/Edg\//, "Edge"],
  [/Firefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
] as const;
const SYSTEMS = [
  [/Android/, "Android"],
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Mac OS X/, "Mac"],
  [/Windows/, "Windows"],
  [/Linux/, "Linux"],
] as const;

function deviceName(): string {
  const agent = navigator.userAgent;
  const find = (names: readonly (readonly [RegExp, string])[]): string | undefined =>
    names.find(([pattern]) => pattern.test(agent))?.[1];
  return [find(BROWSERS) ?? "Browser", find(SYSTEMS)].filter((part) => part !== undefined).join(" on ");
}

async function hashOf(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return btoa(String.fromCodePoint(...hash))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

function isSame(known: ArrayBuffer | null, key: Uint8Array): boolean {
  if (known === null) return false;
  const bytes = new Uint8Array(known);
  return bytes.length === key.length && bytes.every((byte, index) => byte === key[index]);
}
