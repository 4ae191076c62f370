import type { ScriptHost } from "../../../contexts/hosts.ts";
import workbench from "../../../../docs/user/workbench.md?raw";
import data from "../../../../docs/user/workbench-data.md?raw";
import scripts from "../../../../docs/user/workbench-scripts.md?raw";
import sql from "../../../../docs/user/workbench-sql.md?raw";
import viewers from "../../../../docs/user/workbench-viewers.md?raw";
import { SCRIPT_SAMPLES } from "./script/samples.ts";
import { sectionsOf, sectionSearch } from "./sections.ts";

/** Samples that a search gives at most. */
const SAMPLES = 4;

/** The names that a script finds, with what they have; values stand for what a script gets there. */
const NAMES = {
  table: {
    name: "",
    rowCount: 0,
    columnNames: [],
    filtered: [],
    selected: [],
    currentRow: -1,
    type: Function,
    get: Function,
  },
  output: { addColumn: Function, addTable: Function },
  print: Function,
} as const;

/** The documentation of the workbench, its script samples and the names that scripts have. */
export function scriptHost(): ScriptHost {
  const api = sectionsOf("workbench-scripts.md", scripts);
  const documentation = [
    ...sectionsOf("workbench.md", workbench),
    ...sectionsOf("workbench-data.md", data),
    ...sectionsOf("workbench-viewers.md", viewers),
    ...sectionsOf("workbench-sql.md", sql),
    ...api,
  ];
  const samples = sectionSearch(
    SCRIPT_SAMPLES.map(({ name, description = "", code }) => ({ source: name, text: `${description}\n${code}` })),
  );
  return {
    names: NAMES,
    searchDocumentation: sectionSearch(documentation),
    searchApi: sectionSearch(api),
    samples: (description) => {
      const names = samples(description, SAMPLES).map(({ source }) => source);
      return names.flatMap((name) => SCRIPT_SAMPLES.filter((sample) => sample.name === name));
    },
  };
}
