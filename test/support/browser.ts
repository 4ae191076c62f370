import { describe } from "vitest";
import { browserPath, wholeBrowserPath } from "./programs.ts";

export { atRest, hasFocus, launchBrowser, launchWholeBrowser, PHONE, Visitor } from "./chromium.ts";

const required = process.env["SALLYPORT_BROWSER_TESTS"] === "required";

/** Tests that need a browser: left out, visibly, on a machine that has none; never where they are required. */
export const describeInBrowser = browserPath === undefined && !required ? describe.skip : describe;

/** The same for tests that need one that shows notifications. */
export const describeInWholeBrowser = wholeBrowserPath === undefined && !required ? describe.skip : describe;
