import type { ConnectionHub } from "../hub/connection-hub.ts";
import type { FastExchange } from "./fast-exchange.ts";

/** Linked list of the exchanges of one connection whose replies are not sent, in the order of their requests. */
export class FastPipeline {
  first: FastExchange | null = null;
  last: FastExchange | null = null;
  /** The first exchange whose reply is not completely written. */
  unsent: FastExchange | null = null;
  /** Number of exchanges whose replies are not completely written. */
  active = 0;
  private readonly hub: ConnectionHub;

  constructor(hub: ConnectionHub) {
    this.hub = hub;
  }

  append(exchange: FastExchange): void {
    if (this.last === null) this.first = exchange;
    else this.last.next = exchange;
    this.last = exchange;
    this.unsent ??= exchange;
    this.active++;
  }

  /** Removes the only exchange, whose reply is written but not flushed. */
  takeLone(): void {
    this.first = this.last = this.unsent = null;
    this.active = 0;
  }

  /** Adds the only exchange, whose reply is written but not flushed. */
  appendWritten(exchange: FastExchange): void {
    this.first = exchange;
    this.last = exchange;
  }

  /** Marks the reply of the first unsent exchange as completely written. */
  markWritten(exchange: FastExchange): void {
    this.active--;
    this.unsent = exchange.next;
  }

  /** Ends the exchanges before `limit`, or all, as sent. Returns whether one of them was the connection's last. */
  finishBefore(limit: FastExchange | null): boolean {
    while (this.first !== null && this.first !== limit) {
      const exchange = this.first;
      this.first = exchange.next;
      if (this.first === null) this.last = null;
      this.hub.inFlight--;
      exchange.finish("sent");
      if (exchange.last) return true;
    }
    return false;
  }

  /** Returns the first exchange to which the app has not replied. */
  unanswered(): FastExchange | null {
    let exchange = this.unsent;
    while (exchange?.ready === true) exchange = exchange.next;
    return exchange;
  }

  /** Aborts an exchange and all after it. */
  abortFrom(start: FastExchange): void {
    if (start === this.first) this.first = this.last = null;
    else {
      let previous = this.first;
      while (previous !== null && previous.next !== start) previous = previous.next;
      if (previous !== null) previous.next = null;
      this.last = previous;
    }
    for (let exchange: FastExchange | null = start; exchange !== null; exchange = exchange.next) {
      if (exchange === this.unsent) this.unsent = null;
      this.hub.inFlight--;
      exchange.finish("aborted");
    }
  }
}
