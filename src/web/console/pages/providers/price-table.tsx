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

const STEP = 25;
const FROM: Readonly<Record<PricedModel["from"], string>> = {
  settings: "sallyport.yaml",
  free: "free",
  shipped: "ships",
  owner: "its owner",
};

const COLUMNS: readonly TableColumn<PricedModel>[] = [
  {
    label: "Model",
    heading: true,
    cell: ({ provider, model, price }) => (
      <>
        <span className="text-soft">{provider === "*" ? "" : `${provider}/`}</span>
        {model}
        {price.tiers !== undefined && (
          <span className="ml-2">
            <Badge>dearer above {price.tiers[0]?.above.toLocaleString("en-US")}</Badge>
          </span>
        )}
      </>
    ),
  },
  { label: "Input", figure: true, cell: ({ price }) => rate(price.input) },
  { label: "Output", figure: true, cell: ({ price }) => rate(price.output) },
  { label: "Cache read", figure: true, cell: ({ price }) => rate(price.cache_read ?? price.input) },
  { label: "Cache write", figure: true, cell: ({ price }) => rate(price.cache_write ?? price.input) },
  { label: "From", cell: ({ from }) => <span className="text-soft">{FROM[from]}</span> },
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
      title="Prices"
      actions={
        <Input
          type="search"
          aria-label="Search models"
          placeholder="Search models"
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
        Dollars per million tokens. A model without a price is refused; an admin sets one with{" "}
        <code className="text-xs">sallyport price set "my-model*" --input 1.00 --output 4.00</code>.
      </p>
      {prices.isPending && <Skeleton className="h-96" />}
      {prices.error !== null && (
        <Trouble title="Can’t load the prices" error={prices.error} onRetry={() => void prices.refetch()} />
      )}
      {prices.data !== undefined && (
        <>
          <p role="status" className="sr-only">
            {found.length} prices
          </p>
          {found.length === 0 ? (
            <p className="py-6 text-center text-sm text-soft">No model with this name has a price.</p>
          ) : (
            <DataTable
              label="Prices"
              columns={COLUMNS}
              rows={found.slice(0, shown)}
              keyOf={({ provider, model }) => `${provider}/${model}`}
            />
          )}
          {found.length > shown && (
            <Button variant="quiet" size="small" className="mt-3" onClick={() => setShown(shown + STEP * 4)}>
              Show more ({found.length - shown} left)
            </Button>
          )}
        </>
      )}
    </Section>
  );
}
