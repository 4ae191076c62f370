import type { Table } from "../../data/table.ts";
import { checkLook, wholeLook } from "../look.ts";
import type { Look, ViewerDefinition } from "../viewer.ts";

/** What a viewer inside another one looks like: no selectors, no legend, no title of its own. */
export function innerLook(definition: ViewerDefinition, table: Table, set: Look): Look {
  // The outer viewer says which rows there are.
  const plain: Record<string, unknown> = {
    legendVisibility: "Never",
    rowSource: "All",
    title: undefined,
    description: undefined,
  };
  for (const { name, type } of definition.properties)
    if (type === "bool" && /Selectors?$/.test(name)) plain[name] = false;
  return { ...wholeLook(definition, table, set), ...plain };
}

/** The properties of inner viewers from their JSON text; those that do not fit are left out one by one. */
export function parseInner(definition: ViewerDefinition, table: Table, text: string | undefined): Look {
  if (text === undefined) return {};
  const parsed = safely(() => JSON.parse(text) as unknown);
  if (typeof parsed !== "object" || parsed === null) return {};
  return Object.assign(
    {},
    ...Object.entries(parsed).map(
      ([name, value]) => safely(() => checkLook(definition, { [name]: value }, table)) ?? {},
    ),
  ) as Look;
}

function safely<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
