export type { Attributes, Listed } from "./answers.ts";
export { FuseError } from "./errno.ts";
export type { FuseCaller, FuseFiles, OpenFile, OpenMode } from "./files.ts";
export { FuseLoop, type FuseLimits } from "./loop.ts";
export { mountAt, mountFuse, unmountFuse } from "./mounting.ts";
export { serveMount } from "./serve.ts";
export { processOf } from "./threads.ts";
export { MountTrouble } from "./trouble.ts";
