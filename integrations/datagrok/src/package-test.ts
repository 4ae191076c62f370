import * as DG from "datagrok-api/dg";
import { registerClientTests } from "./tests/claude-runtime-tests.ts";
import { registerPanelTests } from "./tests/claude-panel-tests.ts";
import { registerToolTests } from "./tests/tool-registry-tests.ts";
import { runTests, tests } from "./tests/registry.ts";

export const _package = new DG.Package();
export { tests };
export { BrowserToolExecutor } from "./claude-code/tool-registry.ts";

registerClientTests();
registerToolTests();
registerPanelTests();

//name: test
//input: string category {optional: true}
//input: string test {optional: true}
//input: object testContext {optional: true}
//output: dataframe result
export async function test(category?: string, test?: string): Promise<DG.DataFrame | undefined> {
  return DG.DataFrame.fromObjects([...(await runTests({ category, test }))]);
}
