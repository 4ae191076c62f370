import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import {
  defined,
  Failure,
  LIMITS,
  NotificationEvent,
  NotificationTargetView,
  type CreateNotificationTarget,
  type PrincipalRef,
} from "../../protocol/index.ts";
import type { Caller } from "../access/access.ts";
import type { Dependencies, NotificationDependencies } from "../dependencies.ts";
import { StoredList } from "../services/stored-list.ts";
import { addressOfTarget, hasTopic, secretTexts, TargetSecret, webhookSecret } from "./messages.ts";
import { checkAddress } from "./send.ts";
import { arePushKeys } from "./web-push.ts";

const SECRET_BYTES = 24;

/** A target as it is stored: without its address and its secrets, which are in the secret store. */
export const StoredTarget = NotificationTargetView.omit({ last: true }).extend({
  console_url: z.string().optional(),
  template: z.string().optional(),
});
export type StoredTarget = z.infer<typeof StoredTarget>;

/** Where a target's secrets are, below the secrets folder. */
const secretPath = (id: string): string => `notifications/${id}`;

/** All places that are told, and their secrets. */
export class TargetBook {
  readonly #dependencies: Dependencies;
  readonly #list: StoredList<StoredTarget>;
  #known: readonly StoredTarget[] = [];

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#list = new StoredList(dependencies, {
      document: "notification-targets",
      schema: StoredTarget,
      most: LIMITS.notificationTargets,
    });
  }

  async open(): Promise<void> {
    this.#known = await this.#list.all();
  }

  get all(): readonly StoredTarget[] {
    return this.#known;
  }

  find(id: string): StoredTarget | undefined {
    return this.#known.find((target) => target.id === id);
  }

  /** The secret of a target. Undefined: it cannot be read. */
  secretOf(id: string): TargetSecret | undefined {
    const read = this.#secrets.read(secretPath(id));
    if (!read.ok) return undefined;
    const secret = TargetSecret.safeParse(parsed(read.value));
    if (secret.success) for (const text of secretTexts(secret.data)) this.#dependencies.redact.learn(text);
    return secret.data;
  }

  /** A browser that is there already is replaced. */
  async add(
    caller: Caller,
    request: CreateNotificationTarget,
  ): Promise<{ target: StoredTarget; secret: TargetSecret }> {
    const secret = secretIn(request);
    for (const text of secretTexts(secret)) this.#dependencies.redact.learn(text);
    const { host } = checkAddress(addressOfTarget(secret), this.#dependencies.notifications);
    if (secret.kind === "push" && !arePushKeys(secret.keys))
      throw new Failure("invalid_request", "keys: these are not the keys of a browser's subscription");
    const target = this.#targetFor(caller, request, { host, secret });
    await this.#secrets.keep(secretPath(target.id), JSON.stringify(secret));
    try {
      await this.#put(caller, target);
    } catch (error) {
      await this.#secrets.remove(secretPath(target.id));
      throw error;
    }
    return { target, secret };
  }

  async remove(by: PrincipalRef, id: string): Promise<void> {
    const audited = [{ action: "notification.delete", id }];
    const change = (targets: readonly StoredTarget[]): readonly StoredTarget[] =>
      targets.filter((target) => target.id !== id);
    this.#known = await this.#list.change(by, { audited, change });
    await this.#secrets.remove(secretPath(id));
  }

  async #put(caller: Caller, target: StoredTarget): Promise<void> {
    const replaced: string[] = [];
    const change = (targets: readonly StoredTarget[]): readonly StoredTarget[] => {
      const others = targets.filter(
        ({ endpoint_hash }) => endpoint_hash === undefined || endpoint_hash !== target.endpoint_hash,
      );
      replaced.push(...targets.filter((known) => !others.includes(known)).map(({ id }) => id));
      if (others.filter(({ token_id }) => token_id === caller.token.id).length >= LIMITS.notificationTargetsPerToken)
        throw new Failure(
          "limit_reached",
          `there can be ${LIMITS.notificationTargetsPerToken} places for one token; remove one first`,
        );
      return [...others, target];
    };
    const { kind, name, events, sessions, host } = target;
    const audited = [{ action: "notification.create", id: target.id, details: { kind, name, events, sessions, host } }];
    this.#known = await this.#list.change(caller, { audited, change });
    for (const id of replaced) await this.#secrets.remove(secretPath(id));
  }

  #targetFor(
    caller: Caller,
    request: CreateNotificationTarget,
    { host, secret }: { readonly host: string; readonly secret: TargetSecret },
  ): StoredTarget {
    const { clock, newId } = this.#dependencies;
    const { kind, name = kind, events = NotificationEvent.options, sessions = "all" } = request;
    const { console_url, template } = request.kind === "push" ? {} : request;
    return {
      id: newId("ntf"),
      kind,
      name,
      events: [...new Set(events)],
      sessions,
      host,
      created_at: new Date(clock.now()).toISOString(),
      created_by: { id: caller.id, name: caller.name, role: caller.role },
      token_id: caller.token.id,
      ...defined({
        console_url,
        template,
        endpoint_hash:
          secret.kind === "push" ? createHash("sha256").update(secret.endpoint).digest("base64url") : undefined,
      }),
    };
  }

  get #secrets(): NotificationDependencies["secrets"] {
    return this.#dependencies.notifications.secrets;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function secretIn(request: CreateNotificationTarget): TargetSecret {
  switch (request.kind) {
    case "push": {
      const { kind, endpoint, keys, answers } = request;
      return { kind, endpoint, keys, ...defined({ answers }) };
    }
    case "ntfy": {
      const { kind, url, token } = request;
      if (!hasTopic(new URL(url)))
        throw new Failure("invalid_request", "url: ends with the topic, such as https://ntfy.sh/my-topic");
      return { kind, url, ...defined({ token }) };
    }
    case "slack":
    case "discord":
      return { kind: request.kind, url: request.url };
    case "telegram": {
      const { kind, token, chat_id, url } = request;
      return { kind, token, chat_id, ...defined({ url }) };
    }
    case "webhook":
      return { kind: request.kind, url: request.url, secret: webhookSecret(randomBytes(SECRET_BYTES)) };
  }
}
