import type { PrimaryHub, PrimaryLink } from "./primary-link.ts";

/** Two ends of a channel within one process. */
export interface MemoryLink {
  readonly worker: PrimaryLink;
  readonly primary: PrimaryLink;
  /** Ends the channel, as the death of the worker does. */
  close(): void;
}

/** A channel in memory that copies messages as IPC does: through JSON, in order, never within the call that sends. */
export const memoryLink = (): MemoryLink => {
  let open = true;
  const closing = new Set<() => void>();
  const end = (
    mine: Set<(message: unknown) => void>,
    other: Set<(message: unknown) => void>,
  ): PrimaryLink => ({
    send(message) {
      if (!open) throw new Error("the channel is closed");
      const copy: unknown = JSON.parse(JSON.stringify(structuredClone(message)));
      queueMicrotask(() => {
        if (open) for (const listener of other) listener(copy);
      });
    },
    onMessage(listener) {
      mine.add(listener);
      return () => void mine.delete(listener);
    },
    onClose(listener) {
      if (open) closing.add(listener);
      else listener();
    },
  });
  const ofWorker = new Set<(message: unknown) => void>();
  const ofPrimary = new Set<(message: unknown) => void>();
  return {
    worker: end(ofWorker, ofPrimary),
    primary: end(ofPrimary, ofWorker),
    close() {
      open = false;
      for (const listener of closing) listener();
    },
  };
};

/** A hub of workers within one process. */
export interface MemoryHub extends PrimaryHub {
  /** Adds a worker and gives its channel. */
  connect(): MemoryLink;
}

export const memoryHub = (): MemoryHub => {
  const links: PrimaryLink[] = [];
  const listeners = new Set<(link: PrimaryLink) => void>();
  return {
    connect() {
      const link = memoryLink();
      links.push(link.primary);
      for (const listener of listeners) listener(link.primary);
      return link;
    },
    onWorker(listener) {
      listeners.add(listener);
      for (const link of links) listener(link);
      return () => void listeners.delete(listener);
    },
  };
};
