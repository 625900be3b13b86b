/**
 * Whether node:cluster forked this process, for the framework or for the program.
 *
 * A forked process has an IPC channel. Without one, node:cluster is not loaded: that would take a tenth of the start.
 */
export const isClusterWorker = (): boolean =>
  process.send !== undefined && process.getBuiltinModule("node:cluster").isWorker;
