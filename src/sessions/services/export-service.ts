import { dollars, LIMITS, type ExportFormat, type SessionView } from "../../protocol/index.ts";
import { authorize, authorizeFor, type Caller } from "../access/access.ts";
import { history } from "../core/journal.ts";
import type { Session } from "../core/session.ts";
import { view } from "../core/state.ts";
import type { Dependencies } from "../dependencies.ts";
import { exportedTurns, type ExportChoice } from "../exports/exported.ts";
import { htmlOf } from "../exports/html.ts";
import { jsonOf } from "../exports/json.ts";
import { markdownOf, type ExportHead } from "../exports/markdown.ts";
import type { Registry } from "../lifecycle/registry.ts";

const TYPES: Readonly<Record<ExportFormat, { readonly type: string; readonly extension: string }>> = {
  markdown: { type: "text/markdown; charset=utf-8", extension: "md" },
  html: { type: "text/html; charset=utf-8", extension: "html" },
  json: { type: "application/json; charset=utf-8", extension: "json" },
};

/** A file that is made while it is read. */
export interface ExportedFile {
  readonly type: string;
  readonly name: string;
  readonly chunks: AsyncGenerator<string>;
}

/** Exports sessions as files. */
export class ExportService {
  readonly #dependencies: Dependencies;
  readonly #registry: Registry;

  constructor(dependencies: Dependencies, registry: Registry) {
    this.#dependencies = dependencies;
    this.#registry = registry;
  }

  /** Everything that is on the disk now. */
  async export(caller: Caller, id: string, format: ExportFormat): Promise<ExportedFile> {
    authorize(caller, "session.read");
    const session = await this.#registry.get(id);
    authorizeFor(caller, "session.read", { state: session.state, what: `session ${id}` });
    await session.settled();
    const { type, extension } = TYPES[format];
    const { redact } = this.#dependencies;
    const choice = { tools: true, thoughts: true, costs: true, people: true, clean: redact };
    const chunks = this.#chunks(session, { format, choice, upto: session.stream.publishedSeq });
    return { type, name: `${id}.${extension}`, chunks };
  }

  /** As shown to readers of a share link. */
  html(session: Session, choice: ExportChoice, upto: number): AsyncGenerator<string> {
    return this.#chunks(session, { format: "html", choice, upto });
  }

  #chunks(
    { state }: Session,
    { format, choice, upto }: { readonly format: ExportFormat; readonly choice: ExportChoice; readonly upto: number },
  ): AsyncGenerator<string> {
    const events = history(this.#dependencies.store.read, state, upto);
    if (format === "json") return jsonOf(view(state), events);
    const head = headOf(view(state), choice);
    const turns = exportedTurns(events, choice);
    return format === "markdown" ? markdownOf(head, turns) : htmlOf(head, turns);
  }
}

function headOf(
  { title, settings, created_at, created_by, cost_microusd }: SessionView,
  { clean, people, costs }: ExportChoice,
): ExportHead {
  const { engine, model, provider, workspace } = settings;
  const name = clean(title.split("\n")[0] ?? "").slice(0, LIMITS.exportAboutChars);
  return {
    title: name === "" ? "Untitled session" : name,
    facts: [
      `Engine: ${engine}, model: ${model} (${provider})`,
      `Started: ${created_at}${people ? ` by ${created_by.name}` : ""}`,
      ...(people ? [`Workspace: ${clean(workspace)}`] : []),
      ...(costs === true && cost_microusd > 0 ? [`Spent: ${dollars(cost_microusd)}`] : []),
    ],
  };
}
