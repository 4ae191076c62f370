import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeInBrowser, type Visitor } from "../../support/browser.ts";
import { runScript, script } from "../../support/app.ts";
import { TEST_TOKEN } from "../../support/server.ts";
import { ALL_PAYLOADS, FILE_NAMES, PAYLOADS } from "./payloads.ts";
import { checkPage, listen, missing } from "./traces.ts";
import { asked, begin, consoleWorld, conversation, question, type ConsoleWorld } from "./world.ts";

/** A visitor whose requests and dialogs are written down. */
async function watched(world: ConsoleWorld, path: string): Promise<{ visitor: Visitor; told: string[] }> {
  const visitor = await world.visit(path);
  return { visitor, told: listen(visitor.context, [world.app.serving.url]) };
}

describeInBrowser("text that wants to be more than text", () => {
  const world = consoleWorld({ SALLYPORT_RECORD_FILES: "on" });

  test("in a model's words", async () => {
    const { session } = await runScript(world.client, { prompt: { text: script({ say: ALL_PAYLOADS }) } });
    const { visitor, told } = await watched(world, `/sessions/${session.id}`);
    const log = conversation(visitor.page);
    await log.getByText("mark31", { exact: false }).last().waitFor();
    await log.getByText("Turn ended").waitFor();
    const said = log.locator("[data-seq]").filter({ hasText: "mark0" }).last();
    await expect.poll(async () => missing(await said.textContent())).toEqual([]);
    // HTML is readable as it was written.
    await said.getByText("<script>window.__xss=1</script> mark0").first().waitFor();
    // What can be pressed leads to the web, in a window of its own that knows nothing about this one.
    const links = await said
      .getByRole("link")
      .evaluateAll((all) =>
        all.map((link) => [link.getAttribute("href"), link.getAttribute("rel"), link.getAttribute("target")]),
      );
    for (const [href, rel, target] of links)
      expect([href?.startsWith("https://evil.example/"), rel, target]).toEqual([true, "noreferrer noopener", "_blank"]);
    await checkPage(visitor, told);
  });

  test("in thoughts, in what goes into tools and comes out of them, in todo lists", async () => {
    await world.write("hostile.txt", ALL_PAYLOADS);
    const { session } = await runScript(world.client, {
      autonomy: "full",
      prompt: {
        // Beside the prompt, which would fill the window.
        text: "Go.",
        attachments: [
          {
            type: "text",
            text: script(
              { think: ALL_PAYLOADS },
              { tool: "Bash", input: { command: "cat hostile.txt", description: PAYLOADS[0] } },
              { tool: "Grep", input: { pattern: PAYLOADS[4], path: ".", ["__proto__x"]: 1 } },
              {
                tool: "TodoWrite",
                input: { todos: PAYLOADS.map((content) => ({ content, status: "pending", activeForm: content })) },
              },
              {
                tool: `Tool<img src=x onerror=window.__xss=1>`,
                input: JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'),
              },
              { say: "Over." },
            ),
          },
        ],
      },
    });
    const { visitor, told } = await watched(world, `/sessions/${session.id}`);
    const log = conversation(visitor.page);
    await log.getByText("Turn ended").waitFor();
    await log.evaluate((element) => element.scrollTo(0, 0));
    const thought = log.locator("details").filter({ hasText: "Thought" });
    await thought.locator("summary").click();
    await thought.getByText("mark31").last().waitFor();
    await expect.poll(async () => missing(await thought.textContent())).toEqual([]);
    await thought.locator("summary").click();
    const command = log.getByRole("group", { name: /^Bash/ });
    await command.getByRole("button", { expanded: false }).first().click();
    await command.getByText("mark31").last().waitFor();
    await expect
      .poll(async () => missing(await command.getByLabel("output", { exact: true }).textContent()))
      .toEqual([]);
    await expect.poll(() => visitor.page.evaluate(() => "polluted" in {})).toBe(false);
    await checkPage(visitor, told);
    await log.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await log.getByText("Over.", { exact: true }).waitFor();
    await checkPage(visitor, told);
  });

  test("in the diffs, commands, file names and questions that a person decides on", async () => {
    const writes = FILE_NAMES.map((file_path) => ({ tool: "Write", input: { file_path, content: ALL_PAYLOADS } }));
    const questions = [
      {
        question: PAYLOADS[0],
        header: "<b>b</b>",
        multiSelect: false,
        options: PAYLOADS.slice(0, 4).map((label) => ({ label, description: label })),
      },
    ];
    const calls = [
      ...writes,
      {
        tool: "Bash",
        input: { command: `echo '${PAYLOADS[30] ?? ""}' # ${PAYLOADS[6] ?? ""}`, description: PAYLOADS[0] },
      },
      { tool: "AskUserQuestion", input: { questions } },
    ];
    const paths: string[] = [];
    for (const call of calls) paths.push(await asked(world, await begin(world, [call], { unattended: "park" })));
    const { visitor, told } = await watched(world, paths[0] ?? "");
    for (const [index, path] of paths.entries()) {
      await visitor.page.goto(`${world.app.serving.url}${path}`);
      const card = question(visitor.page);
      await card.getByRole("button", { name: /^Reject/ }).waitFor();
      if (index < writes.length) await card.getByText("mark0").first().waitFor();
      // Characters that turn the direction of writing are named, so that nothing reads as something else.
      if (index === 2 || index === writes.length) await card.getByText("⟨U+202E⟩").first().waitFor();
      await checkPage(visitor, told);
    }
  });

  test("in changed files and their names, comparisons, searches, shared and exported conversations", async () => {
    const [image = "", svg = "", turned = ""] = FILE_NAMES;
    for (const name of [image, svg, turned]) await world.write(name, "before\n");
    const write = (file_path: string): object => ({ tool: "Write", input: { file_path, content: ALL_PAYLOADS } });
    const read = (file_path: string): object => ({ tool: "Read", input: { file_path } });
    const steps = [image, svg, turned, "page.html", "picture.svg"].flatMap((name) =>
      name.startsWith("p") ? [write(name)] : [read(name), write(name)],
    );
    const { session } = await runScript(world.client, {
      autonomy: "full",
      prompt: { text: "Hostile.", attachments: [{ type: "text", text: script(...steps, { say: ALL_PAYLOADS }) }] },
    });
    const at = `/sessions/${session.id}`;
    const share = await world.client.exports.share(session.id);
    const { visitor, told } = await watched(world, at);
    const places: readonly (readonly [string, string])[] = [
      [`${at}/changes`, "onerror"],
      [`${at}/compare?with=start`, "onerror"],
      [`${at}/files?path=${encodeURIComponent(image)}`, "mark0"],
      [`${at}/files?path=page.html`, "mark0"],
      [`${at}/files?path=picture.svg`, "mark0"],
      [`/search?q=${encodeURIComponent("mark4")}`, "mark4"],
      [`/search?q=${encodeURIComponent(PAYLOADS[4] ?? "")}`, "mark4"],
      [share.path, "mark31"],
    ];
    for (const [path, words] of places) {
      await visitor.page.goto(`${world.app.serving.url}${path}`);
      await visitor.page.locator("main").getByText(words).filter({ visible: true }).first().waitFor();
      await checkPage(visitor, told);
    }
    // Nothing that an agent wrote is a page of ours: the server answers with text to be parsed, or with a download.
    for (const path of [
      `/api${at}/file?path=page.html`,
      `/api${at}/export?format=html`,
      `/api${at}/export?format=markdown`,
    ]) {
      const answer = await fetch(`${world.app.serving.url}${path}`, {
        headers: { authorization: `Bearer ${TEST_TOKEN}` },
      });
      const type = answer.headers.get("content-type") ?? "";
      const isDownload = answer.headers.get("content-disposition")?.startsWith("attachment") === true;
      expect([path, type.startsWith("application/json") || isDownload]).toEqual([path, true]);
    }
  });

  test("in titles, names of people and templates, policy, feedback and the audit log", async () => {
    const hostile = PAYLOADS.slice(0, 8);
    for (const payload of hostile) {
      const { token } = await world.client.createToken({ role: "operator", name: payload.slice(0, 100) });
      expect(token).not.toBe("");
      await world.client.createSession({ prompt: { text: payload } });
    }
    await world.client.saveTemplate("hostile", {
      name: PAYLOADS[4] ?? "",
      session: { prompt: { text: ALL_PAYLOADS } },
    });
    const policy = await world.client.policy();
    await world.client.setPolicy({
      ...policy,
      profiles: { [`<img src=x onerror=window.__xss=1>`]: { description: PAYLOADS[0] } },
    });
    const id = await begin(world, [{ tool: "Write", input: { file_path: "a.txt", content: "a" } }]);
    const [, approvalId] = (await asked(world, id)).split("id=");
    const { input_hash } = await world.client.approval(approvalId ?? "");
    await world.client.decide(approvalId ?? "", {
      decision: "reject",
      input_hash,
      feedback: ALL_PAYLOADS.slice(0, 2_000),
    });
    await writeFile(join(world.app.place.workspace, FILE_NAMES[0] ?? ""), "");
    const { visitor, told } = await watched(world, "/sessions");
    const places: readonly (readonly [string, string])[] = [
      ["/sessions", "mark0"],
      ["/tokens", "mark0"],
      ["/new?template=hostile", "mark4"],
      ["/policy", "onerror"],
      [`/approvals?show=ended&id=${approvalId ?? ""}`, "mark0"],
      [`/sessions/${id}`, "a.txt"],
      ["/audit", "mark0"],
      ["/usage", "Usage"],
    ];
    for (const [path, words] of places) {
      await visitor.page.goto(`${world.app.serving.url}${path}`);
      await visitor.page.locator("main").getByText(words).filter({ visible: true }).first().waitFor();
      if (path === "/audit")
        await visitor.page.locator("main summary").evaluateAll((all) => {
          for (const summary of all) if (summary instanceof HTMLElement) summary.click();
        });
      await checkPage(visitor, told);
    }
  });
});
