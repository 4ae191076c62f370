import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import {
  NotificationEvent,
  type NotificationSettings,
  type NotificationTargetCreated,
  type NotificationTargetView,
} from "../../../protocol/index.ts";
import { useConnection, useMay } from "../../ui/app/connection.tsx";
import { useSettings } from "../../ui/app/settings.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Note, Skeleton, Trouble, wordsOf } from "../../ui/states.tsx";
import { useTell } from "../../ui/toasts.tsx";
import { Ago } from "../../ui/words.tsx";
import { permitNotifications } from "../app/attention.ts";
import { KEYS } from "../app/feed.tsx";
import { Secret } from "../pages/tokens/secret.tsx";
import { AddService } from "./add-service.tsx";
import { EventChoice } from "./event-choice.tsx";
import { pushSupport, thisDevice, turnOff, turnOn, type PushSupport } from "./push-device.ts";
import { KIND_NAMES } from "./service-kinds.ts";
import { rich, t } from "../../ui/language/t.ts";

/** Where this person is told of questions and ends. */
export function NotificationsDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { client } = useConnection();
  const settings = useQuery({
    queryKey: KEYS.notifications,
    queryFn: () => client.notifications.settings(),
    staleTime: 0,
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Notifications")}
      description={t("Hear of questions, reached budgets and finished turns when you are not looking at the console.")}
    >
      {settings.error !== null ? (
        <Trouble
          title={t("Can’t load your notifications")}
          error={settings.error}
          onRetry={() => void settings.refetch()}
        />
      ) : settings.data === undefined ? (
        <Skeleton className="h-40" />
      ) : (
        <Places settings={settings.data} />
      )}
    </Dialog>
  );
}

function Places({ settings }: { readonly settings: NotificationSettings }): ReactNode {
  const mayAdd = useMay("trigger.manage");
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<NotificationTargetCreated>();
  const device = useQuery({
    queryKey: [...KEYS.notifications, "device", settings],
    queryFn: async () => (await thisDevice(settings)) ?? null,
  });
  const others = settings.targets.filter(({ id }) => id !== device.data?.id);
  return (
    <div className="space-y-5">
      {device.data !== undefined && <ThisDevice settings={settings} device={device.data ?? undefined} />}
      {others.length > 0 && (
        <section aria-labelledby="notified-places" className="border-t pt-4">
          <h3 id="notified-places" className="text-sm font-medium">
            {t("Other places")}
          </h3>
          <ul className="mt-1 divide-y">
            {others.map((target) => (
              <Place key={target.id} target={target} />
            ))}
          </ul>
        </section>
      )}
      {made?.secret !== undefined && (
        <Secret
          label={t("Signing secret")}
          text={made.secret}
          hint={t("Copy it now: it is not shown again. Messages are signed as Standard Webhooks says.")}
          copy={t("Copy the signing secret")}
        />
      )}
      {mayAdd && (
        <section className="border-t pt-4">
          {adding ? (
            <AddService
              onMade={(target) => {
                setMade(target);
                setAdding(false);
              }}
              onCancel={() => setAdding(false)}
            />
          ) : (
            <Button className="h-auto! min-h-10 whitespace-normal!" onClick={() => setAdding(true)}>
              {t("Add ntfy, Slack, Telegram, Discord or a webhook")}
            </Button>
          )}
        </section>
      )}
    </div>
  );
}

const CANNOT: Readonly<Record<Exclude<PushSupport, "yes">, string>> = {
  insecure: t(
    "Browsers send notifications only for pages with TLS. Open the console by https://, or on the server’s own machine.",
  ),
  unsupported: t("This browser has no push notifications."),
  denied: t("This browser blocks notifications for this site. Allow them in its site settings, then reload."),
  install: t(
    "On an iPhone or iPad, add the console to the Home Screen first (Share, Add to Home Screen), and open it there.",
  ),
};

function ThisDevice({
  settings,
  device,
}: {
  readonly settings: NotificationSettings;
  readonly device: NotificationTargetView | undefined;
}): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const { set } = useSettings();
  const [events, setEvents] = useState<readonly NotificationEvent[]>(device?.events ?? NotificationEvent.options);
  const change = useMutation({
    mutationFn: async (wanted: "on" | "off") => {
      if (wanted === "on") await turnOn(client, settings, events);
      else await turnOff(client, device);
      set({ push: wanted === "on" });
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: KEYS.notifications }),
  });
  const support = pushSupport();
  const isChanged = device !== undefined && events.toSorted().join() !== device.events.toSorted().join();
  return (
    <section aria-labelledby="notify-device" className="space-y-3">
      <h3 id="notify-device" className="text-sm font-medium">
        {t("This device")}
      </h3>
      {support === "yes" ? (
        <>
          <EventChoice events={events} onChange={setEvents} />
          <p className="text-sm text-soft">
            {t(
              "Messages are encrypted for this browser. A short command can be approved right there; anything else opens here.",
            )}
          </p>
          {change.error !== null && <Note tone="bad">{wordsOf(change.error)}</Note>}
          <div className="flex flex-wrap gap-2">
            {(device === undefined || isChanged) && (
              <Button
                variant="primary"
                busy={change.isPending}
                disabled={events.length === 0}
                onClick={() => change.mutate("on")}
              >
                {device === undefined ? t("Turn on for this device") : t("Save")}
              </Button>
            )}
            {device !== undefined && (
              <>
                <TestButton target={device} />
                <Button busy={change.isPending} onClick={() => change.mutate("off")}>
                  {t("Turn off")}
                </Button>
              </>
            )}
          </div>
        </>
      ) : (
        <Note tone="warn">{CANNOT[support]}</Note>
      )}
      <WhileOpen />
    </section>
  );
}

function WhileOpen(): ReactNode {
  const { notify } = useSettings();
  return (
    <label className="flex min-h-8 items-center gap-2 text-sm">
      <input
        type="checkbox"
        className="size-4"
        checked={notify}
        onChange={(event) => void permitNotifications(event.target.checked)}
      />
      {t("Notify me while the console is open in another tab")}
    </label>
  );
}

function Place({ target }: { readonly target: NotificationTargetView }): ReactNode {
  const { client, me } = useConnection();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.notifications.remove(target.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: KEYS.notifications }),
  });
  const { name, kind, host, created_by, last } = target;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 py-2 text-sm">
      <span className="min-w-0">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate text-soft">
          {KIND_NAMES[kind]} · {host}
          {created_by.id !== me.id && ` · ${created_by.name}`}
        </span>
        {last !== undefined && (
          <span className={last.ok ? "block text-faint" : "block text-bad"}>
            {last.ok
              ? rich("Last sent {ago}", { ago: <Ago at={last.at} /> })
              : rich("Not sent: {message}, {ago}", { message: last.message, ago: <Ago at={last.at} /> })}
          </span>
        )}
        {remove.error !== null && <span className="block text-bad">{wordsOf(remove.error)}</span>}
      </span>
      <span className="flex gap-2">
        <TestButton target={target} small />
        <Button
          size="small"
          busy={remove.isPending}
          onClick={() => remove.mutate()}
          aria-label={t("Remove {name}", { name })}
        >
          {t("Remove")}
        </Button>
      </span>
    </li>
  );
}

function TestButton({
  target,
  small = false,
}: {
  readonly target: NotificationTargetView;
  readonly small?: boolean;
}): ReactNode {
  const { client } = useConnection();
  const tell = useTell();
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => client.notifications.test(target.id),
    onSuccess: ({ ok, message }) => (ok ? tell.ok(t("Test sent.")) : tell.bad(t("Not sent: {message}.", { message }))),
    onError: (error) => tell.bad(wordsOf(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: KEYS.notifications }),
  });
  return (
    <Button
      size={small ? "small" : "normal"}
      busy={test.isPending}
      onClick={() => test.mutate()}
      aria-label={t("Send a test to {name}", { name: target.name })}
    >
      {t("Send a test")}
    </Button>
  );
}
