import type { PrimaryHub, PrimaryLink } from "./primary-link.ts";

/** The two ends of a channel within one process. */
export interface MemoryLink {
  /** The worker's end. */
  readonly worker: PrimaryLink;
  /** The primary's end. */
  readonly primary: PrimaryLink;
  /** Closes the channel, as the exit of a worker does. */
  close(): void;
}

/** Creates an in-memory channel with the semantics of IPC: messages are copied as JSON and delivered asynchronously, in order. */
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
  /** Adds a worker and returns its channel. */
  connect(): MemoryLink;
}

/** Creates a hub without workers. */
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
