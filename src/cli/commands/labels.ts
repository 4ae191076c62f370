import type { Command } from "commander";
import { defined, type LabelSession } from "../../protocol/index.ts";
import { print, withServer, type CommandContext } from "../context.ts";
import { visible } from "../terminal/visible.ts";

interface LabelOptions {
  readonly title?: string;
  readonly tag?: string[];
  readonly untag?: boolean;
  readonly archive?: boolean;
  readonly unarchive?: boolean;
}

/** `sallyport sessions label`: what people call a session and where they put it. */
export function addLabels(sessions: Command, context: CommandContext): void {
  sessions
    .command("label")
    .description("name a session, tag it, or put it into the archive; also one that has ended")
    .argument("<session>")
    .option("--title <words>", 'its name; "" is that of its first prompt')
    .option("--tag <tag...>", "its tags, instead of those that it has")
    .option("--untag", "no tags any more")
    .option("--archive", "leave it out of the console's lists; it goes on")
    .option("--unarchive", "take it back")
    .addHelpText(
      "after",
      '\nExample:\n  $ sallyport sessions label ses_01jqk3v7w8x9y2z3a4b5c6 --title "Parser" --tag work',
    )
    .action(async (id: string, options: LabelOptions, command: Command) => {
      const { title, tag, untag, archive, unarchive } = options;
      if (archive === true && unarchive === true) command.error("error: --archive and --unarchive do not go together");
      if (tag !== undefined && untag === true) command.error("error: --tag and --untag do not go together");
      const archived = archive === true ? true : unarchive === true ? false : undefined;
      const label: LabelSession = defined({ title, tags: untag === true ? [] : tag, archived });
      if (Object.keys(label).length === 0) command.error("error: say what to change: --title, --tag, --archive");
      await withServer(context, command, async ({ client }) => {
        const { title: name, tags = [], archived: isArchived } = await client.inbox.label(id, label);
        const words = [visible(name), tags.map(visible).join(" "), isArchived === true ? "archived" : ""];
        print(context, words.filter((word) => word !== "").join(" · "));
      });
    });
}
