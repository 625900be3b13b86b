/** Notifications for SQLite, which has none of its own: delivered within this process, or, after `connect`, to all workers, including this one. */
export class LocalNotifications {
  private readonly listeners = new Map<string, Set<(payload: string) => void>>();
  private broadcast: ((channel: string, payload: string) => void) | null = null;

  /** Sets the function that broadcasts notifications to all workers, which pass them to `receive`. */
  connect(broadcast: (channel: string, payload: string) => void): void {
    this.broadcast = broadcast;
  }

  send(channel: string, payload: string): void {
    if (this.broadcast === null) this.receive(channel, payload);
    else this.broadcast(channel, payload);
  }

  /** Notifies the listeners of this process. */
  receive(channel: string, payload: string): void {
    const listeners = this.listeners.get(channel);
    for (const listener of listeners ?? [])
      queueMicrotask(() => {
        if (listeners?.has(listener) === true) listener(payload); // it may have been stopped meanwhile
      });
  }

  listen(channel: string, listener: (payload: string) => void): () => Promise<void> {
    const own = (payload: string): void => listener(payload); // a listener may be registered twice
    const listeners = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, listeners.add(own));
    return async () => {
      if (listeners.delete(own) && listeners.size === 0) this.listeners.delete(channel);
    };
  }
}
