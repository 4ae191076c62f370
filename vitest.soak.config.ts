import { defineConfig } from "vitest/config";
import everyday from "./vitest.config.ts";

/** The big counts, run by `npm run soak`: one after the other, however long they take. */
export default defineConfig({
  ...everyday,
  test: {
    ...everyday.test,
    include: ["test/soak/**/*.soak.ts", "test/e2e/console/inspect-*.test.ts"],
    env: { SALLYPORT_INSPECT: "full" },
    maxWorkers: 1,
  },
});
