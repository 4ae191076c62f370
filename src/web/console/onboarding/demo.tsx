import { useQuery } from "@tanstack/react-query";
import { FilePlus2, FolderSearch, SquareTerminal, type LucideIcon } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import { useConnection, useMay } from "../../ui/app/connection.tsx";
import { useStart } from "../pages/new/data.ts";
import { EMPTY } from "../pages/new/draft.ts";
import { classes } from "../../ui/classes.ts";
import { useSeen } from "./seen.ts";
import { rich, t } from "../../ui/language/t.ts";

/** Whether sessions use the demo model because there is no key. Absent: not known yet. */
export function useDemo(): boolean | undefined {
  const { client } = useConnection();
  const { data, isFetched } = useQuery({ queryKey: ["health"], queryFn: () => client.health() });
  const before = useSeen((seen) => seen.demo);
  useEffect(() => {
    if (data !== undefined) useSeen.setState({ demo: data.demo });
  }, [data]);
  // Once it was asked in vain it stays known: who asks again must not take away what asks.
  return data?.demo ?? before ?? (isFetched ? false : undefined);
}

/** The demo model understands each of them (docs/user/sim.md). */
const EXAMPLES: readonly { readonly prompt: string; readonly shows: string; readonly icon: LucideIcon }[] = [
  { prompt: "Create hello.txt with content Hello world", shows: t("Shows an edit you approve"), icon: FilePlus2 },
  { prompt: "Run ls -la > files.txt", shows: t("Shows a command, explained"), icon: SquareTerminal },
  {
    prompt: "Create notes.md with content one, then read it",
    shows: t("Shows two steps"),
    icon: FolderSearch,
  },
];

/** Three prompts, each of which starts a session at once. */
export function Examples({ brief = false }: { readonly brief?: boolean }): ReactNode {
  const starting = useStart();
  if (!useMay("session.create")) return undefined;
  const [problem] = Object.values(starting.problems);
  const pick = (prompt: string): void => {
    if (!starting.busy) starting.start({ ...EMPTY, prompt }, []);
  };
  return (
    <>
      <ul aria-busy={starting.busy} className={brief ? "flex flex-wrap gap-2" : "grid gap-2 sm:grid-cols-3"}>
        {EXAMPLES.map(({ prompt, shows, icon: Icon }) => (
          <li key={prompt} className="flex">
            <button
              type="button"
              onClick={() => pick(prompt)}
              className={classes(
                "flex w-full items-start gap-2.5 rounded-lg border bg-raised text-start text-ink hover:bg-sunken",
                brief ? "px-2.5 py-1.5" : "p-2.5",
              )}
            >
              <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
              <span>
                {prompt}
                {!brief && <span className="block text-xs text-faint">{shows}</span>}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p role="alert" className="mt-2 text-sm text-bad empty:hidden">
        {problem}
      </p>
    </>
  );
}

export function AddKey(): ReactNode {
  return (
    <p>
      {rich(
        "For a real model set {variable} and start the server again, or name another provider and its key in {file}; {command} says whether it works. More in {docs}.",
        {
          variable: <Code>ANTHROPIC_API_KEY</Code>,
          file: <Code>sallyport.yaml</Code>,
          command: <Code>sallyport provider test</Code>,
          docs: <Code>docs/operations/providers.md</Code>,
        },
      )}
    </p>
  );
}

function Code({ children }: { readonly children: string }): ReactNode {
  return <code className="rounded bg-sunken px-1 py-0.5 text-[0.85em] break-words text-ink">{children}</code>;
}
