import type { OpenViewerInfo, TableViewHost } from "./hosts.ts";

type SetProperties = Readonly<Record<string, unknown>>;

/** Every viewer has them, and they say nothing about what it shows. */
const COMMON_PROPERTIES: ReadonlySet<string> = new Set(["rowSource", "filter", "table"]);

/** Document 000's tools for the view of one table. The texts are those that models know. */
export class TableViewContext {
  readonly #host: TableViewHost;

  constructor(host: TableViewHost) {
    this.#host = host;
  }

  async addViewer(viewerType: string, viewerProperties: SetProperties): Promise<string> {
    return `Added viewer with ID: ${await this.#host.addViewer(viewerType, viewerProperties)}`;
  }

  async describeViewer(viewerType: string): Promise<string> {
    try {
      const lines = (await this.#host.properties(viewerType))
        .filter(({ name }) => !COMMON_PROPERTIES.has(name))
        .map(({ name, type, description }) => `${name} - ${type} - (${filled(description) ?? "No Description"})\n`);
      return `Viewer properties for ${viewerType}:\n\n${lines.join("")}`;
    } catch (error) {
      return `Error describing viewer ${viewerType}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  listCurrentViewers(): string {
    const viewers = this.#host.viewers();
    if (viewers.length === 0) return "No viewers currently added.";
    const lines = viewers.map(
      (viewer) => `- ID: ${viewer.id}, Type: ${viewer.type}\n Configured Properties:\n${lookOf(viewer)}`,
    );
    return `Currently added viewers:\n\n${lines.join("\n\n")}`;
  }

  async adjustViewer(viewerId: string, viewerProperties: SetProperties): Promise<string> {
    if (await this.#host.adjustViewer(viewerId, viewerProperties)) return `Adjusted viewer ${viewerId}`;
    return `Viewer with ID ${viewerId} not found. Please add a new viewer instead.`;
  }

  findViewersByType(viewerType: string): string {
    const viewers = this.#host.viewers().filter(({ type }) => type === viewerType);
    if (viewers.length === 0) return `No viewers of type ${viewerType} found.`;
    const lines = viewers.map((viewer) => `- ID: ${viewer.id} \n Configured Properties: \n${lookOf(viewer)}`);
    return `Found viewers of type ${viewerType}: \n\n${lines.join("\n\n")}`;
  }

  getAvailableViewers(): string {
    const types = this.#host.viewerTypes().join(", ");
    return `## Available Viewer Types:\n\n${types}\n\nUse describe_viewer to get detailed information about any viewer type.`;
  }

  /** Null: it is shown. */
  async highlightElement(elementId: string, description: string): Promise<string | null> {
    const known = this.#host.elementIds?.() ?? this.#host.elements().map(({ id }) => id);
    const id = known.find((candidate) => candidate.toLowerCase() === elementId.toLowerCase());
    const outcome = id === undefined ? "hidden" : await this.#host.highlight(id, description);
    switch (outcome) {
      case "shown":
        return null;
      case "hidden":
        return `Element with ID ${elementId} not found or cannot be highlighted.`;
      case "missing":
        return `Element with ID ${elementId} not found in the current UI.`;
    }
  }

  listUIElements(): string {
    const lines = this.#host.elements().map(({ id, description }) => `- **${id}**: ${description}\n`);
    return `Available UI elements:\n\n${lines.join("")}`;
  }

  /** The table's description for a first prompt. */
  getTableDescription(): string {
    const columns = this.#host.columns();
    const lines = columns.map(({ name, type, semType, units, categories }) =>
      [
        `- **${name}** (${type})`,
        filled(semType) === undefined ? "" : ` - semType: ${semType}`,
        filled(units) === undefined ? "" : ` - units: ${units}`,
        categories === undefined ? "" : ` - categorical (${categories} categories)`,
        "\n",
      ].join(""),
    );
    return `## Current Table: ${this.#host.tableName}\n\n**${columns.length} Columns:**\n${lines.join("")}`;
  }
}

function lookOf({ look }: OpenViewerInfo): string {
  return `\`\`\`json\n${JSON.stringify(look, null, 2)}\n\`\`\``;
}

function filled(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
