import type * as DG from "datagrok-api/dg";
import type * as grokApi from "datagrok-api/grok";
import type * as uiApi from "datagrok-api/ui";
import {
  Connections,
  databaseInfos,
  DataConnection,
  DataQuery,
  DockerContainers,
  FuncCall,
  Script,
  searchEntities,
} from "./dapi.ts";
import { DataFrame, demog, Viewer } from "./data.ts";
import { Events, Shell, TableView } from "./shell.ts";

/**
 * As much of Datagrok as the package uses, for a page of its own. Leaves are checked against the types of `datagrok-api`; where the
 * real API answers with one of its classes, this one answers with its own of the same name.
 */
const shell = new Shell();
const containers = new DockerContainers();
const connections = new Connections();
const hints: string[] = [];
const dialogs: string[] = [];
const usage: unknown[] = [];
/** How the person answers a dialog. */
const person = { agrees: false };

class Dialog implements Pick<DG.Dialog, "close"> {
  readonly #title: string;
  readonly #parts: string[] = [];
  #ok: () => void = () => undefined;
  #cancel: () => void = () => undefined;
  readonly onClose = shell.closed;

  constructor(title: string) {
    this.#title = title;
  }

  add(content: HTMLElement): this {
    this.#parts.push(content.textContent ?? "");
    return this;
  }

  onOK(handler: () => void): this {
    this.#ok = handler;
    return this;
  }

  onCancel(handler: () => void): this {
    this.#cancel = handler;
    return this;
  }

  show(): this {
    dialogs.push([this.#title, ...this.#parts].join(" | "));
    queueMicrotask(() => (person.agrees ? this.#ok() : this.#cancel()));
    return this;
  }

  close(): void {
    this.#cancel();
  }
}

class Package implements Pick<DG.Package, "settings"> {
  /** The administrator switched it on. */
  readonly settings: DG.Package["settings"] = { claudeRuntimeEnabled: true };
}

const grok = {
  shell,
  events: new Events(shell),
  ai: {
    config: { configured: true } satisfies Pick<typeof grokApi.ai.config, "configured">,
    searchEntities,
  },
  data: {
    testData: (name: string, rows = 100): DataFrame => {
      if (name !== ("demog" satisfies Parameters<typeof grokApi.data.testData>[0])) throw new Error(`no ${name} here`);
      return demog(rows);
    },
    db: { getInfo: async (_connection: object) => databaseInfos() },
  },
  dapi: { connections, docker: { dockerContainers: containers } },
  log: {
    debug: () => undefined,
    usage: (...said) => void usage.push(said),
  } satisfies Pick<typeof grokApi.log, "debug" | "usage">,
};

const ui = {
  iconFA: (name, handler, tooltip) => {
    const icon = document.createElement("i");
    icon.className = `grok-icon fal fa-${name}`;
    if (tooltip) icon.title = tooltip;
    if (handler) icon.addEventListener("click", handler as (event: MouseEvent) => void);
    return icon;
  },
  divText: (text) => {
    const made = document.createElement("div");
    made.textContent = text;
    return made;
  },
  dialog: (title: string) => new Dialog(title),
  hints: {
    addHintIndicator: (element, clickToClose, autoClose) => {
      hints.push(`${element.className} ${clickToClose} ${autoClose}`);
      return element;
    },
  } satisfies Pick<typeof uiApi.hints, "addHintIndicator">,
} satisfies Pick<typeof uiApi, "iconFA" | "divText"> & Record<"dialog" | "hints", unknown>;

const DGStandIn = {
  Package,
  TableView,
  DataFrame,
  Viewer,
  DataQuery,
  Script,
  DataConnection,
  FuncCall,
  VIEW_TYPE: { TABLE_VIEW: "TableView" as DG.VIEW_TYPE.TABLE_VIEW },
  DOCK_TYPE: { RIGHT: "right" as DG.DOCK_TYPE.RIGHT },
  Tags: { DataConnectionId: ".data-connection-id" } satisfies Pick<typeof DG.Tags, "DataConnectionId">,
  INT_NULL: -2147483648 satisfies typeof DG.INT_NULL,
  FLOAT_NULL: 2.6789344063684636e-34 satisfies typeof DG.FLOAT_NULL,
} satisfies Partial<Record<keyof typeof DG, unknown>>;

Object.assign(globalThis, {
  grok,
  ui,
  DG: DGStandIn,
  standIn: { shell, containers, connections, hints, dialogs, usage, person },
});
