/** The tool of an approval whose row is damaged. */
export const DAMAGED_TOOL = "(damaged)";
