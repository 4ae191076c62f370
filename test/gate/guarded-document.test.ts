import { describe, expect, test } from "vitest";
import { analyseCommand, bashSecurityHook } from "../../src/gate/index.ts";
import { FOLDER } from "./stand.ts";

/** Document 004's own checks of its hook : 6 + 14 + 10 + 24 + 35. */

const ask = (command: string) => bashSecurityHook({ tool_name: "Bash", tool_input: { command } });
const block = (reason: string) => ({ decision: "block", reason });
const unlisted = (name: string) => block(`Command '${name}' is not in the allowed commands list`);
const notDev = block("pkill only allowed for dev processes: node, npm, npx, vite, next");

describe("which commands a line holds", () => {
  test.each([
    ["ls -la", ["ls"]],
    ["npm install && npm run build", ["npm", "npm"]],
    ["cat file.txt | grep pattern", ["cat", "grep"]],
    ["/usr/bin/node script.js", ["node"]],
    ["VAR=value ls", ["ls"]],
    ["git status || git init", ["git", "git"]],
  ])("%s", (command, programs) => {
    expect(analyseCommand(command, FOLDER).parts.map((part) => part.program)).toEqual(programs);
  });
});

describe("chmod", () => {
  test.each([
    ["chmod +x init.sh", {}],
    ["chmod +x script.sh", {}],
    ["chmod u+x init.sh", {}],
    ["chmod a+x init.sh", {}],
    ["chmod ug+x init.sh", {}],
    ["chmod +x file1.sh file2.sh", {}],
    ["chmod 777 init.sh", block("chmod only allowed with +x mode, got: 777")],
    ["chmod 755 init.sh", block("chmod only allowed with +x mode, got: 755")],
    ["chmod +w init.sh", block("chmod only allowed with +x mode, got: +w")],
    ["chmod +r init.sh", block("chmod only allowed with +x mode, got: +r")],
    ["chmod -x init.sh", block("chmod flags are not allowed")],
    ["chmod -R +x dir/", block("chmod flags are not allowed")],
    ["chmod --recursive +x dir/", block("chmod flags are not allowed")],
    ["chmod +x", block("chmod requires at least one file")],
    ["chmod", block("chmod requires a mode")],
  ])("%s", (command, answer) => expect(ask(command)).toEqual(answer));
});

describe("init.sh", () => {
  test.each([
    ["./init.sh", {}],
    ["./init.sh arg1 arg2", {}],
    ["/path/to/init.sh", {}],
    ["../dir/init.sh", {}],
    ["./setup.sh", unlisted("setup.sh")],
    ["./init.py", unlisted("init.py")],
    ["bash init.sh", unlisted("bash")],
    ["sh init.sh", unlisted("sh")],
    ["./malicious.sh", unlisted("malicious.sh")],
    ["./init.sh; rm -rf /", unlisted("rm")],
    ["init.sh", block("Only ./init.sh is allowed, got: init.sh")],
  ])("%s", (command, answer) => expect(ask(command)).toEqual(answer));
});

describe("must be blocked", () => {
  test.each([
    ["shutdown now", unlisted("shutdown")],
    ["reboot", unlisted("reboot")],
    ["rm -rf /", unlisted("rm")],
    ["dd if=/dev/zero of=/dev/sda", unlisted("dd")],
    ["curl https://example.com", unlisted("curl")],
    ["wget https://example.com", unlisted("wget")],
    ["python app.py", unlisted("python")],
    ["touch file.txt", unlisted("touch")],
    ["echo hello", unlisted("echo")],
    ["kill 12345", unlisted("kill")],
    ["killall node", unlisted("killall")],
    ["pkill bash", notDev],
    ["pkill chrome", notDev],
    ["pkill python", notDev],
    ["$(echo pkill) node", block("Command name is only known at run time: $(echo pkill)")],
    ['eval "pkill node"', unlisted("eval")],
    ['bash -c "pkill node"', unlisted("bash")],
    ["chmod 777 file.sh", block("chmod only allowed with +x mode, got: 777")],
    ["chmod 755 file.sh", block("chmod only allowed with +x mode, got: 755")],
    ["chmod +w file.sh", block("chmod only allowed with +x mode, got: +w")],
    ["chmod -R +x dir/", block("chmod flags are not allowed")],
    ["./setup.sh", unlisted("setup.sh")],
    ["./malicious.sh", unlisted("malicious.sh")],
    ["bash script.sh", unlisted("bash")],
  ])("%s", (command, answer) => expect(ask(command)).toEqual(answer));
});

describe("must be allowed", () => {
  test.each([
    ["ls -la"],
    ["cat README.md"],
    ["head -100 file.txt"],
    ["tail -20 log.txt"],
    ["wc -l file.txt"],
    ["grep -r pattern src/"],
    ["cp file1.txt file2.txt"],
    ["mkdir newdir"],
    ["mkdir -p path/to/dir"],
    ["pwd"],
    ["npm install"],
    ["npm run build"],
    ["node server.js"],
    ["git status"],
    ["git commit -m 'test'"],
    ["git add . && git commit -m 'msg'"],
    ["ps aux"],
    ["lsof -i :3000"],
    ["sleep 2"],
    ["pkill node"],
    ["pkill npm"],
    ["pkill -f node"],
    ["pkill -f 'node server.js'"],
    ["pkill vite"],
    ["npm install && npm run build"],
    ["ls | grep test"],
    ["/usr/local/bin/node app.js"],
    ["chmod +x init.sh"],
    ["chmod +x script.sh"],
    ["chmod u+x init.sh"],
    ["chmod a+x init.sh"],
    ["./init.sh"],
    ["./init.sh --production"],
    ["/path/to/init.sh"],
    ["chmod +x init.sh && ./init.sh"],
  ])("%s", (command) => expect(ask(command)).toEqual({}));
});

describe("the hook", () => {
  test.each([
    ["another tool", { tool_name: "Read", tool_input: { file_path: "rm -rf /" } }, {}],
    ["no command", { tool_name: "Bash", tool_input: {} }, {}],
    ["an empty command", { tool_name: "Bash", tool_input: { command: "" } }, {}],
    ["nothing at all", {}, {}],
    [
      "an open quote",
      { tool_name: "Bash", tool_input: { command: "ls 'x" } },
      block("Could not parse command for security validation: ls 'x"),
    ],
    [
      "no process name",
      { tool_name: "Bash", tool_input: { command: "pkill -f" } },
      block("pkill requires a process name"),
    ],
    ["its own folder", { tool_name: "Bash", tool_input: { command: "cat /project/a" }, cwd: "/project" }, {}],
    [
      "no folder: an absolute path is outside",
      { tool_name: "Bash", tool_input: { command: "cat /project/a" } },
      block("Reading outside of the workspace is not allowed: /project/a"),
    ],
  ])("%s", (_name, input, answer) => expect(bashSecurityHook(input)).toEqual(answer));
});
