import type { Socket } from "node:net";

/** Maximum number of sockets in the queue while no worker can take one; further sockets are closed. */
export const MAX_WAITING = 1000;
/** Maximum number of unconfirmed sockets of one worker; further sockets are passed to other workers. */
export const MAX_UNCONFIRMED = 64;

/** A socket and the name of the feature listener that accepted it; `undefined` for the service's own listener. */
export interface Accepted {
  readonly socket: Socket;
  readonly listener: string | undefined;
}

/** The dispatcher's interface to a worker. */
export interface SocketTarget {
  /** Sends a socket; calls back with an error if it could not be sent. */
  take(id: number, accepted: Accepted, sent: (error: Error | null) => void): void;
}

/** Distributes accepted sockets to ready workers, round-robin, and keeps each until a worker confirms it. */
export interface Dispatcher {
  /** Passes on a new socket, or queues it. */
  accept(socket: Socket, listener?: string): void;
  /** Adds a worker that is ready for sockets. */
  open(target: SocketTarget): void;
  /** Stops passing sockets to a worker; the worker keeps its unconfirmed sockets. */
  exclude(target: SocketTarget): void;
  /** Removes an exited worker and passes its unconfirmed sockets to others. */
  remove(target: SocketTarget): void;
  /** Confirms that a worker has the socket: this process closes its copy. */
  confirm(target: SocketTarget, id: number): void;
  /** Closes every queued socket; returns their number. */
  closeQueued(): number;
  /** Number of queued sockets. */
  readonly waiting: number;
}

export const createDispatcher = (): Dispatcher => {
  const queue: Accepted[] = [];
  const inTransit = new Map<SocketTarget, Map<number, Accepted>>();
  let ready: readonly SocketTarget[] = [];
  let turn = 0;
  let lastId = 0;

  /** Round-robin among the workers with the fewest unconfirmed sockets: a blocked worker confirms none. */
  const next = (): SocketTarget | undefined => {
    let best: SocketTarget | undefined;
    let fewest = MAX_UNCONFIRMED;
    for (const target of [...ready.slice(turn), ...ready.slice(0, turn)]) {
      const unconfirmed = inTransit.get(target)?.size ?? 0;
      if (unconfirmed >= fewest) continue;
      best = target;
      fewest = unconfirmed;
    }
    if (best !== undefined) turn = (ready.indexOf(best) + 1) % ready.length;
    return best;
  };

  const serveQueue = (): void => {
    while (queue.length > 0) {
      const target = next();
      if (target === undefined) return;
      const accepted = queue.shift();
      if (accepted !== undefined && !accepted.socket.destroyed) dispatch(target, accepted);
    }
  };

  const dispatch = (target: SocketTarget, accepted: Accepted): void => {
    const id = ++lastId;
    const held = inTransit.get(target) ?? new Map<number, Accepted>();
    inTransit.set(target, held.set(id, accepted));
    target.take(id, accepted, (error) => {
      if (error === null || !held.delete(id)) return;
      exclude(target); // its channel is broken, so it will exit
      enqueue([accepted]);
    });
  };

  const enqueue = (more: Iterable<Accepted>): void => {
    for (const accepted of more) {
      if (queue.length < MAX_WAITING) queue.push(accepted);
      else accepted.socket.destroy();
    }
    serveQueue();
  };

  const exclude = (target: SocketTarget): void => {
    ready = ready.filter((other) => other !== target);
  };

  return {
    accept(socket, listener) {
      socket.on("error", () => socket.destroy()); // a reset connection needs no handling
      enqueue([{ socket, listener }]);
    },
    open(target) {
      ready = [...ready, target];
      serveQueue();
    },
    exclude,
    remove(target) {
      exclude(target);
      const held = inTransit.get(target);
      const lost = [...(held?.values() ?? [])];
      held?.clear(); // a failure of sending may be reported after the exit
      inTransit.delete(target);
      enqueue(lost);
    },
    confirm(target, id) {
      const held = inTransit.get(target);
      held?.get(id)?.socket.destroy();
      held?.delete(id);
      serveQueue();
    },
    closeQueued() {
      const count = queue.length;
      for (const { socket } of queue.splice(0)) socket.destroy();
      return count;
    },
    get waiting() {
      return queue.length;
    },
  };
};
