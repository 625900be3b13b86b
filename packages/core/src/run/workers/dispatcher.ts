import type { Socket } from "node:net";

/** Maximum of sockets queued while no worker can take one; further ones are closed. */
export const MAX_WAITING = 1000;
/** Maximum of unconfirmed sockets of one worker; a busy worker gets no more, others do. */
export const MAX_UNCONFIRMED = 64;

/** A socket, and the listener that accepted it: the name of a feature's, `undefined` for the service's own. */
export interface Accepted {
  readonly socket: Socket;
  readonly listener: string | undefined;
}

/** The dispatcher's interface of a worker. */
export interface Taker {
  /** Sends a socket; calls back with an error if it could not be sent. */
  take(id: number, accepted: Accepted, sent: (error: Error | null) => void): void;
}

/** Distributes accepted sockets to ready workers in turn, and keeps each until a worker confirms it. */
export interface Dispatcher {
  /** Passes on a new socket, or queues it. */
  accept(socket: Socket, listener?: string): void;
  /** Adds a worker that is ready for sockets. */
  open(taker: Taker): void;
  /** Stops passing sockets to a worker; it keeps the unconfirmed ones. */
  shut(taker: Taker): void;
  /** Removes an exited worker and passes its unconfirmed sockets to others. */
  gone(taker: Taker): void;
  /** Confirms that a worker has the socket: this process closes its copy. */
  confirm(taker: Taker, id: number): void;
  /** Closes every queued socket; returns their number. */
  dismiss(): number;
  /** Number of queued sockets. */
  readonly waiting: number;
}

export const createDispatcher = (): Dispatcher => {
  const queue: Accepted[] = [];
  const onTheWay = new Map<Taker, Map<number, Accepted>>();
  let ready: readonly Taker[] = [];
  let turn = 0;
  let lastId = 0;

  /** In turn, of those with the fewest unconfirmed sockets: a blocked worker confirms none. */
  const next = (): Taker | undefined => {
    let best: Taker | undefined;
    let fewest = MAX_UNCONFIRMED;
    for (const taker of [...ready.slice(turn), ...ready.slice(0, turn)]) {
      const unconfirmed = onTheWay.get(taker)?.size ?? 0;
      if (unconfirmed >= fewest) continue;
      best = taker;
      fewest = unconfirmed;
    }
    if (best !== undefined) turn = (ready.indexOf(best) + 1) % ready.length;
    return best;
  };

  const serveQueue = (): void => {
    while (queue.length > 0) {
      const taker = next();
      if (taker === undefined) return;
      const accepted = queue.shift();
      if (accepted !== undefined && !accepted.socket.destroyed) give(taker, accepted);
    }
  };

  const give = (taker: Taker, accepted: Accepted): void => {
    const id = ++lastId;
    const held = onTheWay.get(taker) ?? new Map<number, Accepted>();
    onTheWay.set(taker, held.set(id, accepted));
    taker.take(id, accepted, (error) => {
      if (error === null || !held.delete(id)) return;
      shut(taker); // its channel is broken; its exit will be reported
      wait([accepted]);
    });
  };

  const wait = (more: Iterable<Accepted>): void => {
    for (const accepted of more) {
      if (queue.length < MAX_WAITING) queue.push(accepted);
      else accepted.socket.destroy();
    }
    serveQueue();
  };

  const shut = (taker: Taker): void => {
    ready = ready.filter((other) => other !== taker);
  };

  return {
    accept(socket, listener) {
      socket.on("error", () => socket.destroy()); // a reset connection needs no handling
      wait([{ socket, listener }]);
    },
    open(taker) {
      ready = [...ready, taker];
      serveQueue();
    },
    shut,
    gone(taker) {
      shut(taker);
      const lost = onTheWay.get(taker);
      onTheWay.delete(taker);
      if (lost !== undefined) wait(lost.values());
    },
    confirm(taker, id) {
      const held = onTheWay.get(taker);
      held?.get(id)?.socket.destroy();
      held?.delete(id);
      serveQueue();
    },
    dismiss() {
      const count = queue.length;
      for (const { socket } of queue.splice(0)) socket.destroy();
      return count;
    },
    get waiting() {
      return queue.length;
    },
  };
};
