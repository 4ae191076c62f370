// The product with its engines, in a process of its own: everything as `sallyport serve` has it, with the scripted model of
// the bench in the place of a provider.
import { serve } from "../../dist/cli/serve.js";
import { readSettings } from "../../dist/cli/settings/settings.js";

const [home, workspace, simUrl, token, claude] = process.argv.slice(2);
const environment = {
  PATH: process.env.PATH,
  HOME: home,
  SALLYPORT_SANDBOX: "local",
  SALLYPORT_TOKEN: token,
  SALLYPORT_REQUESTS_PER_MINUTE: "10000000",
  SALLYPORT_CLAUDE: claude,
  ANTHROPIC_API_KEY: "bench",
  ANTHROPIC_BASE_URL: simUrl,
};
const serving = await serve({
  settings: readSettings({ home, workspace, port: 0 }, environment, workspace),
  environment,
  version: "bench",
  logLevel: "error",
  onFatal: (error) => {
    throw error;
  },
});
let closing = false;
function close() {
  if (closing) return;
  closing = true;
  void serving.close().then(() => process.exit(0));
}
process.on("SIGTERM", close);
process.on("disconnect", close);
process.send({ url: serving.url });
