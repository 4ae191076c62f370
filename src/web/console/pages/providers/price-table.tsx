import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState, type ReactNode } from "react";
import type { PricedModel } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { DataTable, type TableColumn } from "../../../ui/data-table.tsx";
import { Input } from "../../../ui/field.tsx";
import { Section } from "../../../ui/page.tsx";
import { Badge, Skeleton, Trouble } from "../../../ui/states.tsx";
import { matching, rate } from "./prices.ts";
import { plural, rich, t } from "../../../ui/language/t.ts";

const STEP = 25;
const FROM: Readonly<Record<PricedModel["from"], string>> = {
  settings: "sallyport.yaml",
  free: "free",
  shipped: "ships",
  owner: t("its owner"),
};

const COLUMNS: readonly TableColumn<PricedModel>[] = [
  {
    label: t("Model"),
    heading: true,
    cell: ({ provider, model, price }) => (
      <>
        <span className="text-soft">{provider === "*" ? "" : `${provider}/`}</span>
        {model}
        {price.tiers !== undefined && (
          <span className="ms-2">
            <Badge>{t("dearer above {tokens}", { tokens: price.tiers[0]?.above ?? 0 })}</Badge>
          </span>
        )}
      </>
    ),
  },
  { label: t("Input"), figure: true, cell: ({ price }) => rate(price.input) },
  { label: t("Output"), figure: true, cell: ({ price }) => rate(price.output) },
  { label: t("Cache read"), figure: true, cell: ({ price }) => rate(price.cache_read ?? price.input) },
  { label: t("Cache write"), figure: true, cell: ({ price }) => rate(price.cache_write ?? price.input) },
  { label: t("From"), cell: ({ from }) => <span className="text-soft">{FROM[from]}</span> },
];

/** What models cost, in dollars per million tokens. */
export function PriceTable(): ReactNode {
  const { client } = useConnection();
  const prices = useQuery({ queryKey: ["prices"], queryFn: () => client.prices() });
  const [query, setQuery] = useState("");
  const [shown, setShown] = useState(STEP);
  const wanted = useDeferredValue(query);
  const found = matching(prices.data?.prices ?? [], wanted);
  return (
    <Section
      title={t("Prices")}
      actions={
        <Input
          type="search"
          aria-label={t("Search models")}
          placeholder={t("Search models")}
          className="md:w-60"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setShown(STEP);
          }}
        />
      }
    >
      <p className="mb-3 text-sm text-soft">
        {rich("Dollars per million tokens. A model without a price is refused; an admin sets one with {code}.", {
          code: <code className="text-xs">sallyport price set "my-model*" --input 1.00 --output 4.00</code>,
        })}
      </p>
      {prices.isPending && <Skeleton className="h-96" />}
      {prices.error !== null && (
        <Trouble title={t("Can’t load the prices")} error={prices.error} onRetry={() => void prices.refetch()} />
      )}
      {prices.data !== undefined && (
        <>
          <p role="status" className="sr-only">
            {plural({ one: "{count} price", other: "{count} prices" }, { count: found.length })}
          </p>
          {found.length === 0 ? (
            <p className="py-6 text-center text-sm text-soft">{t("No model with this name has a price.")}</p>
          ) : (
            <DataTable
              label={t("Prices")}
              columns={COLUMNS}
              rows={found.slice(0, shown)}
              keyOf={({ provider, model }) => `${provider}/${model}`}
            />
          )}
          {found.length > shown && (
            <Button variant="quiet" size="small" className="mt-3" onClick={() => setShown(shown + STEP * 4)}>
              {plural(
                { one: "Show more ({count} left)", other: "Show more ({count} left)" },
                { count: found.length - shown },
              )}
            </Button>
          )}
        </>
      )}
    </Section>
  );
}
