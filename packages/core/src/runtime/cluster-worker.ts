/**
 * Whether node:cluster forked this process: by our primary, or by the program itself.
 *
 * Such a process has a channel to its parent; in one without, node:cluster is not loaded, which would take a tenth of a start.
 */
export const isClusterWorker = (): boolean =>
  process.send !== undefined && process.getBuiltinModule("node:cluster").isWorker;
