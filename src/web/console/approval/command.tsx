import type { ReactNode } from "react";
import type { CommandPart, Preview } from "../../../protocol/index.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Badge, Note } from "../../ui/states.tsx";
import { duration } from "../../ui/words.tsx";
import { visible, visibleCommand } from "../../ui/visible.ts";

type ShownCommand = Extract<Preview, { type: "command" }>;

/** The whole line, nothing cut, and each of its commands as it will really run. */
export function CommandPreview({ preview }: { readonly preview: ShownCommand }): ReactNode {
  const { command, description, cwd, timeout_ms, background, parts, parse_error } = preview;
  return (
    <div className="space-y-3">
      {description !== undefined && description !== "" && (
        <p className="text-sm text-soft">
          The agent says: <q className="text-ink">{visible(description)}</q>
        </p>
      )}
      <div className="flex items-start gap-1 rounded-lg border bg-paper">
        <pre className="min-w-0 flex-1 p-3 text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
          {visibleCommand(command)}
        </pre>
        <CopyButton text={command} label="Copy the command" />
      </div>
      <dl className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
        <Fact name="in">
          <code className="break-all">{visibleCommand(cwd)}</code>
        </Fact>
        <Fact name="timeout">{duration(timeout_ms)}</Fact>
        {background && <Fact name="runs">in the background</Fact>}
      </dl>
      {parse_error !== undefined && (
        <Note tone="bad">This command could not be parsed, so its effects are unknown: {visible(parse_error)}</Note>
      )}
      {parts.length > 0 && (
        <section aria-label="What it runs">
          <h3 className="mb-1.5 text-sm font-medium">
            {parts.length === 1 ? "Runs 1 command" : `Runs ${parts.length} commands`}
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
        <code className="font-semibold">{program === "" ? "known only at run time" : visibleCommand(program)}</code>
        <span className="text-xs break-all text-faint">
          {resolved === undefined ? "built in, or not found" : visibleCommand(resolved)}
        </span>
      </p>
      <Words label="arguments" words={argv} />
      <Words label="variables" words={assignments} />
      <Words label="redirects" words={redirects.map(({ operator, target }) => `${operator} ${target}`)} />
      {paths.length > 0 && (
        <Line label="paths">
          {paths.map(({ word, path, inside }, index) => (
            <span key={index} className="inline-flex flex-wrap items-center gap-1" title={visibleCommand(word)}>
              <code className="break-all">{visibleCommand(path)}</code>
              <Badge tone={inside ? "plain" : "bad"}>{inside ? "inside" : "outside the workspace"}</Badge>
            </span>
          ))}
        </Line>
      )}
      {hosts.length > 0 && (
        <Line label="hosts">
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
