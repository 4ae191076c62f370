import { FuseLoop, mountFuse, serveMount } from "../../fuse/index.ts";
import { LIMITS } from "../../protocol/index.ts";
import { MOUNT_NAME, type Mounter } from "./folder.ts";
import { RemoteFiles, type MountServer } from "./remote-files.ts";

export interface FuseMountOptions {
  readonly server: MountServer;
  /** The folder of the server that is mounted, such as `/claude`. */
  readonly root: string;
  /** Prepared for mounting. */
  readonly folder: string;
  readonly mounter: Mounter;
  readonly allowOther: boolean;
  readonly now: () => number;
  /** Called when the folder can be used. */
  readonly onReady: () => void;
  readonly onTrouble: (error: Error) => void;
  /** Unmounts when aborted. */
  readonly signal: AbortSignal;
}

/** The server's tree on a local folder, until the signal or until somebody unmounts it. */
export async function mountTree(options: FuseMountOptions): Promise<void> {
  const { server, folder, mounter, allowOther, now, signal } = options;
  const mounted = await mountFuse({
    folder,
    name: MOUNT_NAME,
    allowOther,
    ...mounter,
    programMs: LIMITS.mountProgramMs,
  });
  const loop = new FuseLoop({
    fd: mounted.fd,
    files: new RemoteFiles({ server, root: options.root, allowOther, now }),
    owner: mounter,
    limits: {
      readers: LIMITS.mountReaders,
      requests: LIMITS.mountRequests,
      handles: LIMITS.mountHandles,
      nodes: LIMITS.mountNodes,
      writeBytes: LIMITS.mountPieceBytes,
    },
    onTrouble: options.onTrouble,
  });
  const served = serveMount({ loop, mounted, folder, readers: LIMITS.mountReaders, signal });
  options.onReady();
  await served;
}
