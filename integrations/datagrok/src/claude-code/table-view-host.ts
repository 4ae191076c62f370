import * as DG from "datagrok-api/dg";
import * as grok from "datagrok-api/grok";
import * as ui from "datagrok-api/ui";
import type { OpenViewerInfo, TableColumnInfo, TableViewHost, UiElement, ViewerProperty } from "sallyport/contexts";

/** A viewer's name for the model, in a tag of the viewer, so that it stays for as long as the viewer does. */
const IDENTIFIER_TAG = "AI-generated-identifier";
/** How long an element is pointed at, ms. */
const HINT_MS = 15_000;
/** Rows of the table on which a type of viewer is made to see its properties. */
const DUMMY_ROWS = 100;

type Look = Readonly<Record<string, unknown>>;

interface Highlightable extends UiElement {
  readonly selector: string;
}

const TOP_MENUS = ["Select", "Edit", "View", "Data", "ML", "Bio", "Chem"] as const;

const ELEMENTS: readonly Highlightable[] = [
  {
    id: "Toggle filters button",
    description: "Shows or hides the filters of the table",
    selector: "div.d4-ribbon .grok-icon.grok-icon-filter",
  },
  {
    id: "Add viewer button",
    description: "Opens the list of all viewers, to add one",
    selector: "div.d4-ribbon .grok-icon.svg-icon.svg-add-viewer",
  },
  {
    id: "Download button",
    description: "Saves the table as a file, in one of several formats",
    selector: "div.d4-ribbon .grok-icon.fal.fa-arrow-to-bottom",
  },
  {
    id: "Add new column button",
    description: "Adds a column to the table, from a formula or another source",
    selector: "div.d4-ribbon .grok-icon.svg-icon.svg-add-new-column",
  },
  ...TOP_MENUS.map((name) => ({
    id: `${name} top menu`,
    description: `Top menu item: "${name}" containing relevant functions `,
    selector: `div.d4-ribbon [name="div-${name}"]`,
  })),
];

/** A table view of the platform, as the tools see it. */
export class DatagrokTableView implements TableViewHost {
  readonly #view: DG.TableView;
  #dummy: DG.DataFrame | undefined;
  readonly #properties = new Map<string, readonly ViewerProperty[]>();

  constructor(view: DG.TableView) {
    this.#view = view;
  }

  get tableName(): string {
    return this.#view.dataFrame.name;
  }

  columns(): readonly TableColumnInfo[] {
    return this.#view.dataFrame.columns.toList().map((column) => ({
      name: column.name,
      type: column.type,
      semType: column.semType ?? undefined,
      units: column.meta.units ?? undefined,
      categories: column.isCategorical ? column.categories.length : undefined,
    }));
  }

  viewerTypes(): readonly string[] {
    return DG.Viewer.CORE_VIEWER_TYPES;
  }

  properties(viewerType: string): readonly ViewerProperty[] {
    const known = this.#properties.get(viewerType);
    if (known !== undefined) return known;
    this.#dummy ??= grok.data.testData("demog", DUMMY_ROWS);
    const properties = DG.Viewer.fromType(viewerType, this.#dummy)
      .getProperties()
      .map(({ name, type, description }) => ({ name, type, description: description ?? undefined }));
    this.#properties.set(viewerType, properties);
    return properties;
  }

  viewers(): readonly OpenViewerInfo[] {
    return this.#view.viewers.map((viewer) => ({
      id: identifierOf(viewer),
      type: viewer.type,
      look: viewer.getOptions().look,
    }));
  }

  addViewer(viewerType: string, look: Look): string {
    if (!DG.Viewer.CORE_VIEWER_TYPES.includes(viewerType) && !DG.Viewer.getViewerTypes().includes(viewerType))
      throw new Error(`there is no viewer "${viewerType}"; get_available_viewers lists them`);
    return identifierOf(this.#view.addViewer(viewerType, { ...look }));
  }

  adjustViewer(viewerId: string, look: Look): boolean {
    const viewer = this.#view.viewers.find((candidate) => identifierOf(candidate) === viewerId);
    viewer?.setOptions({ ...look });
    return viewer !== undefined;
  }

  elements(): readonly UiElement[] {
    return ELEMENTS.filter(({ selector }) => document.querySelector(selector) !== null).map(({ id, description }) => ({
      id,
      description,
    }));
  }

  elementIds(): readonly string[] {
    return ELEMENTS.map(({ id }) => id);
  }

  highlight(elementId: string): "shown" | "missing" | "hidden" {
    const known = ELEMENTS.find(({ id }) => id === elementId);
    const element = known && document.querySelector(known.selector);
    if (!(element instanceof HTMLElement)) return "missing";
    if (element.getClientRects().length === 0) return "hidden";
    ui.hints.addHintIndicator(element, true, HINT_MS);
    return "shown";
  }
}

/** `viewer-xxxxxx-xxxxxx-xxxxxx`; a viewer without one, also one that the user made, gets it now. */
function identifierOf({ tags }: DG.Viewer): string {
  const map = tags as { get(name: string): unknown; set(name: string, value: string): void };
  const known = map.get(IDENTIFIER_TAG);
  if (typeof known === "string" && known !== "") return known;
  const identifier = `viewer-${[0, 1, 2].map(() => randomWord()).join("-")}`;
  map.set(IDENTIFIER_TAG, identifier);
  return identifier;
}

function randomWord(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => (byte % 36).toString(36)).join("");
}
