import type { ReactNode } from "react";
import type { EngineView, ProviderView } from "../../../../protocol/index.ts";
import { useMay } from "../../../ui/app/connection.tsx";
import { DEFAULT_ENGINE, ENGINES } from "../../app/engine-words.ts";
import { useEngines } from "../../app/engines.ts";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Field, Input, Select } from "../../../ui/field.tsx";
import { Skeleton, Trouble } from "../../../ui/states.tsx";
import { useModelList, useProviders } from "./data.ts";
import { ModelPicker } from "./model-picker.tsx";
import { modelFacts } from "./model-search.ts";
import { Choice, Wrong, type PartProps } from "./parts.tsx";
import { rich, t } from "../../../ui/language/t.ts";

export function EngineField({ draft, change, problems }: PartProps): ReactNode {
  const { data: engines, error, refetch } = useEngines();
  const chosen = draft.engine === "" ? DEFAULT_ENGINE : draft.engine;
  return (
    <fieldset className="space-y-1.5">
      <legend className="mb-1.5 text-sm font-medium">{t("Engine")}</legend>
      {engines === undefined && error === null && <Skeleton className="h-52" />}
      {error !== null && engines === undefined && (
        <Trouble title={t("Can’t load the engines")} error={error} onRetry={() => void refetch()} />
      )}
      {engines?.map((engine) => (
        <Choice
          key={engine.id}
          name="engine"
          label={engine.id}
          value={engine.id}
          checked={chosen === engine.id}
          disabled={!engine.available}
          onChange={() => change({ engine: engine.id })}
        >
          {engine.available ? ENGINES[engine.id] : <MissingEngine engine={engine} />}
        </Choice>
      ))}
      <Wrong text={problems.engine} />
    </fieldset>
  );
}

/** What to do about an engine that is not there: a command to copy, where one brings it. */
function MissingEngine({ engine: { advice, install } }: { readonly engine: EngineView }): ReactNode {
  if (install === undefined) return advice ?? t("Not available on this machine.");
  return (
    <>
      {rich("Not installed. On the server, run: {code}", {
        code: (
          <code className="mt-1 flex items-center gap-1 break-words">
            {install}
            <CopyButton text={install} label={t("Copy command")} />
          </code>
        ),
      })}
    </>
  );
}

export function ModelFields({ draft, change, problems }: PartProps): ReactNode {
  const mayList = useMay("provider.read");
  const providers = useProviders();
  const { data: engines } = useEngines();
  const engine = engines?.find(({ id }) => id === (draft.engine === "" ? DEFAULT_ENGINE : draft.engine));
  const usual = providers?.find(({ is_default }) => is_default);
  const provider = draft.provider === "" ? usual : providers?.find(({ id }) => id === draft.provider);
  return (
    <>
      <Field label={t("Provider")} error={problems.provider} hint={provider?.message}>
        {(ids) =>
          mayList ? (
            <Select {...ids} value={draft.provider} onChange={(event) => change({ provider: event.target.value })}>
              <option value="">
                {usual === undefined ? t("The server’s default") : t("Default: {id}", { id: usual.id })}
              </option>
              {providers?.map((one) => (
                <option key={one.id} value={one.id} disabled={unfit(one, engine) !== undefined}>
                  {[one.id, unfit(one, engine)].filter((text) => text !== undefined).join(" — ")}
                </option>
              ))}
            </Select>
          ) : (
            <Input
              {...ids}
              value={draft.provider}
              placeholder={t("The server’s default")}
              onChange={(event) => change({ provider: event.target.value })}
            />
          )
        }
      </Field>
      <ModelField draft={draft} change={change} problems={problems} provider={provider} />
    </>
  );
}

/** Why a provider cannot be chosen; absent: it can. */
function unfit(provider: ProviderView, engine: EngineView | undefined): string | undefined {
  const wires = engine?.wires ?? [];
  if (wires.length > 0 && !provider.wires.some((wire) => wires.includes(wire)))
    return t("not supported by this engine");
  return provider.credential === "missing" ? t("no key") : undefined;
}

function ModelField({
  draft,
  change,
  problems,
  provider,
}: PartProps & { readonly provider: ProviderView | undefined }): ReactNode {
  const mayList = useMay("provider.read");
  const list = useModelList(provider?.id ?? "", draft.profile);
  const usual = provider?.default_model ?? "";
  const chosen = list.data?.models.find(({ model }) => model === (draft.model === "" ? usual : draft.model));
  const placeholder = usual === "" ? t("Enter a model name") : usual;
  return (
    <Field label={t("Model")} error={problems.model} hint={chosen === undefined ? undefined : modelFacts(chosen)}>
      {(ids) =>
        mayList ? (
          <ModelPicker
            ids={ids}
            value={draft.model}
            placeholder={placeholder}
            list={list}
            onChange={(model) => change({ model })}
          />
        ) : (
          <Input
            {...ids}
            value={draft.model}
            maxLength={200}
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            placeholder={placeholder}
            onChange={(event) => change({ model: event.target.value })}
          />
        )
      }
    </Field>
  );
}
