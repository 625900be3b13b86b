/**
 * Whether node:cluster forked this process, for the framework or for the program.
 *
 * A forked process has an IPC channel. Without a channel, node:cluster is not loaded, so the process starts faster.
 */
export const isClusterWorker = (): boolean =>
  process.send !== undefined && process.getBuiltinModule("node:cluster").isWorker;
