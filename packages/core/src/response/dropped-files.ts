interface Closable {
  close(): Promise<unknown>;
}

/** Keeps files reachable until their readers are collected. Created for the first file, because some runtimes without files lack `FinalizationRegistry`. */
let files: FinalizationRegistry<Closable> | undefined;

/**
 * Closes a file when the reader of its body is garbage-collected: a program may drop a reply, for example when it throws afterwards or replaces the reply of
 * `next`. Node ends a process that garbage-collects an open file handle.
 *
 * @param file its `close` may be called again after the end
 */
export const closeWhenDropped = (reader: object, file: Closable): void => {
  files ??= new FinalizationRegistry(close);
  files.register(reader, file);
};

const close = (file: Closable): void => {
  file.close().catch(() => {}); // the file is no longer read, so its error changes nothing
};
