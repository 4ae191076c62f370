import type { ReactNode } from "react";
import type { CommandPart, Preview } from "../../../protocol/index.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Badge, Note } from "../../ui/states.tsx";
import { duration } from "../../ui/words.tsx";
import { visible, visibleCommand } from "../../ui/visible.ts";
import { plural, rich, t } from "../../ui/language/t.ts";

type ShownCommand = Extract<Preview, { type: "command" }>;

/** The whole line, nothing cut, and each of its commands as it will really run. */
export function CommandPreview({ preview }: { readonly preview: ShownCommand }): ReactNode {
  const { command, description, cwd, timeout_ms, background, parts, parse_error } = preview;
  return (
    <div className="space-y-3">
      {description !== undefined && description !== "" && (
        <p className="text-sm text-soft">
          {rich("The agent says: {description}", { description: <q className="text-ink">{visible(description)}</q> })}
        </p>
      )}
      <div className="flex items-start gap-1 rounded-lg border bg-paper">
        <pre className="min-w-0 flex-1 p-3 text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
          {visibleCommand(command)}
        </pre>
        <CopyButton text={command} label={t("Copy the command")} />
      </div>
      <dl className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
        <Fact name={t("in")}>
          <code className="break-all">{visibleCommand(cwd)}</code>
        </Fact>
        <Fact name={t("timeout")}>{duration(timeout_ms)}</Fact>
        {background && <Fact name={t("runs")}>{t("in the background")}</Fact>}
      </dl>
      {parse_error !== undefined && (
        <Note tone="bad">
          {t("This command could not be parsed, so its effects are unknown: {parse_error}", {
            parse_error: visible(parse_error),
          })}
        </Note>
      )}
      {parts.length > 0 && (
        <section aria-label={t("What it runs")}>
          <h3 className="mb-1.5 text-sm font-medium">
            {plural({ one: "Runs {count} command", other: "Runs {count} commands" }, { count: parts.length })}
          </h3>
          <ol className="divide-y rounded-lg border">
            {parts.map((part, index) => (
              <Part key={index} part={part} />
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="flex gap-1.5">
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}

function Part({ part }: { readonly part: CommandPart }): ReactNode {
  const { program, resolved, wrappers, argv, assignments, redirects, paths, hosts } = part;
  return (
    <li className="space-y-1.5 px-3 py-2 text-sm">
      <p className="flex flex-wrap items-center gap-1.5">
        {wrappers.map((wrapper, index) => (
          <Badge key={index} tone={wrapper === "sudo" ? "bad" : "warn"}>
            {visibleCommand(wrapper)}
          </Badge>
        ))}
        <code className="font-semibold">{program === "" ? t("known only at run time") : visibleCommand(program)}</code>
        {resolved === undefined ? (
          <span className="text-xs text-faint">{t("built in, or not found")}</span>
        ) : (
          <code className="text-xs break-all text-faint">{visibleCommand(resolved)}</code>
        )}
      </p>
      <Words label={t("arguments")} words={argv} />
      <Words label={t("variables")} words={assignments} />
      <Words label={t("redirects")} words={redirects.map(({ operator, target }) => `${operator} ${target}`)} />
      {paths.length > 0 && (
        <Line label={t("paths")}>
          {paths.map(({ word, path, inside }, index) => (
            <span key={index} className="inline-flex flex-wrap items-center gap-1" title={visibleCommand(word)}>
              <code className="break-all">{visibleCommand(path)}</code>
              <Badge tone={inside ? "plain" : "bad"}>{inside ? t("inside") : t("outside the workspace")}</Badge>
            </span>
          ))}
        </Line>
      )}
      {hosts.length > 0 && (
        <Line label={t("hosts")}>
          {hosts.map((host, index) => (
            <Badge key={index} tone="warn" className="font-mono whitespace-normal break-all">
              {visible(host)}
            </Badge>
          ))}
        </Line>
      )}
    </li>
  );
}

function Words({ label, words }: { readonly label: string; readonly words: readonly string[] }): ReactNode {
  if (words.length === 0) return null;
  return (
    <Line label={label}>
      {words.map((word, index) => (
        <code key={index} className="rounded border bg-paper px-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
          {word === "" ? "''" : visibleCommand(word)}
        </code>
      ))}
    </Line>
  );
}

function Line({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="grid grid-cols-[4.5rem_1fr] gap-2 text-[0.8rem]">
      <span className="text-faint">{label}</span>
      <span className="flex min-w-0 flex-wrap gap-1">{children}</span>
    </div>
  );
}
