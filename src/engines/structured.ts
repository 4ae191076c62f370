/**
 * The call by which a model gives its answer in the form of `output_schema`. It is not a tool: nothing runs and nobody is asked. Claude Code
 * has the same one under the same name.
 */
export const STRUCTURED_OUTPUT = "StructuredOutput";
