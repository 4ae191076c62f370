import { findBrowser, isMissing, type BrowserProgram, type MissingBrowser } from "../../browser/program.ts";
import type { EnvironmentOptions } from "../../sessions/index.ts";

import { searchPathOf } from "../settings/programs.ts";
import type { Environment, Settings } from "../settings/settings.ts";

const BROWSER_OFF = "off";
const BROWSER_AUTO = "auto";

/** The Chromium that sessions would get; undefined: the browser tools are switched off. */
export function browserOf(
  { browser }: Pick<Settings, "browser">,
  environment: Environment,
): BrowserProgram | MissingBrowser | undefined {
  if (browser.value === BROWSER_OFF) return undefined;
  const executable = browser.value === BROWSER_AUTO ? undefined : browser.value;
  return findBrowser({ executable, searchPath: searchPathOf(environment) });
}

/** What sessions' browsers need of this machine. Models are told of the tools where they would work. */
export function browserSetup(
  settings: Pick<Settings, "browser">,
  environment: Environment,
  clock: { readonly after: (ms: number, callback: () => void) => () => void },
): Pick<EnvironmentOptions, "browser"> {
  const program = browserOf(settings, environment);
  if (program === undefined) return {};
  return { browser: { program, isOffered: !isMissing(program), after: (ms, callback) => clock.after(ms, callback) } };
}
