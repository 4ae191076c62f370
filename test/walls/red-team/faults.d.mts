/** A command whose processes try to outlive their sandbox. */
export function STRAYS(workspace: string): string;
/** Processes of this machine that have the workspace among their words, apart from this one. */
export function leftIn(workspace: string): readonly string[];
