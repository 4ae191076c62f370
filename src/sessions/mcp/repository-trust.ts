import { createHash } from "node:crypto";
import { LIMITS, REPOSITORY_TOOL, textWarnings, type McpServers, type PrincipalRef } from "../../protocol/index.ts";
import type { RepositorySettings } from "../../instructions/index.ts";
import type { Session } from "../core/session.ts";
import { presentProfile } from "../permission/effective-profile.ts";
import { askInTurn } from "../permission/turn-question.ts";

/** The programs of a repository that a person approved, exactly as they are. */
interface ApprovedPrograms {
  readonly programs: string;
  /** Of the person. */
  readonly role: PrincipalRef["role"];
}

/** Whether a session may use the programs that its repository names: MCP servers and hooks. Asked again when one of them changes. */
export class RepositoryTrust {
  readonly #session: Session;
  #approved: ApprovedPrograms | undefined;
  /** What a person refused in this session. */
  #refused: string | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Of the programs as they are now; undefined: they may not be used. */
  get approved(): ApprovedPrograms | undefined {
    const { programs } = this.#repository;
    const isPresent = programs !== "" && this.#approved?.programs === programs && this.#isPossible;
    return isPresent ? this.#approved : undefined;
  }

  /** A turn begins: a person is asked about programs that nobody approved yet. The turn waits for the answer. */
  async settle(signal: AbortSignal): Promise<void> {
    const { programs } = this.#repository;
    if (programs === "" || !this.#isPossible) return;
    if (this.#approved?.programs === programs || this.#refused === programs) return;
    const role = await this.#storedRole(programs);
    if (role !== undefined) this.#approved = { programs, role };
    else await this.#ask(programs, signal);
  }

  get #repository(): RepositorySettings {
    return this.#session.instructions.current.repository;
  }

  get #isPossible(): boolean {
    const { dependencies, state } = this.#session;
    const profile = presentProfile(dependencies.policy(), state);
    return profile !== undefined && profile.repository_programs !== "off" && state.created_by.role !== "visitor";
  }

  /** The repository, whichever worktree or snapshot of it the session has. */
  get #place(): string {
    const { source, workspace } = this.#session.state.settings;
    return source ?? workspace;
  }

  async #storedRole(programs: string): Promise<PrincipalRef["role"] | undefined> {
    const { read } = this.#session.dependencies.store;
    const rows = await read.documents({ name: documentName(this.#place), limit: LIMITS.repositoryApprovals });
    return rows.find(({ body }) => body === programs)?.by.role;
  }

  async #ask(programs: string, signal: AbortSignal): Promise<void> {
    const { servers, hooks } = this.#repository;
    const input = { repository: this.#place, programs, mcp_servers: shownServers(servers), hooks };
    const counts = [counted(Object.keys(servers).length, "MCP server"), counted(hooks.length, "hook")];
    const answer = await askInTurn(
      this.#session,
      {
        tool: REPOSITORY_TOOL,
        tier: "execute",
        input,
        preview: { type: "generic", summary: `${this.#place} wants to run ${counts.flat().join(" and ")}.` },
        warnings: textWarnings("What would run", JSON.stringify([servers, hooks]), "command")
          .slice(0, LIMITS.warningsPerCommand)
          .map((message) => ({ kind: "dangerous", message })),
        reason:
          "Programs that a repository names run only after a person approved exactly them. They are asked about again when they change.",
        mostMs: LIMITS.mcpQuestionMs,
      },
      signal,
    );
    if (answer?.outcome === "approved") {
      await this.#keep(programs, answer.by);
      this.#approved = { programs, role: answer.by.role };
    } else if (answer !== undefined) this.#refused = programs;
  }

  async #keep(programs: string, { id, name, role }: PrincipalRef): Promise<void> {
    const { clock, store } = this.#session.dependencies;
    const at = new Date(clock.now()).toISOString();
    await store.commit({
      documents: [
        {
          name: documentName(this.#place),
          at,
          by: { id, name, role },
          body: programs,
          keep: LIMITS.repositoryApprovals,
        },
      ],
    });
  }
}

function documentName(place: string): string {
  return `repository-programs:${createHash("sha256").update(place).digest("hex")}`;
}

function counted(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${what}${count === 1 ? "" : "s"}`];
}

const SECRET_NAME = /KEY|TOKEN|SECRET|PASS|AUTH|CREDENTIAL|COOKIE/i;

/** All of them, except for values that look like secrets: a variable of the settings is shown by its name. */
function shownServers(servers: McpServers): McpServers {
  const shown = (texts: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(
      Object.entries(texts).map(([name, value]) => [
        name,
        SECRET_NAME.test(name) && !value.includes("${") ? "(a value that is not shown)" : value,
      ]),
    );
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      if ("env" in server && server.env !== undefined) return [name, { ...server, env: shown(server.env) }];
      if ("headers" in server && server.headers !== undefined)
        return [name, { ...server, headers: shown(server.headers) }];
      return [name, server];
    }),
  );
}
